/** All locks, live: totals, the most waited for, and a table of which only the visible rows are in the document. */

import {asked, askedOf, listed, note} from './address.js';
import {csvButton} from './csv.js';
import {follow, known, now, on} from './data.js';
import {KINDS, KIND_WORDS, ago, attr, bdi, count, el, list, lockHref, minute, number, pauseWords, perFrame, setTerm, show, svg, term,
  text, timed} from './dom.js';

/** Each with where it is told in full. */
const TOTALS = [
  ['held', 'Held', '#/?state=held&sort=since'], ['waiting', 'Waiting', '#/?state=waited&sort=waiters&down=yes'],
  ['behindDead', 'Queued behind dead clients', '#/?state=dead'], ['deadlocks', 'Deadlocks', '#/waits'],
  ['acquired', 'Acquired', '#/events?type=acquired', true], ['lost', 'Lost', '#/events?type=expired', true],
  ['refused', 'Refused', '#/events?type=left', true],
];
const TREND = {width: 88, height: 18};
const STATES = [
  ['all', 'in any state', () => true],
  ['held', 'held', row => row.holders > 0 && !row.resting],
  ['waited', 'with waiters', row => row.waiters > 0],
  ['dead', 'with a client that does not listen', row => row.alive === false || row.dead > 0],
  ['deadlock', 'in a deadlock', row => row.deadlock],
  ['resting', 'resting', row => row.resting && !row.done],
  ['paused', 'paused', row => row.pause !== null],
  ['done', 'done', row => row.done],
];
const COLUMNS = [
  ['name', 'Name', sortName],
  ['kind', 'Kind', row => row.kind],
  ['holder', 'Holder', row => row.holder?.toLowerCase()],
  ['since', 'Held for', row => row.since],
  ['until', 'Lease left', row => row.until],
  ['waiters', 'Waiting', row => row.waiters],
  ['firstWaits', 'First waits for', row => row.firstWaits],
];
const date = ms => (ms ? new Date(ms).toISOString() : null);
/** What is saved of each row. */
const SAVED = [
  ['name', row => row.name], ['kind', row => row.kind], ['holder', row => row.holder], ['holders', row => row.holders],
  ['held since', row => date(row.since)], ['lease until', row => date(row.until)], ['waiting', row => row.waiters],
  ['first waits since', row => date(row.firstWaits)], ['permits out', row => row.used], ['permits', row => row.limit],
  ['deadlock', row => (row.deadlock ? 'yes' : null)], ['paused', row => row.pause && pauseWords(row.pause)],
];
const BESIDE = 8; // rows beside the visible ones, so that the one to go to with Tab or an arrow is there
const MOST = 6;

/** What was looked for stays when one comes back from a lock, unless the address says otherwise. */
const wanted = {name: '', kinds: new Set(KINDS), state: 'all', sort: 'name', down: false, scrolled: 0};

function readAddress() {
  const given = asked();
  if (!given.size) return;
  const of = (name, known, otherwise) => (known.some(([each]) => each === given.get(name)) ? given.get(name) : otherwise);
  Object.assign(wanted, {
    name: given.get('name') ?? '',
    kinds: new Set(askedOf('kinds', KINDS)),
    state: of('state', STATES, 'all'),
    sort: of('sort', COLUMNS, 'name'),
    down: given.get('down') === 'yes',
    scrolled: 0,
  });
}

function writeAddress() {
  const {name, kinds, state, sort, down} = wanted;
  note({
    name: name.trim(),
    kinds: listed([...kinds], KINDS),
    state: state === 'all' ? '' : state,
    sort: sort === 'name' && !down ? '' : sort,
    down: down ? 'yes' : '',
  });
}

export function title() {
  return 'Overview';
}

export function mount(root) {
  readAddress();
  writeAddress();
  let rows = [];
  const view = build(root, () => rows);
  let fresh = false;
  const paint = () => {
    if (!fresh) rows = select();
    fresh = true;
    drawTotals(view);
    drawMost(view);
    drawTable(view, rows);
  };
  const draw = perFrame(paint);
  const again = () => {
    fresh = false;
    draw();
  };
  const scrolled = () => {
    wanted.scrolled = window.scrollY;
    draw();
  };
  const place = wanted.scrolled;
  if (known.picture !== null) {
    paint();
    window.scrollTo(0, place);
  }
  listen(view, again, paint, () => rows);
  const offs = [on('picture', again), on('session', draw), follow(() => 'api/trends', trends => drawTrends(view, trends))];
  window.addEventListener('scroll', scrolled, {passive: true});
  const size = new ResizeObserver(draw);
  size.observe(view.table);

  return () => {
    window.removeEventListener('scroll', scrolled);
    size.disconnect();
    draw.stop();
    offs.forEach(off => off());
  };
}

