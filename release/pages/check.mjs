// Goes through the built site in a real Chromium, by its chromedriver.
//
// Usage: node check.mjs SITE [PICTURES]
//
// Each page that a link reaches is opened: no link is broken, no part that a link names is missing, no picture is empty, nothing
// comes from elsewhere, the console has no error, no page is wider than a phone, and no page is left that no link reaches. Pages of
// Javadoc are files that links must name; they are not opened.

import { spawn } from 'node:child_process'
import { createReadStream, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'

const [site, pictures] = process.argv.slice(2)
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png', '.json': 'application/json' }
const WIDTHS = [360, 1280, 2560]
const PICTURED = ['/', '/docs/', '/docs/guide/quick-start.html', '/docs/concepts.html', '/docs/benchmarks.html', '/docs/defaults.html', '/docs/safety.html']

/** The file behind an address, or null. */
function file(path) {
  let at = join(site, decodeURIComponent(path))
  if (existsSync(at) && statSync(at).isDirectory()) {
    at = join(at, 'index.html')
  }
  return existsSync(at) ? at : null
}

const server = createServer((request, response) => {
  const found = file(new URL(request.url, 'http://localhost').pathname)
  response.writeHead(found ? 200 : 404, { 'content-type': TYPES[extname(found ?? '')] ?? 'text/plain' })
  found ? createReadStream(found).pipe(response) : response.end()
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${server.address().port}`

const driver = spawn('chromedriver', ['--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] })
const port = await new Promise((resolve, reject) => {
  let said = ''
  driver.stdout.on('data', (data) => {
    said += data
    const started = /on port (\d+)/.exec(said.replace(/on port 0\b/g, ''))
    if (started) resolve(started[1])
  })
  driver.on('error', reject)
  driver.on('exit', () => reject(new Error('chromedriver ended: ' + said)))
})

async function call(method, path, body) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) })
  const { value } = await answer.json()
  if (!answer.ok) throw new Error(`${path}: ${value.message}`)
  return value
}

const { sessionId } = await call('POST', '/session', {
  capabilities: {
    alwaysMatch: {
      browserName: 'chrome',
      'goog:chromeOptions': { args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking'] },
      'goog:loggingPrefs': { browser: 'ALL' },
    },
  },
})
const session = `/session/${sessionId}`
const script = (text, ...args) => call('POST', `${session}/execute/sync`, { script: text, args })
const devtools = (cmd, params) => call('POST', `${session}/goog/cdp/execute`, { cmd, params })
const open = async (path) => {
  await call('POST', `${session}/url`, { url: origin + path })
  await call('POST', `${session}/execute/async`, {
    script: `const done = arguments[0]
      const settled = () => document.querySelector('#app')?.__vue_app__ && [...document.images].every((image) => image.complete)
      const look = () => settled() ? done() : requestAnimationFrame(look)
      for (const image of document.images) image.loading = 'eager'
      look()`,
    args: [],
  })
}
const width = (pixels, height) =>
  devtools('Emulation.setDeviceMetricsOverride', { width: pixels, height, deviceScaleFactor: 1, mobile: false })

const wrong = []
const parts = new Map()
const links = []

/** What an address is within the site: a page to open, or a file. */
function within(address) {
  const url = new URL(address)
  return url.origin === origin ? { path: url.pathname.replace(/index\.html$/, ''), part: decodeURIComponent(url.hash.slice(1)) } : null
}

async function look(path) {
  await open(path)
  const page = await script(`return {
    links: [...document.querySelectorAll('a[href]')].map((a) => a.href),
    parts: [...document.querySelectorAll('[id], a[name]')].map((node) => node.id || node.name),
    empty: [...document.images].filter((image) => image.naturalWidth === 0).map((image) => image.src),
    mute: [...document.images].filter((image) => !image.alt).map((image) => image.src),
    loaded: performance.getEntriesByType('resource').map((entry) => entry.name),
    wide: document.documentElement.scrollWidth - innerWidth,
    widest: [...document.querySelectorAll('.vp-doc *')].map((node) => [node.getBoundingClientRect().right, node])
      .filter(([right, node]) => right > innerWidth && !node.closest('table, pre, div[class*=language-]'))
      .map(([, node]) => node.textContent.slice(0, 60))[0],
    lost: document.title.startsWith('404'),
  }`)
  parts.set(path, new Set(page.parts))
  if (page.lost) wrong.push(`${path}: is the page for what is not found`)
  if (page.wide > 0) wrong.push(`${path}: is wider than 360 px by ${page.wide}: ${page.widest}`)
  page.empty.forEach((source) => wrong.push(`${path}: empty picture ${source}`))
  page.mute.forEach((source) => wrong.push(`${path}: picture without words ${source}`))
  page.loaded.filter((name) => !name.startsWith(origin) && !name.startsWith('data:')).forEach((name) => wrong.push(`${path}: loads ${name}`))
  for (const entry of await call('POST', `${session}/se/log`, { type: 'browser' })) {
    if (entry.level === 'SEVERE' || entry.level === 'WARNING') wrong.push(`${path}: console: ${entry.message}`)
  }
  page.links.forEach((link) => links.push([path, link]))
  return page.links.map(within).filter((target) => target !== null).map((target) => target.path)
}

/** Files of the site that end so. */
function files(folder, ending) {
  return readdirSync(join(site, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? files(path, ending) : path.endsWith(ending) ? [path] : []
  })
}

const isJavadoc = (path) => /^\/api\/./.test(path)

try {
  await width(360, 800)
  const open = ['/']
  const seen = new Set(open)
  while (open.length > 0) {
    const from = open.shift()
    for (const path of await look(from)) {
      if (!seen.has(path)) {
        seen.add(path)
        if (file(path) === null) wrong.push(`${from}: links to ${path}, which is not there`)
        else if (!isJavadoc(path) && extname(file(path)) === '.html') open.push(path)
      }
    }
  }
  for (const [from, link] of links) {
    const target = within(link)
    if (target === null) {
      if (!/^(https?|mailto):/.test(link)) wrong.push(`${from}: links to ${link}`)
    } else if (target.part && parts.has(target.path) && !parts.get(target.path).has(target.part)) {
      wrong.push(`${from}: ${target.path} has no part ${target.part}`)
    }
  }
  for (const page of files('', '.html')) {
    const path = page.replace(/index\.html$/, '')
    if (!isJavadoc(path) && path !== '/404.html' && !parts.has(path)) wrong.push(`${path}: no link reaches it`)
  }
  await look('/')
  await script(`document.querySelector('.VPNavBarSearch button').click()`)
  const found = await call('POST', `${session}/execute/async`, {
    script: `const done = arguments[0]
      const type = () => {
        const box = document.querySelector('.search-input')
        if (!box) return requestAnimationFrame(type)
        box.value = 'fencing'; box.dispatchEvent(new Event('input', { bubbles: true }))
        const look = () => { const n = document.querySelectorAll('.result').length; n ? done(n) : requestAnimationFrame(look) }
        look()
      }
      type()`,
    args: [],
  }).catch(() => 0)
  if (found === 0) wrong.push('/: the search finds nothing for "fencing"')
  console.error(`${parts.size} pages opened, ${new Set(links.map(([, link]) => link)).size} different links, ${links.length} in all; the search finds ${found}`)
  if (pictures) await picture()
} finally {
  await call('DELETE', session).catch(() => {})
  driver.kill()
  server.close()
}

/** Pictures of some pages, narrow to wide, light and dark. */
async function picture() {
  mkdirSync(pictures, { recursive: true })
  for (const path of PICTURED.filter((path) => parts.has(path))) {
    for (const pixels of WIDTHS) {
      for (const dark of [false, true]) {
        await width(pixels, pixels === 360 ? 1600 : pixels === 1280 ? 1800 : 1440)
        await script(`localStorage.setItem('vitepress-theme-appearance', '${dark ? 'dark' : 'light'}')`)
        await open(path)
        const image = await call('GET', `${session}/screenshot`)
        const name = path.replace(/^\/|\.html$|\/$/g, '').replaceAll('/', '-') || 'first'
        writeFileSync(join(pictures, `${name}-${pixels}-${dark ? 'dark' : 'light'}.png`), Buffer.from(image, 'base64'))
      }
    }
  }
}

wrong.forEach((problem) => console.error(problem))
process.exitCode = wrong.length > 0 ? 1 : 0
