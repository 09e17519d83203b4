/** One lock: who has it, who waits, why, and its last hour. */

import {follow, now, on} from './data.js';
import {KINDS, KIND_WORDS, ago, attr, bdi, clock, count, duration, el, list, number, pauseWords, seconds, sentence, setTerm, show,
  table, term, text, timed} from './dom.js';
import {actButton, labelOf, mayAct} from './act.js';
import {drawPlot, plot} from './plot.js';

const MODES = {exclusive: 'alone', read: 'reads', write: 'writes', permits: 'permits'};
const STATES = {
  here: 'waits',
  away: 'away: its client does not listen; keeps its position',
  suspect: 'suspect: did not take up the lock; keeps its position',
  gone: 'gone: is removed when it is met',
};

export function title({kind, name}) {
  return `${name} (${KIND_WORDS[kind] ?? kind})`;
}

export function mount(root, params) {
  const view = build(root, params);
  const path = () => `api/lock?kind=${encodeURIComponent(params.kind)}&name=${encodeURIComponent(params.name)}`;
  let last = null;
  const draw = answer => {
    last = answer;
    drawLock(view, answer);
  };
  const stop = follow(path, draw, error => fail(view, error));
  // Whether acts are allowed may be known only after the lock is.
  const off = on('session', () => last && drawLock(view, last));
  const size = new ResizeObserver(() => last && drawPlot(view.plot, last.history));
  size.observe(view.plot.root);
  return () => {
    stop();
    off();
    size.disconnect();
  };
}

// ---- what is there

function build(root, {kind, name}) {
  const view = {kind, name};
  view.error = el('p', {class: 'bad', role: 'alert', hidden: true});
  view.deadlocks = el('ul', {class: 'plain deadlocks'});
  view.sentence = el('p', {class: 'lead', id: 'why'}, 'The dashboard has not answered yet.');
  view.ways = el('ul', {class: 'ways'});
  view.facts = el('p', {class: 'facts'});
  view.counted = el('p', {class: 'facts', id: 'counted'});
  view.pause = el('bdi');
  view.pauseLine = el('p', {class: 'limit', id: 'pause', hidden: true}, view.pause);
  view.acts = el('p', {class: 'of-lock', hidden: true},
    actButton('pause', () => ({as: view.pauses ? 'change' : 'pause', body: {act: 'pause', kind, name}})),
    actButton('resume', () => ({body: {act: 'resume', kind, name}})));
  view.plot = plot();
  root.append(
    el('p', {class: 'trail'}, el('a', {href: '#/'}, 'Overview'), ` / ${KIND_WORDS[kind] ?? kind}`),
    el('h1', {tabindex: '-1', class: 'name', 'data-long': name.length > 80}, bdi(name)),
    view.error, view.deadlocks, view.sentence, view.pauseLine, view.facts, view.acts,
    section('ways-title', '', view.ways),
    holders(view), queue(view), section('hour-title', 'The last hour', view.plot.root, view.counted));
  view.waysSection = view.ways.parentNode;
  show(view.waysSection, false);
  return view;
}

function section(id, name, ...children) {
  return el('section', {'aria-labelledby': id}, el('h2', {id}, name), ...children);
}

/** Work that is done once: nobody holds that, but is at it, or has done it. */
function isWork({kind}) {
  return kind === 'once';
}

function holders(view) {
  view.shares = isWork(view) ? table('By whom', ['By', 'How', 'Since', 'Time left', 'Token', 'Metadata', 'Acts'])
    : table('Holders', ['Holder', 'How', 'Held for', 'Lease left', 'Token', 'Metadata', 'Acts']);
  view.nobody = el('p', {class: 'quiet'}, 'Nobody.');
  view.limit = el('p', {class: 'limit'});
  const whole = section('shares-title', sharesTitle(view, []), view.limit, view.shares.root, view.nobody);
  view.sharesTitle = whole.firstChild;
  return whole;
}

function queue(view) {
  view.queue = table('Queue', ['Position', 'Waiter', 'Wants', 'Waits for', 'State', 'Metadata', 'Acts']);
  view.empty = el('p', {class: 'quiet'}, 'Nobody waits.');
  view.more = el('p', {class: 'quiet'});
  return section('queue-title', 'Queue', view.queue.root, view.empty, view.more);
}

// ---- drawing

function fail(view, error) {
  show(view.error, true);
  text(view.error, error.status === 400 && !KINDS.includes(view.kind) ? `There is no kind of lock “${view.kind}”.` : error.message);
}