// ---- what is there

function build(root, rows) {
  const view = {totals: new Map()};
  root.append(el('h1', {tabindex: '-1'}, 'Overview'), totals(view), most(view), all(view, rows));
  return view;
}

function totals(view) {
  const items = TOTALS.map(([name, label, href, lately]) => {
    const words = el('dt', {}, label);
    const value = el('a', {href}, '–');
    const line = svg('path');
    const trend = svg('svg', {class: 'trend', 'aria-hidden': 'true', viewBox: `0 0 ${TREND.width} ${TREND.height}`, hidden: true, ...TREND},
      svg('title'), line);
    view.totals.set(name, {words, value, label, lately, line});
    return el('div', {class: 'total'}, words, el('dd', {'data-total': name}, value, trend));
  });
  return el('dl', {class: 'totals', 'aria-label': 'Totals'}, ...items);
}

function most(view) {
  view.most = el('ol', {class: 'most', id: 'most'});
  view.nobody = el('p', {class: 'quiet'}, 'Nobody waits.');
  return el('section', {'aria-labelledby': 'most-title'},
    el('h2', {id: 'most-title'}, 'Most waited for'), view.most, view.nobody);
}

function all(view, rows) {
  view.count = el('p', {class: 'count'});
  view.none = el('p', {class: 'quiet', hidden: true});
  return el('section', {'aria-labelledby': 'all-title'},
    el('div', {class: 'above'}, el('h2', {id: 'all-title'}, 'All locks'), view.count,
      csvButton('locks', SAVED.map(([name]) => name), () => rows().map(row => SAVED.map(([, value]) => value(row))))),
    filters(view), grid(view), view.none);
}

function filters(view) {
  view.search = el('input', {type: 'search', id: 'search', autocomplete: 'off', spellcheck: 'false', dir: 'auto', value: wanted.name});
  view.state = el('select', {id: 'state'},
    ...STATES.map(([name, label]) => el('option', {value: name, selected: name === wanted.state}, label)));
  view.kinds = KINDS.map(kind => el('input', {type: 'checkbox', value: kind, checked: wanted.kinds.has(kind)}));
  return el('form', {class: 'filters', role: 'search', submit: event => event.preventDefault()},
    el('label', {for: 'search'}, 'Name contains'), view.search,
    el('fieldset', {}, el('legend', {class: 'heard'}, 'Kinds'),
      ...view.kinds.map(box => el('label', {class: 'check'}, box, KIND_WORDS[box.value]))),
    el('label', {for: 'state', class: 'heard'}, 'State'), view.state);
}

function grid(view) {
  view.sorts = COLUMNS.map(([name, label]) => el('span', {role: 'columnheader', class: `c-${name}`},
    el('button', {type: 'button', 'data-sort': name}, label)));
  view.body = el('div', {role: 'rowgroup', class: 'rows'});
  view.probe = el('div', {class: 'probe', 'aria-hidden': 'true'});
  view.table = el('div', {role: 'table', class: 'grid', 'aria-labelledby': 'all-title', id: 'locks'},
    el('div', {role: 'rowgroup', class: 'head'}, el('div', {role: 'row', class: 'cells', 'aria-rowindex': '1'}, ...view.sorts)),
    view.body);
  return el('div', {class: 'around'}, view.probe, view.table);
}

// ---- what is looked for

function listen(view, again, paint, rows) {
  let pause = 0;
  const changed = () => {
    writeAddress();
    again();
    clearTimeout(pause);
    pause = setTimeout(() => text(document.getElementById('summary'), `${count(rows().length, 'lock')} found`), 800);
  };
  view.search.addEventListener('input', () => {
    wanted.name = view.search.value;
    changed();
  });
  view.state.addEventListener('change', () => {
    wanted.state = view.state.value;
    changed();
  });
  for (const box of view.kinds) {
    box.addEventListener('change', () => {
      if (box.checked) wanted.kinds.add(box.value);
      else wanted.kinds.delete(box.value);
      changed();
    });
  }
  view.table.addEventListener('click', event => {
    const name = event.target.closest('[data-sort]')?.dataset.sort;
    if (!name) return;
    // Numbers are mostly looked at from the largest down, names from the first up.
    wanted.down = wanted.sort === name ? !wanted.down : name === 'waiters';
    wanted.sort = name;
    writeAddress();
    again();
  });
  view.body.addEventListener('keydown', event => walk(event, view, rows(), paint));
}

/** Digits are padded, so that `job-9` comes before `job-10` in a plain comparison; made once for each row. */
function sortName(row) {
  row.sortName ??= row.name.toLowerCase().replace(/\d{1,12}/g, digits => digits.padStart(12, '0'));
  return row.sortName;
}

