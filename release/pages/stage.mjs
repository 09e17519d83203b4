// Puts the Markdown of the repository where VitePress builds from, and makes the navigation from docs/README.md.
//
// Usage: node stage.mjs REPOSITORY PAGES NAVIGATION [ARTIFACT...]
//
// A page keeps its path, and README.md becomes index.md. Staged is what the README and the index reach by links: a file that is no
// Markdown becomes a page that shows its text, a folder one that lists it, so that no link leaves the site.

import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, posix, relative } from 'node:path'

const LINK = /(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g
const IMAGES = new Set(['.svg', '.png'])
const LANGUAGES = { '.java': 'java', '.kt': 'kotlin', '.json': 'json', '.xml': 'xml', '.yml': 'yaml', '.yaml': 'yaml', '.properties': 'properties' }

export const INDEX = 'docs/README.md'

/** The parts of the index: the heading of each, and its links in their order, each page once. */
export function sections(markdown) {
  const found = []
  for (const part of markdown.split(/^## /m).slice(1)) {
    const pages = new Map()
    for (const [, image, text, target] of part.matchAll(LINK)) {
      const page = target.replace(/#.*/, '')
      if (!image && page.endsWith('.md') && !pages.has(page)) {
        pages.set(page, label(text))
      }
    }
    if (pages.size > 0) {
      found.push({ text: part.split('\n', 1)[0].trim(), pages: [...pages].map(([page, text]) => ({ page, text })) })
    }
  }
  return found
}

function label(text) {
  const plain = text.replace(/[`*]/g, '')
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** The path of a page below the site's root, as VitePress wants it in a navigation. */
function address(path) {
  return '/' + staged(path).replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')
}

/** Where the file of the repository is staged. */
function staged(path) {
  return path.replace(/(^|\/)README\.md$/, '$1index.md')
}

/** The text with each link outside of blocks of code replaced. */
function linked(markdown, replace) {
  let fence = null
  return markdown
    .split('\n')
    .map((line) => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)
      if (mark) {
        fence = fence === null ? mark[1] : line.trim().startsWith(fence) ? null : fence
        return line
      }
      return fence !== null ? line : line.replace(LINK, replace)
    })
    .join('\n')
}

class Stage {
  constructor(root, pages) {
    this.root = root
    this.pages = pages
    this.known = new Map()
    this.open = []
    this.wrong = []
  }

  /** The file that a link of a page names, from now on part of the site. */
  reach(from, target) {
    let path = posix.normalize(posix.join(posix.dirname(from), target)).replace(/\/$/, '')
    const file = join(this.root, path)
    if (path.startsWith('..') || !existsSync(file)) {
      this.wrong.push(`${from} links to ${target}, which is not there`)
      return null
    }
    if (statSync(file).isDirectory() && existsSync(join(file, 'README.md'))) {
      path = posix.join(path, 'README.md')
    }
    if (!this.known.has(path)) {
      this.known.set(path, this.page(path))
      this.open.push(path)
    }
    return this.known.get(path)
  }

  page(path) {
    if (path.endsWith('.md')) {
      return staged(path)
    }
    if (statSync(join(this.root, path)).isDirectory()) {
      return path + '/index.md'
    }
    return IMAGES.has(extname(path)) ? path : path + '.md'
  }

  all() {
    while (this.open.length > 0) {
      const path = this.open.shift()
      const file = join(this.root, path)
      const to = join(this.pages, this.known.get(path))
      mkdirSync(dirname(to), { recursive: true })
      if (path.endsWith('.md')) {
        writeFileSync(to, this.markdown(path, readFileSync(file, 'utf8')))
      } else if (statSync(file).isDirectory()) {
        writeFileSync(to, this.listing(path, file))
      } else if (IMAGES.has(extname(path))) {
        const open = join(this.pages, 'public', path)
        mkdirSync(dirname(open), { recursive: true })
        cpSync(file, open)
        cpSync(file, to)
      } else {
        writeFileSync(to, shown(path, readFileSync(file, 'utf8')))
      }
    }
  }

  markdown(path, text) {
    const rewritten = linked(text, (whole, image, words, target) => {
      if (/^([a-z]+:|#)/i.test(target)) {
        return whole
      }
      const [name, part] = target.split('#', 2)
      const page = this.reach(path, name)
      if (page === null) {
        return whole
      }
      const near = posix.relative(posix.dirname(staged(path)), page)
      const open = !image && IMAGES.has(extname(page))
      const to = (open ? '/' + page : near.startsWith('.') ? near : './' + near) + (part === undefined ? '' : '#' + part)
      // What is no page is opened as a file, and not by the site's router.
      return open ? `[${this.inner(path, words)}](${to}){target="_self"}` : `${image}[${this.inner(path, words)}](${to})`
    })
    return path === 'README.md' ? front(rewritten, this.start) : rewritten
  }

  /** The words of a link may be a picture. */
  inner(path, words) {
    return words.includes('](') ? this.markdown(path, words) : words
  }

  listing(path, folder) {
    const names = readdirSync(folder).filter((name) => !name.startsWith('.') && name !== 'target').sort()
    return `# ${path}\n\nFiles of this folder:\n\n` + names.map((name) => `- \`${name}\`\n`).join('')
  }
}

function shown(path, text) {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map((run) => run[0].length + 1)))
  const language = LANGUAGES[extname(path)] ?? 'text'
  return `# ${basename(path)}\n\n\`${path}\`\n\n${fence}${language}\n${text.replace(/\n*$/, '\n')}${fence}\n`
}

/** The README as the site's first page: its heading and first paragraph are shown large. */
function front(text, start) {
  const [, name, rest] = /^# (.*)\n+([^]*)$/.exec(text)
  const [, first, body] = /^((?:.+\n)+)\n([^]*)$/.exec(rest)
  const actions = start.map(({ text, page }, at) => ({ theme: at === 0 ? 'brand' : 'alt', text, link: address(posix.join('docs', page)) }))
  actions.push({ theme: 'alt', text: 'All pages', link: address(INDEX) })
  const matter = { layout: 'home', hero: { name, tagline: first.trim().replace(/\n/g, ' '), actions } }
  return `---\n${JSON.stringify(matter)}\n---\n\n${body}`
}

/** The sidebar: the index's parts, and below the page of decisions each of them. */
function navigation(root) {
  const decisions = join(root, 'docs/decisions/README.md')
  return sections(readFileSync(join(root, INDEX), 'utf8')).map(({ text, pages }, at) => ({
    text,
    collapsed: at > 1,
    items: pages.map(({ page, text }) => {
      const path = posix.normalize(posix.join('docs', page))
      const item = { text, link: address(path) }
      if (path === 'docs/decisions/README.md') {
        const rows = [...readFileSync(decisions, 'utf8').matchAll(/^\| (\d+) \| \[(.*?)\]\((\d{4}-[^)]*\.md)\)/gm)]
        item.collapsed = true
        item.items = rows.map(([, number, text, page]) => ({ text: `${number}. ${label(text)}`, link: address('docs/decisions/' + page) }))
      }
      return item
    }),
  }))
}

/** A page that lists the documentation by Javadoc, which is unpacked below /api. */
function javadoc(root, pages, artifacts) {
  const rows = artifacts.map((line) => {
    const [artifact, ...description] = line.split('\t')
    return `| <a href="./${artifact}/index.html" target="_self">\`${artifact}\`</a> | ${description.join(' ')} |\n`
  })
  mkdirSync(join(pages, 'api'), { recursive: true })
  writeFileSync(
    join(pages, 'api/index.md'),
    '# Javadoc\n\nOne documentation for each artifact; the [guide to the artifacts](../docs/guide/artifacts.md) says when you need which.\n\n' +
      '| artifact | contents |\n|---|---|\n' + rows.join(''),
  )
}

if (process.argv[1] && basename(process.argv[1]) === 'stage.mjs') {
  const [root, pages, to, ...artifacts] = process.argv.slice(2)
  const stage = new Stage(root, pages)
  stage.start = sections(readFileSync(join(root, INDEX), 'utf8'))[0].pages.slice(0, 3)
  stage.reach('.', 'README.md')
  stage.reach('.', INDEX)
  stage.all()
  const sidebar = navigation(root)
  if (artifacts.length > 0) {
    javadoc(root, pages, artifacts)
    sidebar.find((part) => part.text === 'Reference').items.push({ text: 'Javadoc', link: '/api/' })
  }
  writeFileSync(to, JSON.stringify({ sidebar, javadoc: artifacts.length > 0 }, null, 2))
  for (const problem of stage.wrong) {
    console.error(problem)
  }
  console.error(`${stage.known.size} files staged`)
  process.exit(stage.wrong.length > 0 ? 1 : 0)
}
