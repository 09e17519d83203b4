// VitePress's settings. What is in the navigation comes from docs/README.md, by stage.mjs.

import { readFileSync } from 'node:fs'

const { sidebar, javadoc } = JSON.parse(readFileSync(new URL('./navigation.json', import.meta.url), 'utf8'))

/** The name by which a heading is linked to: as forges make it, and as DocumentsTest has it. */
function slug(text) {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
}

export default {
  title: 'Holdfast',
  description: 'Distributed locks for the JVM on Redis and Valkey',
  lang: 'en',
  base: process.env.SITE_BASE || '/',
  srcDir: 'pages',
  outDir: process.env.SITE_OUT,
  cleanUrls: false,
  metaChunk: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // Javadoc is put beside the pages after they are built.
  ignoreDeadLinks: [/^https?:\/\/localhost/, /^\.\/holdfast[^/]*\/index$/, /\/api\/holdfast/],
  markdown: {
    anchor: { slugify: slug },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
  },
  vite: { build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 4000 } },
  themeConfig: {
    nav: [
      { text: 'All pages', link: '/docs/' },
      ...(javadoc ? [{ text: 'Javadoc', link: '/api/' }] : []),
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    externalLinkIcon: true,
    docFooter: { prev: 'Previous', next: 'Next' },
    footer: { message: 'Holdfast is free software under the Apache License 2.0.' },
  },
}
