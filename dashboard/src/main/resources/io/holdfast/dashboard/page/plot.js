/**
 * The last hour of a lock, drawn by hand: waiters as steps, handoffs as columns, the time of each hold as a dot, and as a strip who was
 * seen to hold it.
 */

import {attr, clock, count, duration, el, keyOf, list, minute, plain, svg, text} from './dom.js';

const LEFT = 52;
const RIGHT = 8;
const BANDS = [
  {name: 'waiters', label: 'Waiters', top: 18, height: 84},
  {name: 'handoffs', label: 'Handoffs', top: 126, height: 52},
  {name: 'holds', label: 'Time of holds (log scale)', top: 202, height: 104},
  {name: 'holders', label: 'Held by (as seen once a second, or less often)', top: 330, height: 44},
];
const BOTTOM = BANDS.at(-1).top + BANDS.at(-1).height;
const HEIGHT = 398;
const LANES = 2; // of holders beside each other; more of them are one lane's
const SHORTEST = 300_000; // what is shown, however short the dashboard has watched
const DECADES = [[1, '1 ms'], [10, '10 ms'], [100, '100 ms'], [1e3, '1 s'], [1e4, '10 s'], [6e4, '1 min'], [6e5, '10 min'],
  [36e5, '1 h'], [864e5, '1 d']];

export function plot() {
  const path = name => svg('path', {class: `plot-${name}`});
  const parts = {axes: svg('g', {class: 'plot-axes'})};
  for (const name of ['gaps', 'grid', 'area', 'steps', 'columns', 'released', 'expired']) parts[name] = path(name);
  parts.strip = svg('g');
  parts.pointer = path('pointer');
  parts.at = el('p', {class: 'plot-at', 'aria-hidden': 'true'}); // the words below say all of it
  parts.words = el('p', {class: 'plot-words', id: 'plot-words'});
  parts.image = svg('svg', {class: 'plot', role: 'img', 'aria-label': 'The last hour of this lock', 'aria-describedby': 'plot-words',
    height: HEIGHT}, parts.gaps, parts.grid, parts.area, parts.steps, parts.columns, parts.released, parts.expired, parts.strip, parts.axes, parts.pointer);
  parts.root = el('div', {class: 'plot-around'}, parts.image, parts.at, parts.words);
  parts.image.addEventListener('pointermove', event => point(parts, event.offsetX));
  parts.image.addEventListener('pointerleave', () => point(parts, null));
  return parts;
}

/** From the beginning of what was watched. */
function watchedPart(history) {
  const bins = Math.max(1, history.waiters.length);
  const first = history.waiters.findIndex(value => value !== null);
  const cut = Math.max(0, Math.min(first, bins - Math.ceil(SHORTEST / history.step)));
  return {...history, from: history.from + cut * history.step, waiters: history.waiters.slice(cut), handoffs: history.handoffs.slice(cut)};
}

export function drawPlot(parts, whole) {
  const history = watchedPart(whole);
  const width = Math.max(240, Math.round(parts.root.clientWidth || 640));
  attr(parts.image, 'width', width);
  attr(parts.image, 'viewBox', `0 0 ${width} ${HEIGHT}`);
  const bins = Math.max(1, history.waiters.length);
  const end = history.from + bins * history.step;
  const x = at => round(LEFT + (at - history.from) / (end - history.from) * (width - LEFT - RIGHT));
  const frame = {...history, bins, end, width, x, edge: i => x(history.from + i * history.step)};
  drawWaiters(parts, frame);
  drawHandoffs(parts, frame);
  drawHolds(parts, frame);
  drawStrip(parts, frame);
  parts.frame = frame;
  attr(parts.gaps, 'd', gaps(frame));
  drawAxes(parts, frame);
  text(parts.words, inWords(frame));
}

const round = value => Math.round(value * 10) / 10;

/** The runs of bins that were watched, as [from, to). */
function runs(values) {
  const found = [];
  let from = -1;
  for (let i = 0; i <= values.length; i++) {
    const seen = i < values.length && values[i] !== null;
    if (seen && from < 0) from = i;
    if (!seen && from >= 0) {
      found.push([from, i]);
      from = -1;
    }
  }
  return found;
}

function largest(values) {
  return values.reduce((most, value) => Math.max(most, value ?? 0), 0);
}

/** A round number that is no less, and even, so that its half can be written at the axis too. */
function ceiling(value) {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].map(step => step * power).find(step => step >= value && (step === 1 || step % 2 === 0));
}