function drawLock(view, answer) {
  show(view.error, false);
  list(view.deadlocks, answer.deadlocks, words => words, () => el('li', {}, el('strong', {}, 'Deadlock: '), el('span')),
    (node, words) => text(node.lastChild, words));
  text(view.sentence, answer.why.sentence);
  list(view.ways, answer.why.ways, way => way.by + way.words, () => el('li', {}, el('span'), el('span', {class: 'when'})), patchWay);
  text(view.waysSection.firstChild, answer.why.title);
  show(view.waysSection, answer.why.ways.length > 0);
  text(view.facts, facts(answer));
  drawPause(view, answer.row);
  text(view.counted, counted(answer.figures));
  drawHolders(view, answer);
  drawQueue(view, answer);
  drawPlot(view.plot, answer.history);
}

function drawPause(view, {pause}) {
  view.pauses = pause !== null;
  show(view.pauseLine, view.pauses);
  text(view.pause, pause ? sentence(pauseWords(pause, `, for another ${seconds(pause.until - now())},`)) : '');
  const [begin, end] = view.acts.children;
  // Else the focus would go nowhere, with the button that had it.
  if (!pause && document.activeElement === end) begin.focus({preventScroll: true});
  text(begin, labelOf(pause ? 'change' : 'pause'));
  show(end, view.pauses);
  show(view.acts, mayAct());
}

function patchWay(node, way) {
  attr(node, 'data-by', way.by);
  text(node.firstChild, way.words);
  text(node.lastChild, way.at ? ` (${clock(way.at)})` : '');
}

function facts({row, shares}) {
  const facts = [];
  if (row.kind === 'semaphore') {
    facts.push(row.limit === null ? `${count(row.used, 'permit')} out` : `${number(row.used)} of ${count(row.limit, 'permit')} out`);
  }
  if (row.kind === 'read-write') {
    const readers = shares.filter(share => share.mode === 'read').length;
    if (readers) facts.push(count(readers, 'reader'));
    if (shares.some(share => share.mode === 'write')) facts.push('one writer');
  }
  if (row.waiters) facts.push(`${number(row.waiters)} waiting`);
  if (row.dead) facts.push(`${number(row.dead)} of them suspect or gone`);
  return facts.join(' · ');
}

/** What clients have counted since they began: exact, also of what is over within a moment. */
function counted({waits, holds, handoffs, timedOut, refused, lost, answered, givenUp}) {
  if (!waits.count && !timedOut && !refused && !answered && !givenUp) return 'Its clients have counted nothing yet.';
  return 'Counted by its clients since they began: ' + [
    `${count(waits.count, 'wait')} that ended with the lock${times(waits)}`,
    count(handoffs, 'handoff'),
    `${count(holds.count, 'hold')} that are over${times(holds)}`,
    `${number(lost)} lost`, `${number(timedOut)} timed out`, `${number(refused)} refused`,
    ...(answered ? [`${number(answered)} answered with the record`] : []),
    ...(givenUp ? [`${number(givenUp)} told that it was given up`] : []),
  ].join('; ') + '.';
}

function times({count: some, mean, longest, most}) {
  return some ? `, ${fine(mean)} in the mean, 95 of 100 within ${fine(most)}, the longest ${fine(longest)}` : '';
}

function fine(ms) {
  return ms < 10 ? `${ms.toFixed(2)} ms` : duration(ms);
}

function drawHolders(view, {shares, limit}) {
  const {root, body, row} = view.shares;
  text(view.sharesTitle, sharesTitle(view, shares));
  attr(root, 'data-acts', mayAct());
  list(body, shares, share => share.owner + share.token, share => makeShare(row, view, share), patchShare);
  show(root, shares.length > 0);
  show(view.nobody, shares.length === 0);
  show(view.limit, Boolean(limit));
  if (limit) {
    text(view.limit, `An operator (${limit.who}) lets no more than ${count(limit.permits, 'permit')} out until ${clock(limit.until)}.`);
  }
}

function sharesTitle(view, shares) {
  if (shares.length > 1) return `Held by ${number(shares.length)}`;
  const [share] = shares;
  if (share?.done) return 'Done by';
  if (share?.resting) return 'Rests';
  return isWork(view) ? 'Being done by' : 'Held by';
}

const latest = new WeakMap(); // what a row stands for now

