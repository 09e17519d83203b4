/** The clients that the server knows: which are in trouble first, what each holds and waits for. */

import {asked, askedOf, listed, note} from './address.js';
import {follow} from './data.js';
import {KIND_WORDS, attr, bdi, count, el, keyOf, list, lockLink, number, show, table, text} from './dom.js';

const STATES = ['suspect', 'gone', 'unknown', 'alive'];
const MEANING = {
  alive: 'listens',
  suspect: 'does not listen, or did not take up a lock that it was handed',
  gone: 'does not listen any more',
  unknown: 'the server does not tell whether it listens',
};
const SHOWN = 300; // clients
const NAMES = 12; // locks of one client, before one asks for the others

export function title() {
  return 'Clients';
}

export function mount(root) {
  const view = build(root);
  let all = [];
  const draw = () => drawClients(view, all);
  const states = askedOf('states', STATES);
  view.search.value = asked().get('name') ?? '';
  view.boxes.forEach(({state, box}) => (box.checked = states.includes(state)));
  const changed = () => {
    const checked = view.boxes.filter(({box}) => box.checked).map(({state}) => state);
    note({name: view.search.value.trim(), states: listed(checked, STATES)});
    draw();
  };
  view.search.addEventListener('input', changed);
  view.boxes.forEach(({box}) => box.addEventListener('change', changed));
  view.redraw = draw;
  return follow(() => 'api/clients', answer => {
    all = answer.clients;
    draw();
  }, error => text(view.note, error.message));
}

function build(root) {
  const view = {opened: new Set()};
  view.search = el('input', {type: 'search', id: 'client-search', autocomplete: 'off', spellcheck: 'false', dir: 'auto'});
  view.boxes = STATES.map(state => ({state, box: el('input', {type: 'checkbox', checked: true}), many: el('span')}));
  view.clients = table('Clients', ['Client', 'State', 'Holds', 'Waits for']);
  view.note = el('p', {class: 'quiet'}, 'The dashboard has not answered yet.');
  root.append(el('h1', {tabindex: '-1'}, 'Clients'),
    el('form', {class: 'filters', role: 'search', submit: event => event.preventDefault()},
      el('label', {for: 'client-search'}, 'Client or lock contains'), view.search,
      el('fieldset', {}, el('legend', {class: 'heard'}, 'States'),
        ...view.boxes.map(({state, box, many}) => el('label', {class: 'check', title: MEANING[state]}, box, `${state} `, many)))),
    view.clients.root, view.note);
  return view;
}

function drawClients(view, all) {
  const part = view.search.value.trim().toLowerCase();
  const wanted = new Set(view.boxes.filter(({box}) => box.checked).map(({state}) => state));
  view.boxes.forEach(({state, many}) => text(many, `(${number(all.filter(client => client.state === state).length)})`));
  const found = all.filter(client => wanted.has(client.state) && fits(client, part)).sort(byTrouble);
  const {root, body, row} = view.clients;
  list(body, found.slice(0, SHOWN), client => client.id, client => make(row, client), (node, client) => patch(node, client, view));
  show(root, found.length > 0);
  text(view.note, found.length > SHOWN ? `and ${number(found.length - SHOWN)} more: search to see them`
    : found.length ? '' : all.length ? 'No client fits the filters.' : 'No client is known.');
}

function fits(client, part) {
  return !part || label(client).toLowerCase().includes(part)
    || [...client.holds, ...client.waits].some(({name}) => name.toLowerCase().includes(part));
}

function byTrouble(a, b) {
  return STATES.indexOf(a.state) - STATES.indexOf(b.state) || compare(label(a), label(b)) || compare(a.id, b.id);
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

function label({who, id}) {
  return who || `${id} (only listens)`;
}

function make(row, client) {
  const node = row(bdi(), el('span', {class: 'state'}), locks(), locks());
  attr(node, 'data-id', client.id);
  return node;
}

function locks() {
  return [el('ul', {class: 'names'}), el('button', {type: 'button', class: 'more', hidden: true})];
}

function patch(node, client, view) {
  const [who, state, holds, waits] = node.children;
  text(who.firstChild, label(client));
  text(state.firstChild, client.state);
  attr(state.firstChild, 'data-state', client.state);
  attr(state.firstChild, 'title', MEANING[client.state]);
  patchLocks(holds, client.holds, `${client.id} holds`, view);
  patchLocks(waits, client.waits, `${client.id} waits`, view);
}

function patchLocks(cell, all, key, view) {
  const [names, more] = cell.children;
  const few = view.opened.has(key) ? all : all.slice(0, NAMES);
  list(names, few, ({kind, name}) => keyOf(kind, name), makeLock, () => {});
  show(more, few.length < all.length);
  text(more, `and ${count(all.length - few.length, 'more', 'more')}`);
  more.onclick = () => {
    view.opened.add(key);
    view.redraw();
    names.children[NAMES]?.querySelector('a')?.focus();
  };
}

function makeLock({kind, name}) {
  const link = lockLink(kind, name);
  attr(link, 'title', name);
  return el('li', {}, link, el('span', {class: 'kind'}, kind === 'lock' ? '' : KIND_WORDS[kind] ?? kind));
}