function drawWaiters(parts, frame) {
  const [band] = BANDS;
  frame.top = ceiling(largest(frame.waiters));
  const y = value => round(band.top + band.height * (1 - value / frame.top));
  const bottom = y(0);
  let steps = '';
  let area = '';
  for (const [from, to] of runs(frame.waiters)) {
    let line = '';
    for (let i = from; i < to; i++) line += `${line ? 'V' : ''}${y(frame.waiters[i])}H${frame.edge(i + 1)}`;
    const [first, rest] = [line.slice(0, line.indexOf('H')), line.slice(line.indexOf('H'))];
    steps += `M${frame.edge(from)} ${first}${rest}`;
    area += `M${frame.edge(from)} ${bottom}V${first}${rest}V${bottom}Z`;
  }
  attr(parts.steps, 'd', steps);
  attr(parts.area, 'd', area);
}

function drawHandoffs(parts, frame) {
  const band = BANDS[1];
  frame.most = ceiling(largest(frame.handoffs));
  const bottom = band.top + band.height;
  let columns = '';
  frame.handoffs.forEach((value, i) => {
    if (!value) return;
    const width = round(Math.max(1, frame.edge(i + 1) - frame.edge(i) - 0.5));
    columns += `M${frame.edge(i)} ${bottom}v${-round(Math.max(2, band.height * value / frame.most))}h${width}V${bottom}Z`;
  });
  attr(parts.columns, 'd', columns);
}

/** Where nothing was lost there is a dot, else a cross: told apart also without their colours. */
function drawHolds(parts, frame) {
  const band = BANDS[2];
  frame.holdsSeen = frame.holds.filter(hold => hold.at >= frame.from && hold.at <= frame.end);
  const times = frame.holdsSeen.map(hold => Math.max(1, hold.millis));
  frame.low = Math.log10(DECADES.findLast(([ms]) => ms <= Math.min(...times, 100))?.[0] ?? 1);
  frame.high = Math.log10(Math.max(...times, 10_000) * 1.2);
  frame.yHold = ms => round(band.top + band.height * (1 - (Math.log10(Math.max(1, ms)) - frame.low) / (frame.high - frame.low)));
  let released = '';
  let expired = '';
  for (const hold of frame.holdsSeen) {
    const at = `M${frame.x(hold.at)} ${frame.yHold(hold.millis)}`;
    if (hold.end === 'expired') expired += `${at}m-3 -3l6 6m0 -6l-6 6`;
    else released += `${at}h0`;
  }
  attr(parts.released, 'd', released);
  attr(parts.expired, 'd', expired);
}

/** Who was seen to have it, each from its grant to when it was seen last. */
function drawStrip(parts, frame) {
  const [, , , band] = BANDS;
  const height = band.height / LANES;
  const free = new Array(LANES).fill(-Infinity);
  frame.spans = frame.holders.filter(({to}) => to >= frame.from).map((span, i) => {
    const lane = free.findIndex(until => until <= span.from);
    const at = lane < 0 ? LANES - 1 : lane;
    free[at] = Math.max(free[at], span.to);
    const left = frame.x(Math.max(span.from, frame.from));
    return {...span, left, width: Math.max(1, frame.x(Math.min(span.to, frame.end)) - left), top: band.top + at * height, odd: i % 2};
  });
  list(parts.strip, frame.spans, ({token, who, from}) => keyOf(token, who, from),
    () => svg('g', {}, svg('title'), svg('rect', {height: height - 3}), svg('text', {class: 'plot-who'})), patchSpan);
}

function patchSpan(group, {who, token, from, to, left, width, top, odd}) {
  const [title, box, words] = group.children;
  text(title, `${who}, token ${token}: from ${clock(from)}, last seen ${clock(to)}`);
  attr(box, 'class', odd ? 'plot-odd' : 'plot-even');
  attr(box, 'x', left);
  attr(box, 'y', top);
  attr(box, 'width', width);
  attr(words, 'x', left + 4);
  attr(words, 'y', top + 14);
  const room = Math.floor((width - 8) / 6.2); // of letters of 11 pixels
  const name = plain(who);
  text(words, room < 4 ? '' : name.length <= room ? name : `${name.slice(0, room - 1)}…`);
}

/** Values under the pointer. */
function point(parts, offset) {
  const {frame} = parts;
  const inside = frame && offset !== null && offset >= LEFT && offset <= frame.width - RIGHT;
  if (!inside) {
    attr(parts.pointer, 'd', null);
    text(parts.at, '');
    return;
  }
  const at = frame.from + (offset - LEFT) / (frame.width - LEFT - RIGHT) * (frame.end - frame.from);
  const bin = Math.min(frame.bins - 1, Math.floor((at - frame.from) / frame.step));
  attr(parts.pointer, 'd', `M${round(offset)} ${BANDS[0].top}V${BOTTOM}`);
  text(parts.at, `${clock(frame.from + bin * frame.step)}: ${[...values(frame, bin)].join('; ')}`);
}

