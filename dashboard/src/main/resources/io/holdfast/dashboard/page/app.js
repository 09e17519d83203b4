/** The frame round the views: routes, the banner, what acts have told, the footer. */

import {known, on, start} from './data.js';
import {attr, clock, count, el, plain, show, text} from './dom.js';
import {dismiss} from './act.js';
import * as overview from './overview.js';
import * as lock from './lock.js';
import * as waits from './waits.js';
import * as clients from './clients.js';
import * as events from './events.js';

const VIEWS = {overview, lock, waits, clients, events};
const NOWHERE = {
  title: () => 'No such page',
  mount: root => {
    root.append(el('h1', {tabindex: '-1'}, 'There is no such page'),
      el('p', {}, 'The address of this page names no view. ', el('a', {href: '#/'}, 'Go to the overview.')));
    return () => {};
  },
};

const main = document.getElementById('main');
const banner = document.getElementById('banner');
const summary = document.getElementById('summary');
const place = document.getElementById('environment');

let shown = null;
let leave = () => {};

/** `#/lock/KIND/NAME` with the name encoded; `null` for an address that cannot be read. */
function route() {
  const [view, ...rest] = location.hash.split('?')[0].replace(/^#?\/?/, '').split('/');
  if (view !== 'lock') return {view: view || 'overview', params: {}, sound: rest.join('') === ''};
  try {
    const [kind, ...name] = rest.map(decodeURIComponent);
    return {view, params: {kind, name: name.join('/')}, sound: Boolean(kind) && name.length > 0};
  } catch {
    return {view, params: {}, sound: false};
  }
}

function go() {
  const {view, params, sound} = route();
  const module = sound && Object.hasOwn(VIEWS, view) ? VIEWS[view] : NOWHERE;
  const first = shown === null;
  leave();
  dismiss();
  shown = module === NOWHERE ? 'none' : view;
  const root = el('section', {id: `view-${shown}`, class: 'view'});
  main.replaceChildren(root);
  window.scrollTo(0, 0);
  leave = module.mount(root, params);
  document.title = plain(`${module.title(params)} – Holdfast`);
  for (const link of document.querySelectorAll('nav a')) {
    attr(link, 'aria-current', link.dataset.view === shown ? 'page' : null);
  }
  // Whoever follows a link is told where it led; whoever opens the page starts at its top.
  if (!first) root.querySelector('h1')?.focus({preventScroll: true});
}

// ---- the banner

function server() {
  return known.session?.server ? `The server ${known.session.server}` : 'The server';
}

function bannerWords(trouble) {
  switch (trouble?.what) {
    case 'ended':
      return "This page's session has ended. Load the page again, or open the newest address that the dashboard has printed.";
    case 'gone':
      return `The dashboard has not answered since ${clock(trouble.since)}. Shown is what it last reported; `
        + 'this page goes on asking.';
    case 'server':
      return `${server()} has not been reachable since ${clock(trouble.since)}. Shown is what was last known.`
        + (trouble.words ? ` ${trouble.words}` : '');
    default:
      return '';
  }
}

function showTrouble() {
  text(banner, bannerWords(known.trouble));
  show(banner, known.trouble !== null);
  text(summary, banner.textContent); // which is in the page all the time, as a place that is read out must be
  attr(document.body, 'data-stale', known.trouble?.what);
}

// ---- what is told to those who do not see the page: changes of moment, not each picture

let deadlocks = null;

function summarise() {
  attr(document.body, 'data-picture', known.picture);
  const found = known.totals?.deadlocks ?? 0;
  if (deadlocks !== null && found !== deadlocks) {
    text(summary, found ? `There ${found === 1 ? 'is' : 'are'} ${count(found, 'deadlock')}.` : 'There is no deadlock any more.');
  }
  deadlocks = found;
}

function showSession({version, server: where, prefix, since, changes, environment, colour}) {
  text(document.getElementById('where'), where);
  text(place, environment);
  show(place, Boolean(environment));
  attr(document.body, 'data-colour', environment ? colour : null);
  text(document.getElementById('foot'), [
    `Holdfast ${version}`, `server ${where}`, `prefix ${prefix}`, `watching since ${clock(since)}`,
    changes ? 'acts are allowed' : 'read only',
  ].join(' · '));
}

document.getElementById('skip').addEventListener('click', event => {
  event.preventDefault(); // the hash is the route
  main.focus();
});

/** Slash leads to what searches, as in many tools: in the view, or in the overview. */
document.addEventListener('keydown', event => {
  if (event.key !== '/' || event.altKey || event.ctrlKey || event.metaKey || event.target.closest('input, select, dialog')) return;
  event.preventDefault();
  if (main.querySelector('input[type="search"]')) search();
  else {
    window.addEventListener('hashchange', search, {once: true}); // after the view has changed
    location.hash = '#/';
  }
});

function search() {
  const field = main.querySelector('input[type="search"]');
  field?.focus();
  field?.select();
}

history.scrollRestoration = 'manual'; // a view knows where it was
window.addEventListener('hashchange', go);
on('trouble', showTrouble);
on('picture', summarise);
on('session', showSession);
go();
start();
