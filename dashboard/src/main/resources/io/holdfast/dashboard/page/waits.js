/** Who waits for whom: deadlocks and what breaks them, a graph, and the same as a list. */

import {follow, on} from './data.js';
import {KIND_WORDS, ago, attr, bdi, count, el, keyOf, list, lockHref, lockLink, number, plain, show, svg, text} from './dom.js';
import {actButton, mayAct} from './act.js';
import {NODE, layout} from './layout.js';

const ROUND = 10;

export function title() {
  return 'Who waits for whom';
}

export function mount(root) {
  const view = build(root);
  let graph = null;
  const draw = () => graph && drawAll(view, graph);
  const stop = follow(() => 'api/waits', answer => {
    graph = named(answer);
    draw();
  }, error => text(view.state, error.message));
  const off = on('session', draw);
  const size = new ResizeObserver(draw);
  size.observe(view.around);
  return () => {
    stop();
    off();
    size.disconnect();
  };
}

function build(root) {
  const view = {};
  view.state = el('p', {class: 'lead'}, 'The dashboard has not answered yet.');
  view.deadlocks = el('div', {class: 'breaks'});
  view.edges = svg('g');
  view.nodes = svg('g');
  view.image = svg('svg', {class: 'graph', role: 'group', 'aria-label': 'Graph of who waits for whom; the same follows as a list'},
    view.edges, view.nodes);
  view.around = el('div', {class: 'graph-around'}, view.image);
  view.legend = el('p', {class: 'legend'},
    'Round: a thread or another actor of a client. Cornered: a lock. A dashed arrow leads from whoever waits to the lock, '
    + 'a solid one from the lock to whoever holds it. Red and marked “deadlock”: a ring of waiting that nobody leaves by themselves. '
    + 'In turns, the holder of a lock is the thread that asked for it, also while another thread of its client works under it: a ring '
    + 'through such a holder may be none. A client that looks for deadlocks itself is certain.');
  view.list = el('ul', {class: 'plain waits'});
  view.more = el('p', {class: 'quiet'});
  root.append(el('h1', {tabindex: '-1'}, 'Who waits for whom'), view.state, view.deadlocks, view.around, view.legend,
    el('section', {'aria-labelledby': 'waits-list-title', class: 'as-list'},
      el('h2', {id: 'waits-list-title'}, 'As a list'), view.list, view.more));
  return view;
}

/** Nodes by what they are, not by the ids of one answer: so they stay the same ones in the next. */
function named({nodes, edges, deadlocks, more}) {
  const keys = new Map();
  const times = new Map();
  for (const node of nodes) {
    const key = node.type === 'lock' ? keyOf('lock', node.kind, node.name) : keyOf('actor', node.label, node.sub);
    times.set(key, (times.get(key) ?? 0) + 1);
    keys.set(node.id, times.get(key) > 1 ? `${key} ${times.get(key)}` : key);
  }
  const byKey = new Map(nodes.map(node => [keys.get(node.id), {...node, key: keys.get(node.id), first: node.deadlock}]));
  const known = edges.filter(({from, to}) => keys.has(from) && keys.has(to));
  return {byKey, edges: known.map(edge => ({...edge, from: keys.get(edge.from), to: keys.get(edge.to)})), deadlocks, more};
}

function drawAll(view, graph) {
  drawState(view, graph);
  drawDeadlocks(view, graph.deadlocks);
  drawGraph(view, graph);
  drawList(view, graph);
}

function drawState(view, {byKey, edges, deadlocks, more}) {
  const waiting = new Set(edges.filter(({type}) => type === 'waits').map(({from}) => from)).size;
  const some = byKey.size > 0;
  text(view.state, !some ? 'Nobody waits.'
    : `${count(waiting, 'actor waits', 'actors wait')}; ${deadlocks.length ? count(deadlocks.length, 'deadlock') : 'no deadlock'}.`);
  for (const node of [view.around, view.legend, view.list.parentNode]) show(node, some);
  show(view.more, more > 0);
  text(view.more, `${count(more, 'more lock')} with waiters ${more === 1 ? 'is' : 'are'} not shown here; see the overview.`);
}

// ---- deadlocks

function drawDeadlocks(view, deadlocks) {
  list(view.deadlocks, deadlocks, ({words}) => words, makeDeadlock, (node, {breaks}) => {
    const [, lead, items] = node.children;
    show(lead, breaks.length > 0);
    list(items, breaks, each => keyOf(each.words, each.act), makeBreak, patchBreak);
  });
}

function makeDeadlock({words}) {
  return el('section', {class: 'deadlock', 'data-id': words}, el('p', {}, el('strong', {}, 'Deadlock: '), words),
    el('p', {}, 'Any one of these would break it:'), el('ul'));
}

