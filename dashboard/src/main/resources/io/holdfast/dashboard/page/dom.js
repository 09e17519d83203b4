/** Elements, lists that keep their focus, and times in words. Data reaches the page as text and attributes only. */

import {now, stale} from './data.js';

const SVG = 'http://www.w3.org/2000/svg';

export function el(tag, given = {}, ...children) {
  return fill(document.createElement(tag), given, children);
}

export function svg(tag, given = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), given, children);
}

function fill(node, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'function') node.addEventListener(name, value);
    else attr(node, name, value);
  }
  node.append(...children.map(child => (typeof child === 'string' ? plain(child) : child)));
  return node;
}

/** Names come from other programs: what would end a line, turn the direction of the page or not be seen is written as its number. Not the
 * joiners, with which languages are written. */
const UNFIT = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export function plain(words) {
  return words.replace(UNFIT, letter => `\\u${letter.codePointAt(0).toString(16).padStart(4, '0')}`);
}

/** Sets an attribute only where it changes: what is set anew is styled anew. */
export function attr(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
    return;
  }
  const shown = name === 'title' || name === 'aria-label';
  const wanted = value === true ? '' : shown ? plain(String(value)) : String(value);
  if (node.getAttribute(name) !== wanted) node.setAttribute(name, wanted);
}

export function text(node, value) {
  const wanted = plain(String(value ?? ''));
  if (node.textContent !== wanted) node.textContent = wanted;
  return node;
}

export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

/** Runs `draw` in the next frame, however often it is asked for until then. A hidden page has no frames. */
export function perFrame(draw) {
  let asked = 0;
  const ask = () => {
    asked ||= requestAnimationFrame(() => {
      asked = 0;
      draw();
    });
  };
  ask.stop = () => {
    cancelAnimationFrame(asked);
    asked = 0;
  };
  return ask;
}

// ---- lists

const nodesOf = new WeakMap();

/**
 * Makes the children of `parent` those of `items`, in their order. Nodes are kept by key and patched in place; the one
 * that has the focus is never moved, the others are moved around it. If it goes, the focus goes to its neighbour.
 */
export function list(parent, items, keyOf, make, patch) {
  const before = nodesOf.get(parent) ?? new Map();
  const after = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (after.has(key)) continue;
    const node = before.get(key) ?? make(item);
    patch(node, item);
    after.set(key, node);
  }
  nodesOf.set(parent, after);
  const nodes = [...after.values()];
  const orphaned = remove(before, after);
  order(parent, nodes);
  if (orphaned >= 0) focusNear(parent, nodes[Math.min(orphaned, nodes.length - 1)]);
}

/** Returns the place at which the focus was, if it was in what has been removed, or -1. */
function remove(before, after) {
  let orphaned = -1;
  let place = 0;
  for (const [key, node] of before) {
    if (!after.has(key)) {
      if (node.contains(document.activeElement)) orphaned = place;
      node.remove();
    }
    place++;
  }
  return orphaned;
}

function order(parent, nodes) {
  if (!nodes.length) return;
  const active = parent.contains(document.activeElement) ? document.activeElement : null;
  let fixed = active ? nodes.findIndex(node => node.contains(active)) : -1;
  if (fixed < 0) fixed = nodes.findIndex(node => node.parentNode === parent);
  if (fixed < 0) {
    parent.append(...nodes);
    return;
  }
  for (let i = fixed - 1; i >= 0; i--) {
    if (nodes[i].nextSibling !== nodes[i + 1]) parent.insertBefore(nodes[i], nodes[i + 1]);
  }
  for (let i = fixed + 1; i < nodes.length; i++) {
    if (nodes[i - 1].nextSibling !== nodes[i]) parent.insertBefore(nodes[i], nodes[i - 1].nextSibling);
  }
}

function focusNear(parent, node) {
  const place = node?.querySelector('a[href], button, [tabindex]') ?? parent.closest('.view')?.querySelector('h1');
  place?.focus({preventScroll: true});
}

/** A table with its roles spelled out, since narrow screens show its rows as blocks. Labels are repeated for these. */
export function table(name, labels) {
  const head = el('tr', {role: 'row'}, ...labels.map(label => el('th', {role: 'columnheader', scope: 'col'}, label)));
  const body = el('tbody', {role: 'rowgroup'});
  const root = el('table', {role: 'table', 'aria-label': name, class: 'lines', 'data-last': labels.at(-1)},
    el('thead', {role: 'rowgroup'}, head), body);
  const row = (...contents) => el('tr', {role: 'row'},
    ...contents.map((content, i) => el('td', {role: 'cell', 'data-label': labels[i]}, ...[content].flat())));
  return {root, body, row};
}