function* values({waiters, handoffs, holdsSeen, spans, from, step}, bin) {
  const [begin, end] = [from + bin * step, from + (bin + 1) * step];
  if (waiters[bin] === null || waiters[bin] === undefined) yield 'not watched';
  else yield `${waiters[bin]} waiting at most; ${count(handoffs[bin] ?? 0, 'handoff')}`;
  const ended = holdsSeen.filter(({at}) => at >= begin && at < end);
  if (ended.length) yield endedInWords(ended);
  const who = [...new Set(spans.filter(span => span.from < end && span.to >= begin).map(span => span.who))];
  if (who.length) yield `held by ${who.slice(0, 3).join(', then ')}${who.length > 3 ? ` and ${who.length - 3} more` : ''}`;
}

/** Where nothing was watched. */
function gaps(frame) {
  let d = '';
  let from = 0;
  for (const [start, to] of [...runs(frame.waiters), [frame.bins, frame.bins]]) {
    if (start > from) d += gap(frame.edge(from), frame.edge(start));
    from = to;
  }
  return d;
}

function gap(left, right) {
  return BANDS.map(band => `M${left} ${band.top}H${right}v${band.height}H${left}Z`).join('');
}

// ---- axes

function drawAxes(parts, frame) {
  const labels = [];
  const label = (x, y, words, anchor) => labels.push(svg('text', {x, y, 'text-anchor': anchor}, words));
  let grid = '';
  const line = (y, words) => {
    grid += `M${LEFT} ${round(y)}H${frame.width - RIGHT}`;
    label(LEFT - 6, round(y) + 4, words, 'end');
  };
  BANDS.forEach(band => label(LEFT, band.top - 6, band.label, 'start'));
  scale(BANDS[0], frame.top, line);
  scale(BANDS[1], frame.most, line);
  for (const [ms, words] of decades(frame)) line(frame.yHold(ms), words);
  for (const at of minutes(frame)) {
    grid += `M${frame.x(at)} ${BOTTOM}v4`;
    label(frame.x(at), BOTTOM + 18, minute(at), 'middle');
  }
  attr(parts.grid, 'd', grid);
  parts.axes.replaceChildren(...labels);
}

function scale(band, top, line) {
  line(band.top + band.height, '0');
  if (top % 2 === 0 && band.height > 60) line(band.top + band.height / 2, String(top / 2));
  line(band.top, String(top));
}

/** At least 14 pixels apart. */
function decades(frame) {
  let last = Infinity;
  return DECADES.filter(([ms]) => {
    const log = Math.log10(ms);
    const y = frame.yHold(ms);
    if (log < frame.low || log > frame.high || last - y < 14) return false;
    last = y;
    return true;
  });
}

function minutes(frame) {
  const room = Math.max(1, Math.floor((frame.width - LEFT - RIGHT) / 70));
  const step = [1, 2, 5, 10, 15, 20, 30].find(each => (frame.end - frame.from) / (each * 60_000) <= room) ?? 60;
  const found = [];
  const every = step * 60_000;
  for (let at = Math.ceil(frame.from / every) * every; at <= frame.end; at += every) {
    if (frame.x(at) > LEFT + 12 && frame.x(at) < frame.width - 20) found.push(at);
  }
  return found;
}

// ---- in words

function inWords(frame) {
  const watched = runs(frame.waiters);
  if (!watched.length) return 'Nothing of the last hour was watched (shaded).';
  return [waitersInWords(frame), `${count(sum(frame.handoffs), 'handoff')}.`, holdsInWords(frame), gapsInWords(frame, watched)]
    .filter(Boolean).join(' ');
}

function sum(values) {
  return values.reduce((all, value) => all + (value ?? 0), 0);
}

function waitersInWords(frame) {
  const most = largest(frame.waiters);
  if (!most) return 'Nobody was seen to wait.';
  const at = frame.from + frame.waiters.indexOf(most) * frame.step;
  return `At most ${most} waited, at ${minute(at)} for the first time.`;
}

/** Each entry stands for one hold or more. */
function endedInWords(holds) {
  const all = sum(holds.map(hold => hold.count));
  const mean = sum(holds.map(hold => hold.millis * hold.count)) / all;
  return `${count(all, 'hold')} ended, after ${duration(mean)} in the mean`;
}

function holdsInWords({holdsSeen}) {
  if (!holdsSeen.length) return 'No hold has ended.';
  const lost = holdsSeen.filter(hold => hold.end === 'expired').length;
  return `${endedInWords(holdsSeen)} (a dot: the mean of those that ended between two looks; `
    + `a cross: some of them were lost), ${lost ? `with losses at ${count(lost, 'look')}` : 'none was lost'}.`;
}

function gapsInWords(frame, watched) {
  const [[from]] = watched;
  if (from > 0) return `Not watched before ${minute(frame.from + from * frame.step)} (shaded).`;
  return watched.length > 1 ? 'Not watched throughout (shaded).' : '';
}
