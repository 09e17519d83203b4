/** What the dashboard has seen happen, newest last. Whoever scrolls up reads in peace; new events wait for the way back. */

import {asked, note} from './address.js';
import {csvButton} from './csv.js';
import {follow} from './data.js';
import {KIND_WORDS, clock, count, el, list, lockLink, show, text} from './dom.js';

const KEPT = 1000;
const TYPES = {
  'Holds': ['acquired', 'handed', 'released', 'expired', 'rests', 'done'],
  'Queues': ['queued', 'left'],
  'Trouble': ['deadlock', 'client-gone', 'client-back', 'server-lost', 'server-back'],
  'Operators': ['act', 'paused', 'resumed'],
  'Other': ['more'],
};

export function title() {
  return 'Events';
}

export function mount(root) {
  const state = {since: null, events: [], shown: [], paused: false};
  const view = build(root, state);
  view.search.value = asked().get('name') ?? '';
  view.type.value = asked().get('type') ?? '';
  if (view.type.selectedIndex < 0) view.type.value = '';
  const draw = () => drawEvents(view, state);
  const changed = () => {
    note({name: view.search.value.trim(), type: view.type.value});
    draw();
  };
  view.search.addEventListener('input', changed);
  view.type.addEventListener('change', changed);
  view.scroller.addEventListener('scroll', () => {
    const paused = !atEnd(view.scroller);
    if (paused === state.paused) return;
    state.paused = paused;
    draw();
  }, {passive: true});
  view.resume.addEventListener('click', () => {
    state.paused = false;
    draw();
    view.scroller.focus({preventScroll: true});
  });
  const stop = follow(() => path(state), answer => {
    if (take(state, answer)) stop.again();
    draw();
  }, error => {
    show(view.none, true);
    text(view.none, error.message);
  });
  return stop;
}

function build(root, state) {
  const option = (value, label) => el('option', {value}, label);
  const view = {};
  view.search = el('input', {type: 'search', id: 'event-search', autocomplete: 'off', spellcheck: 'false', dir: 'auto'});
  view.type = el('select', {id: 'event-type'}, option('', 'all types'), ...Object.entries(TYPES).map(([group, types]) =>
    el('optgroup', {label: group}, option(types.join(' '), types.length > 1 ? `all of ${group.toLowerCase()}` : types[0]),
      ...(types.length > 1 ? types.map(type => option(type, type)) : []))));
  view.lines = el('ol', {class: 'events'});
  view.none = el('p', {class: 'quiet'}, 'The dashboard has not answered yet.');
  view.scroller = el('div', {class: 'scroller', tabindex: '0', role: 'region', 'aria-label': 'Events, newest last'},
    view.lines, view.none);
  view.resume = el('button', {type: 'button', id: 'resume', hidden: true});
  root.append(el('h1', {tabindex: '-1'}, 'Events'),
    el('form', {class: 'filters', role: 'search', submit: event => event.preventDefault()},
      el('label', {for: 'event-search'}, 'Name or words contain'), view.search,
      el('label', {for: 'event-type', class: 'heard'}, 'Type'), view.type,
      csvButton('events', ['time', 'type', 'kind', 'name', 'words'],
        () => state.shown.map(event => [new Date(event.at).toISOString(), event.type, event.kind, event.name, event.words]))),
    view.scroller, view.resume);
  return view;
}

function path({events}) {
  return events.length ? `api/events?after=${events.at(-1).n}` : 'api/events';
}

/** Returns whether all must be asked for again: another `since` is another dashboard, which counts anew. */
function take(state, {since, events}) {
  const other = state.since !== null && state.since !== since && state.events.length > 0;
  state.since = since;
  if (other) {
    state.events = [];
    state.shown = [];
    return true;
  }
  const last = state.events.at(-1)?.n ?? -Infinity;
  state.events = [...state.events, ...events.filter(({n}) => n > last)].slice(-KEPT);
  return false;
}

function drawEvents(view, state) {
  const found = state.events.filter(event => fits(event, view.search.value.trim().toLowerCase(), view.type.value));
  const fresh = found.length - found.findLastIndex(event => event.n <= (state.shown.at(-1)?.n ?? -1)) - 1;
  const filters = JSON.stringify([view.search.value, view.type.value, state.since]);
  const paused = state.paused && filters === state.filters;
  if (!paused) {
    state.filters = filters;
    state.paused = false;
    state.shown = found;
    list(view.lines, found, ({n}) => `${state.since} ${n}`, make, () => {});
    show(view.none, found.length === 0);
    text(view.none, state.events.length ? 'No event fits the filters.' : 'Nothing has happened yet.');
    view.scroller.scrollTop = view.scroller.scrollHeight;
  }
  show(view.resume, paused);
  text(view.resume, `Paused${fresh > 0 ? `: ${count(fresh, 'new event')}` : ''}. Go to the newest`);
}

function fits(event, part, types) {
  if (types && !types.split(' ').includes(event.type)) return false;
  return !part || (event.name ?? '').toLowerCase().includes(part) || event.words.toLowerCase().includes(part);
}

function atEnd(node) {
  return node.scrollHeight - node.scrollTop - node.clientHeight < 24;
}

function make({n, at, type, kind, name, words, tone}) {
  const node = el('li', {'data-id': n, 'data-tone': tone},
    el('time', {datetime: new Date(at).toISOString()}, clock(at)), el('span', {class: 'type'}, type), el('span', {class: 'words'}, words));
  if (kind && name !== null) node.append(el('span', {class: 'of'}, `${KIND_WORDS[kind] ?? kind} `, lockLink(kind, name)));
  return node;
}