function select() {
  const part = wanted.name.trim().toLowerCase();
  const [, , fits] = STATES.find(([name]) => name === wanted.state);
  const rows = [];
  for (const row of known.rows.values()) {
    if (wanted.kinds.has(row.kind) && fits(row) && (!part || row.name.toLowerCase().includes(part))) rows.push(row);
  }
  const [, , key] = COLUMNS.find(([name]) => name === wanted.sort);
  return rows.sort((a, b) => compare(key(a), key(b), wanted.down) || compare(sortName(a), sortName(b), false)
    || compare(a.id, b.id, false));
}

/** What is missing comes last, whichever way is up. */
function compare(a, b, down) {
  if (a === b) return 0;
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
  if (b === null || b === undefined) return -1;
  return (a < b) === down ? 1 : -1;
}

// ---- drawing

function drawTotals(view) {
  const since = known.session?.since;
  const sinceWhen = since && now() - since < 3_600_000 ? `since ${minute(since)}` : 'in the last hour';
  for (const [name, {words, value, label, lately}] of view.totals) {
    text(words, lately ? `${label} ${sinceWhen}` : label);
    text(value, known.totals ? number(known.totals[name]) : '–');
    attr(value.closest('.total'), 'data-some', Boolean(known.totals?.[name]));
  }
}

/** The last hour, a minute a step: how many there were at most, or how often it happened. */
function drawTrends(view, trends) {
  for (const [name, {line}] of view.totals) {
    const values = trends[name] ?? []; // of some there is none
    const seen = values.filter(value => value !== null).length;
    attr(line.ownerSVGElement, 'hidden', seen < 2 || !values.some(value => value));
    const most = Math.max(1, ...values);
    const step = TREND.width / values.length;
    let d = '';
    values.forEach((value, i) => {
      if (value === null) return;
      const y = Math.round((1 + (TREND.height - 2) * (1 - value / most)) * 10) / 10;
      d += `${d && values[i - 1] !== null ? 'V' : `M${Math.round(i * step * 10) / 10} `}${y}H${Math.round((i + 1) * step * 10) / 10}`;
    });
    attr(line, 'd', d);
    text(line.previousSibling, `The last hour, by minutes: ${number(most)} at most`);
  }
}

function drawMost(view) {
  const top = mostWaited();
  show(view.most, top.length > 0);
  show(view.nobody, top.length === 0 && known.picture !== null);
  list(view.most, top, row => row.id, makeMost, (node, row) => patchMost(node, row, top[0].waiters));
}

/** The first few of many, without sorting all of them. */
function mostWaited() {
  const top = [];
  for (const row of known.rows.values()) {
    if (!row.waiters || (top.length === MOST && !ahead(row, top[MOST - 1]))) continue;
    let place = top.length;
    while (place > 0 && ahead(row, top[place - 1])) place--;
    top.splice(place, 0, row);
    if (top.length > MOST) top.pop();
  }
  return top;
}

function ahead(a, b) {
  return a.waiters > b.waiters || (a.waiters === b.waiters && sortName(a) < sortName(b));
}

function makeMost(row) {
  return el('li', {'data-id': row.id}, el('a', {href: lockHref(row.kind, row.name)}, bdi(row.name)),
    el('span', {class: 'amount'}, el('span')), el('span', {class: 'words'}));
}

function patchMost(node, row, largest) {
  const [, amount, words] = node.children;
  amount.firstChild.style.setProperty('transform', `scaleX(${(row.waiters / largest).toFixed(3)})`);
  const first = row.firstWaits ? `, the first for ${ago(row.firstWaits)}` : '';
  text(words, `${number(row.waiters)} waiting${first}${row.deadlock ? '; deadlock' : ''}`);
  attr(node, 'data-deadlock', row.deadlock);
}

function drawTable(view, rows) {
  const height = view.probe.offsetHeight || 34;
  const [from, to] = visible(view.body, rows.length, height);
  text(view.count, (rows.length === known.rows.size ? count(rows.length, 'lock')
    : `${number(rows.length)} of ${count(known.rows.size, 'lock')}`) + (known.totals?.more ? '; there are more' : ''));
  attr(view.table, 'aria-rowcount', rows.length + 1);
  view.body.style.setProperty('height', `${rows.length * height}px`);
  for (const header of view.sorts) {
    const sorted = header.firstChild.dataset.sort === wanted.sort;
    attr(header, 'aria-sort', sorted ? wanted.down ? 'descending' : 'ascending' : null);
  }
  drawRows(view, rows, from, to, height);
  show(view.none, rows.length === 0);
  text(view.none, known.picture === null ? 'The dashboard has reported nothing yet.'
    : known.rows.size ? 'No lock fits the filters.' : 'No lock is held, and nobody waits for one.');
}