function makeBreak({words, act, gentlest}) {
  const item = el('li', {}, `${words} `, gentlest ? el('strong', {}, '(recommended: it has waited the shortest, and no holder loses anything) ') : '');
  if (act) {
    const button = actButton(act.act, () => ({who: whoOf(act), words, body: act}), 'Do this');
    attr(button, 'aria-label', `Do this: ${words}`);
    item.append(button);
  }
  return item;
}

function patchBreak(node) {
  const button = node.querySelector('button');
  if (button) show(button, mayAct());
}

/** The sentence before already says of whom. */
function whoOf({act}) {
  return act === 'drop' ? 'this waiter' : 'this holder';
}

// ---- the graph

function drawGraph(view, graph) {
  const room = view.around.clientWidth;
  if (!room) return; // narrow screens have the list only
  const shape = keyOf(room, [...graph.byKey.values()].map(({key, first}) => [key, first]),
    graph.edges.map(({from, to}) => [from, to]));
  if (shape !== view.shape) {
    view.shape = shape;
    view.placed = layout([...graph.byKey.values()], graph.edges, room - 4);
  }
  const {places, routes, keys, width, height} = view.placed;
  // A ring is as wide as it is long: drawn smaller, as long as it can be read, and to be scrolled beyond that.
  const scale = Math.max(SMALLEST, Math.min(1, room / (width + 4)));
  attr(view.image, 'width', Math.floor((Math.ceil(width) + 4) * scale));
  attr(view.image, 'height', Math.ceil((Math.ceil(height) + 4) * scale));
  attr(view.image, 'viewBox', `-2 -2 ${Math.ceil(width) + 4} ${Math.ceil(height) + 4}`);
  const sentences = relations(graph);
  list(view.nodes, keys.map(key => graph.byKey.get(key)), ({key}) => key, makeNode,
    (group, node) => patchNode(group, node, places.get(node.key), sentences.get(node.key)));
  list(view.edges, graph.edges.map((edge, i) => ({...edge, points: routes[i]})), ({from, to}) => keyOf(from, to),
    () => svg('g', {}, svg('path', {class: 'line'}), svg('path', {class: 'tip'})), patchEdge);
}

function makeNode({type, kind, name, key}) {
  const parts = [svg('title'), svg('path', {class: 'shape'}), svg('text', {class: 'label', x: 14, y: 19}),
    svg('text', {class: 'sub', x: 14, y: 36})];
  return type === 'lock' ? svg('a', {href: lockHref(kind, name), class: 'node lock', 'data-id': key}, ...parts)
    : svg('g', {class: 'node actor', tabindex: '0', role: 'img', 'data-id': key}, ...parts);
}

function patchNode(group, node, place, sentence) {
  const [name, shape, label, sub] = group.children;
  attr(group, 'transform', `translate(${Math.round(place.x)} ${Math.round(place.y)})`);
  attr(group, 'data-deadlock', node.deadlock);
  attr(group, 'data-state', node.state);
  attr(shape, 'd', node.type === 'lock' ? CORNERED : ROUNDED);
  const below = [node.type === 'lock' ? KIND_WORDS[node.kind] ?? node.sub : node.sub,
    node.state && node.state !== 'alive' ? node.state : '', node.deadlock ? 'deadlock' : ''].filter(Boolean);
  text(label, fit(node.label, '600 13px'));
  text(sub, fitLast(below));
  attr(group, 'aria-label', sentence);
  text(name, sentence);
}

const {width: W, height: H} = NODE;
const CUT = 9;
const SMALLEST = 0.62;
const CORNERED = `M${CUT} 0H${W - CUT}L${W} ${CUT}V${H - CUT}L${W - CUT} ${H}H${CUT}L0 ${H - CUT}V${CUT}Z`;
const ROUNDED = `M${H / 2} 0H${W - H / 2}a${H / 2} ${H / 2} 0 0 1 0 ${H}H${H / 2}a${H / 2} ${H / 2} 0 0 1 0 -${H}Z`;

const pen = document.createElement('canvas').getContext('2d');
const fitted = new Map();

/** The beginning and the end of what is too wide: names mostly differ at their ends. */
function fit(given, font, room = W - 28) {
  const words = plain(given);
  const key = `${font} ${room} ${words}`;
  if (fitted.has(key)) return fitted.get(key);
  if (fitted.size > 4000) fitted.clear();
  pen.font = `${font} system-ui, sans-serif`;
  const letters = Array.from(words.slice(0, 400));
  let kept = letters.length;
  let short = words;
  while (kept > 2 && (short.length > 400 || pen.measureText(short).width > room)) {
    kept = kept > 60 ? 60 : kept - 1;
    const all = Array.from(words.slice(-400));
    short = letters.slice(0, Math.ceil(kept / 2)).join('') + '…' + all.slice(-Math.floor(kept / 2)).join('');
  }
  fitted.set(key, short);
  return short;
}