function makeShare(row, view, share) {
  const act = name => actButton(name, () => {
    const {token, owner, who, done} = latest.get(node);
    return {who, as: done ? 'forget' : name, body: {act: name, kind: view.kind, name: view.name, token, owner}};
  });
  const node = row([bdi(), el('span', {class: 'note'})], el('span'), el('span'), term(),
    el('code', {class: 'token'}), metadata(), [act('release'), act('extend')]);
  attr(node, 'data-id', share.owner);
  return node;
}

function permits({permits, slots}) {
  return count(permits, 'permit') + (slots.length > 0 ? `, slot${slots.length > 1 ? 's' : ''} ${slots.join(' ')}` : '');
}

function patchShare(node, share) {
  latest.set(node, share);
  const [who, how, since, left, token, meta, acts] = node.children;
  text(who.firstChild, share.who);
  text(who.lastChild, notes(share));
  attr(who.lastChild, 'data-tone', share.alive === false ? 'bad' : null);
  text(how.firstChild, share.done ? 'done' : share.mode === 'permits' ? permits(share)
    : MODES[share.mode] ?? share.mode);
  timed(since.firstChild, share.since, share.done ? `${ago(share.since)} ago, at ${clock(share.since)}`
    : `${ago(share.since)}, since ${clock(share.since)}`);
  setTerm(left.firstChild, share.until, share.term);
  text(token.firstChild, share.token);
  drawMetadata(meta.firstChild, share.metadata);
  text(acts.firstChild, labelOf(share.done ? 'forget' : 'release'));
  for (const button of acts.children) {
    show(button, mayAct() && !(share.resting && button.dataset.act === 'extend'));
    attr(button, 'aria-label', `${button.textContent}: ${share.who}`);
  }
}

function notes({done, resting, confirmed, alive}) {
  if (done) return 'its result is kept until the end of this time';
  if (resting) return 'released; the lock rests until the end of this time';
  return [
    alive === true ? 'its client listens' : alive === false ? 'its client does not listen: dead, or cut off' : 'not known whether its client listens',
    confirmed ? '' : 'handed over, not confirmed yet',
  ].filter(Boolean).join('; ');
}

function drawQueue(view, {queue: waiters, row: {waiters: all}}) {
  const {root, body, row} = view.queue;
  attr(root, 'data-acts', mayAct());
  list(body, waiters, waiter => waiter.owner, waiter => makeWaiter(row, view, waiter), patchWaiter);
  show(root, waiters.length > 0);
  show(view.empty, all === 0);
  show(view.more, all > waiters.length);
  text(view.more, `${count(all, 'call')} ${all === 1 ? 'waits' : 'wait'} in all: calls of one process share a request, or wait inside of the `
    + 'process that has the lock; of a long queue not all are listed.');
}

function makeWaiter(row, view, waiter) {
  const drop = actButton('drop', () => {
    const {owner, who} = latest.get(node);
    return {who, body: {act: 'drop', kind: view.kind, name: view.name, owner}};
  });
  const node = row(el('span'), bdi(), el('span'), el('span'), el('span', {class: 'note'}), metadata(), drop);
  attr(node, 'data-id', waiter.owner);
  return node;
}

function patchWaiter(node, waiter) {
  latest.set(node, waiter);
  const [place, who, wants, since, state, meta, act] = node.children;
  text(place.firstChild, waiter.place);
  text(who.firstChild, waiter.who);
  text(wants.firstChild, wish(waiter));
  timed(since.firstChild, waiter.since, ago(waiter.since));
  text(state.firstChild, STATES[waiter.state] ?? waiter.state);
  attr(state.firstChild, 'data-tone', waiter.state === 'here' ? null : 'bad');
  drawMetadata(meta.firstChild, waiter.metadata);
  show(act.firstChild, mayAct());
  attr(act.firstChild, 'aria-label', `${act.firstChild.textContent}: ${waiter.who}`);
}

const WISHES = {exclusive: 'alone', read: 'to read', write: 'to write'};

function wish({mode, permits, limit, priority, order}) {
  const what = mode === 'permits' ? (limit ? `${number(permits)} of ${count(limit, 'permit')}` : count(permits, 'permit'))
    : WISHES[mode] ?? mode;
  return [what, priority ? `priority ${priority}` : '', order === 'lifo' ? 'last in, first out' : ''].filter(Boolean).join('; ');
}

// ---- metadata

function metadata() {
  return el('dl', {class: 'metadata'});
}

function drawMetadata(node, data) {
  list(node, Object.entries(data ?? {}), ([key]) => key, ([key]) => el('div', {}, el('dt', {}, bdi(key)), el('dd', {}, bdi())),
    (item, [, value]) => text(item.lastChild.firstChild, value));
}