function visible(body, length, height) {
  const top = body.getBoundingClientRect().top;
  const from = Math.floor(-top / height) - BESIDE;
  const to = Math.ceil((window.innerHeight - top) / height) + BESIDE;
  return [Math.min(length, Math.max(0, from)), Math.min(length, Math.max(0, to))];
}

function drawRows(view, rows, from, to, height) {
  const places = new Map();
  for (let i = from; i < to; i++) places.set(rows[i].id, i);
  keepFocused(view, rows, places);
  const items = [...places].sort(([, a], [, b]) => a - b).map(([, i]) => rows[i]);
  list(view.body, items, row => row.id, makeRow, (node, row) => patchRow(node, row, places.get(row.id), height));
}

/** The row that has the focus stays in the document also where it is scrolled out of sight. */
function keepFocused(view, rows, places) {
  const id = view.body.contains(document.activeElement) ? document.activeElement.closest('[data-id]')?.dataset.id : null;
  if (!id || places.has(id)) return;
  const place = rows.findIndex(row => row.id === id);
  if (place >= 0) places.set(id, place);
}

function makeRow(row) {
  const cell = (name, ...children) => el('span', {role: 'cell', class: `c-${name}`}, ...children);
  return el('div', {role: 'row', class: 'cells row', 'data-id': row.id},
    cell('name', el('a', {href: lockHref(row.kind, row.name), title: row.name}, bdi(row.name)), el('span', {class: 'mark'})),
    cell('kind', row.kind === 'read-write' ? 'read/write' : row.kind),
    cell('holder', el('span', {class: 'quiet'}), bdi(), el('span', {class: 'others'}), el('span', {class: 'mark'}),
      el('bdi', {class: 'pause'})),
    cell('since'), cell('until', term()), cell('waiters', el('span'), el('span', {class: 'mark'})), cell('firstWaits'));
}

/** Marks begin with a space, for those who hear the cell. */
function patchRow(node, row, place, height) {
  const [name, , holder, since, until, waiters, first] = node.children;
  attr(node, 'aria-rowindex', place + 2);
  const shift = `translateY(${place * height}px)`;
  if (node.style.transform !== shift) node.style.setProperty('transform', shift);
  attr(node, 'data-odd', place % 2 === 1);
  attr(node, 'data-free', row.holders === 0);
  text(name.lastChild, row.deadlock ? ' deadlock' : '');
  patchHolder(holder, row);
  timed(since, row.since, ago(row.since));
  setTerm(until.firstChild, row.until, row.term);
  text(waiters.firstChild, row.waiters ? number(row.waiters) : '');
  text(waiters.lastChild, row.dead ? ` ${number(row.dead)} dead` : '');
  timed(first, row.firstWaits, ago(row.firstWaits));
}

function patchHolder(node, row) {
  const [before, name, others, mark, pause] = node.children;
  const paused = pauseWords(row.pause);
  text(before, holderPrefix(row));
  text(name, row.holder);
  attr(node, 'title', [row.holder, paused].filter(Boolean).join('; '));
  text(others, row.holders > 1 ? ` and ${number(row.holders - 1)} more` : '');
  text(mark, row.alive === false && row.holders && !row.resting ? ' does not listen' : '');
  text(pause, paused && (before.textContent || row.holder) ? `; ${paused}` : paused);
}

function holderPrefix(row) {
  if (row.done) return 'done by ';
  if (row.resting) return row.holder ? 'rests after ' : 'rests';
  const permits = row.kind !== 'semaphore' ? ''
    : row.limit === null ? count(row.used, 'permit') : `${number(row.used)} of ${count(row.limit, 'permit')}`;
  if (permits) return row.holder ? `${permits}: ` : permits;
  return row.holders || row.pause ? '' : row.kind === 'once' ? 'not begun' : 'free';
}

// ---- keys

/** Arrows go from row to row, also to such as are not in the document yet. */
function walk(event, view, rows, paint) {
  const row = event.target.closest('[data-id]');
  const place = rows.findIndex(each => each.id === row?.dataset.id);
  if (place < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
  const page = Math.max(1, Math.floor(window.innerHeight / view.probe.offsetHeight) - 3);
  const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length};
  const step = steps[event.key];
  if (!step) return;
  event.preventDefault();
  goTo(view, rows, Math.min(rows.length - 1, Math.max(0, place + step)), paint);
}

function goTo(view, rows, place, paint) {
  const height = view.probe.offsetHeight;
  const top = view.body.getBoundingClientRect().top + place * height;
  const head = view.body.previousSibling.offsetHeight;
  if (top < head) window.scrollBy(0, top - head - height);
  else if (top + height > window.innerHeight - height) window.scrollBy(0, top + 2 * height - window.innerHeight);
  paint();
  view.body.querySelector(`[data-id="${CSS.escape(rows[place].id)}"] a`)?.focus({preventScroll: true});
}