// ---- names

export const KINDS = ['lock', 'election', 'read-write', 'semaphore', 'once'];
export const KIND_WORDS = {lock: 'lock', election: 'election', 'read-write': 'read/write lock', semaphore: 'semaphore',
  once: 'work done once'};

export function lockHref(kind, name) {
  return `#/lock/${encodeURIComponent(kind)}/${encodeURIComponent(name.toWellFormed?.() ?? name)}`;
}

/** A name in a direction of its own, so that it cannot turn round the words beside it. */
export function bdi(value = '') {
  return el('bdi', {}, value);
}

export function lockLink(kind, name) {
  return el('a', {href: lockHref(kind, name)}, bdi(name));
}

/** Of everything that ties with others in these, `parts` in one string that no other parts have. */
export function keyOf(...parts) {
  return JSON.stringify(parts);
}

// ---- numbers and times

const grouped = new Intl.NumberFormat('en');

export function number(value) {
  return grouped.format(value ?? 0);
}

export function count(value, one, many = one + 's') {
  return `${number(value)} ${value === 1 ? one : many}`;
}

const two = value => String(value).padStart(2, '0');

export function duration(millis) {
  const ms = Math.max(0, millis);
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  return seconds(ms);
}

/** The same in whole seconds, for what moves. */
export function seconds(millis) {
  const s = Math.floor(Math.max(0, millis) / 1000);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${two(Math.floor(s % 3600 / 60))} min`;
  return `${Math.floor(s / 86_400)} d ${Math.floor(s % 86_400 / 3600)} h`;
}

const day = new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'short'});

export function minute(ms) {
  const date = new Date(ms);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `14:03:10`, and the day too if it is not today. */
export function clock(ms) {
  const date = new Date(ms);
  const time = `${minute(ms)}:${two(date.getSeconds())}`;
  return date.toDateString() === new Date(now()).toDateString() ? time : `${day.format(date)}, ${time}`;
}

export function ago(ms) {
  return ms === null || ms === undefined ? '' : seconds(now() - ms);
}

/** Whole minutes for the eye, to the second for those who point at it. */
export function timed(node, ms, words) {
  attr(node, 'title', ms ? clock(ms) : null);
  return text(node, ms ? words : '');
}

/** With a capital letter, and a full stop if it has no end. */
export function sentence(words) {
  return words.charAt(0).toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? '' : '.');
}

// ---- a pause

/** `paused until 14:03:10 by ops@web-1, pid 17: incident 4711`; empty if there is none. */
export function pauseWords(pause, left = '') {
  if (!pause) return '';
  return `paused until ${clock(pause.until)}${left} by ${pause.who}${pause.reason ? `: ${pause.reason}` : ''}`;
}

// ---- the bar of a term

/** What remains of a term, as a bar and in words; both move by themselves. */
export function term() {
  return el('span', {class: 'term'}, el('span', {class: 'term-bar'}, el('span', {class: 'term-left'})),
    el('span', {class: 'term-words'}));
}

export function setTerm(node, until, length) {
  attr(node, 'data-until', until);
  attr(node, 'data-length', length);
  move(node);
}

function move(node) {
  const until = Number(node.dataset.until ?? NaN);
  const left = until - now();
  const part = Math.min(1, Math.max(0, left / Number(node.dataset.length ?? NaN))) || 0;
  show(node.firstChild, !Number.isNaN(until) && Number(node.dataset.length) > 0);
  node.firstChild.firstChild.style.setProperty('transform', `scaleX(${part.toFixed(3)})`);
  text(node.lastChild, Number.isNaN(until) ? '' : left > 0 ? seconds(left) : 'over');
}

const still = matchMedia('(prefers-reduced-motion: reduce)');

/** About four times a second; for those who want no motion, every two seconds. What is not known any more stands still. */
function tick() {
  if (!stale()) document.querySelectorAll('.term[data-until]').forEach(move);
  setTimeout(() => requestAnimationFrame(tick), still.matches ? 2000 : 250);
}

requestAnimationFrame(tick);