/** The first part gives way to the marks after it. */
function fitLast([first, ...marks]) {
  const rest = marks.map(mark => ` · ${mark}`).join('');
  pen.font = '600 12px system-ui, sans-serif'; // the wider of two
  const room = W - 28 - pen.measureText(rest).width;
  return room < 40 && rest ? rest.slice(3) : fit(first ?? '', '600 12px', room) + rest;
}

function patchEdge(group, {type, deadlock, points}) {
  const [line, tip] = group.children;
  attr(group, 'class', `edge ${type}`);
  attr(group, 'data-deadlock', deadlock);
  attr(line, 'd', curve(points));
  const [before, end] = points.slice(-2);
  const back = end.x > before.x ? -7 : 7;
  attr(tip, 'd', `M${end.x} ${end.y}l${back} -4v8Z`);
}

function curve(points) {
  let d = `M${points[0].x} ${round(points[0].y)}`;
  for (let i = 1; i < points.length; i++) {
    const [from, to] = [points[i - 1], points[i]];
    const middle = round((from.x + to.x) / 2);
    d += from.y === to.y ? `H${to.x}` : `C${middle} ${round(from.y)} ${middle} ${round(to.y)} ${to.x} ${round(to.y)}`;
  }
  return d;
}

function round(value) {
  return Math.round(value * ROUND) / ROUND;
}

// ---- in words

function nameOf({type, label, sub, kind, name}) {
  return type === 'lock' ? `${KIND_WORDS[kind] ?? kind} ${name}` : [label, sub].filter(Boolean).join(', ');
}

/** For each node, what it has to do with the others. */
function relations({byKey, edges}) {
  const parts = new Map([...byKey.keys()].map(key => [key, {waits: [], held: [], waitedFor: [], holds: []}]));
  for (const {from, to, type} of edges) {
    parts.get(from)[type === 'waits' ? 'waits' : 'held'].push(nameOf(byKey.get(to)));
    parts.get(to)[type === 'waits' ? 'waitedFor' : 'holds'].push(nameOf(byKey.get(from)));
  }
  return new Map([...parts].map(([key, {waits, held, waitedFor, holds}]) => {
    const node = byKey.get(key);
    const says = [nameOf(node), node.state && node.state !== 'alive' ? node.state : '', node.deadlock ? 'in a deadlock' : '',
      some('holds', holds), some('waits for', waits), some('held by', held), some('waited for by', waitedFor)];
    return [key, says.filter(Boolean).join('; ')];
  }));
}

function some(verb, names) {
  if (!names.length) return '';
  return `${verb} ${names.slice(0, 3).join(' and ')}${names.length > 3 ? ` and ${number(names.length - 3)} more` : ''}`;
}

// ---- the list

function drawList(view, {byKey, edges}) {
  const locks = [...byKey.values()].filter(({type}) => type === 'lock')
    .sort((a, b) => Number(b.deadlock) - Number(a.deadlock) || (a.key < b.key ? -1 : 1))
    .map(lock => ({
      ...lock,
      holders: edges.filter(({type, from}) => type === 'held' && from === lock.key).map(edge => ({...edge, node: byKey.get(edge.to)})),
      waiters: edges.filter(({type, to}) => type === 'waits' && to === lock.key).map(edge => ({...edge, node: byKey.get(edge.from)})),
    }));
  list(view.list, locks, ({key}) => key, makeItem, patchItem);
}

function makeItem({key, kind, name}) {
  return el('li', {'data-id': key},
    el('p', {}, lockLink(kind, name), kind === 'lock' ? '' : ` (${KIND_WORDS[kind] ?? kind})`, el('span', {class: 'mark'})),
    el('ul', {class: 'actors'}));
}

function patchItem(node, {deadlock, holders, waiters}) {
  const [head, actors] = node.children;
  text(head.querySelector('.mark'), deadlock ? ' deadlock' : '');
  attr(node, 'data-deadlock', deadlock);
  list(actors, [...holders, ...waiters.sort((a, b) => a.since - b.since)], ({type, node: {key}}) => keyOf(type, key),
    () => el('li', {}, el('span'), bdi(), el('span', {class: 'quiet'})), patchActor);
}

function patchActor(item, {type, since, node}) {
  const [verb, who, rest] = item.children;
  text(verb, type === 'held' ? 'held by ' : 'waited for by ');
  text(who, nameOf(node));
  text(rest, [since ? ` for ${ago(since)}` : '', node.state && node.state !== 'alive' ? `, ${node.state}` : ''].join(''));
}
