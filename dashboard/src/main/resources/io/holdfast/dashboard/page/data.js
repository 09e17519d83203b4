/** The dashboard's session, its stream, and what the page knows: all that speaks with the server. */

export const known = {session: null, rows: new Map(), totals: null, server: null, picture: null, trouble: null};

const listeners = {picture: new Set(), trouble: new Set(), session: new Set()};

/** Calls `listener` at each `event` ("picture", "trouble", "session") until what this returns is called. */
export function on(event, listener) {
  listeners[event].add(listener);
  return () => listeners[event].delete(listener);
}

function tell(event, ...what) {
  for (const listener of [...listeners[event]]) listener(...what);
}

// ---- the dashboard's clock

const offsets = [];
let stoodAt = null;

/** Answers arrive late, never early: the largest of the last offsets is the best. */
function hear(at) {
  offsets.push(at - Date.now());
  if (offsets.length > 20) offsets.shift();
}

function running() {
  return Date.now() + (offsets.length ? Math.max(...offsets) : 0);
}

/** The time by the dashboard's clock; it stands while nothing new is known, so that no term seems to run out. */
export function now() {
  return stoodAt ?? running();
}

export function stale() {
  return known.trouble !== null;
}

function setTrouble(trouble) {
  if (JSON.stringify(trouble) === JSON.stringify(known.trouble)) return;
  known.trouble = trouble;
  stoodAt = trouble ? stoodAt ?? running() : null;
  tell('trouble', trouble);
}

// ---- requests

const PATIENCE = 10_000;

export class Refused extends Error {
  /** @param done false where it is certain that nothing was done; undefined where that is not known */
  constructor(status, words, done) {
    super(words);
    this.status = status;
    this.done = done;
  }
}

async function ask(path, options = {}, signal = undefined) {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), PATIENCE);
  signal?.addEventListener('abort', () => limit.abort());
  try {
    const response = await fetch(path, {cache: 'no-store', credentials: 'same-origin', ...options, signal: limit.signal});
    return await read(response);
  } finally {
    clearTimeout(timer);
  }
}

async function read(response) {
  const body = await response.json().catch(() => null);
  if (response.status === 401) end();
  if (!response.ok) throw new Refused(response.status, body?.error ?? `The dashboard returned status ${response.status}.`,
    body?.done);
  if (body === null) throw new Refused(response.status, 'The dashboard returned what this page cannot read.');
  if (body.at) hear(body.at);
  return body;
}

export function act(body) {
  return ask('api/act', {
    method: 'POST',
    headers: {'Content-Type': 'application/json', ...known.session?.headers},
    body: JSON.stringify(body),
  });
}

/**
 * Fetches `path()` now and after each picture: never twice at once, at most once a second, and not while the page is
 * hidden. Returns what to call for it to end, with `again` to fetch without waiting for a picture.
 */
export function follow(path, take, fail = () => {}) {
  const life = new AbortController();
  let busy = false;
  let wanted = false;
  let timer = 0;
  let last = -Infinity;

  const want = () => {
    wanted = true;
    if (busy || timer || document.hidden || life.signal.aborted) return;
    timer = setTimeout(run, Math.max(0, last + 1000 - performance.now()));
  };
  const run = async () => {
    timer = 0;
    busy = true;
    wanted = false;
    last = performance.now();
    try {
      await once(path, take, fail, life.signal);
    } finally {
      busy = false;
    }
    if (wanted) want();
  };
  const offPicture = on('picture', want);
  document.addEventListener('visibilitychange', want);
  want();

  const stop = () => {
    offPicture();
    document.removeEventListener('visibilitychange', want);
    clearTimeout(timer);
    life.abort();
  };
  stop.again = want;
  return stop;
}

async function once(path, take, fail, signal) {
  let answer;
  try {
    answer = await ask(path(), {}, signal);
  } catch (error) {
    // No answer at all is for the stream to notice and for the banner to say.
    if (error instanceof Refused && !signal.aborted) fail(error);
    return;
  }
  if (!signal.aborted) take(answer);
}

// ---- the stream

const BROKEN = 3000;   // a stream that broke is mostly back by then: not worth a banner
const SILENT = 12_000; // a picture comes each second; a slow server may take a few
const REOPEN = 5000;   // between two attempts at a stream that does not come back by itself

const UNSEEN = 10_000; // a page that is hidden for less is just being passed

let source = null;
let unseen = 0;
let heardAt = Date.now();
let brokeAt = null;
let openedAt = 0;
let lookedAt = Date.now();
let ended = false;

export function start() {
  open();
  setInterval(look, 1000);
  document.addEventListener('visibilitychange', seenOrNot);
}

/** Browsers have six connections for a server, and a page that nobody sees would keep one from those that are seen. */
function seenOrNot() {
  clearTimeout(unseen);
  if (document.hidden) unseen = setTimeout(rest, UNSEEN);
  else if (source === null && !ended) reopen();
  else look();
}

function rest() {
  source?.close();
  source = null;
  brokeAt = null;
}

function open() {
  openedAt = Date.now();
  heardAt = source === null ? openedAt : heardAt;
  source?.close();
  source = new EventSource('api/stream');
  source.addEventListener('all', event => heard(event, takeAll));
  source.addEventListener('change', event => heard(event, takeChange));
  source.addEventListener('open', loadSession);
  source.addEventListener('error', () => {
    brokeAt ??= Date.now();
    if (source?.readyState === EventSource.CLOSED) loadSession();
  });
}

/** With each connection, since it may be another dashboard than before. It also reports whether the session ended. */
async function loadSession() {
  try {
    known.session = await ask('api/session');
    tell('session', known.session);
  } catch (error) {
    if (!(error instanceof Refused)) return;
    console.warn(error.message);
  }
}

/** Looks whether the stream is still there, and opens it again where the browser has given up. */
function look() {
  const time = Date.now();
  if (ended || source === null) return;
  if (time - lookedAt > 5000) awake(time);
  lookedAt = time;
  const broken = brokeAt !== null && time - brokeAt > BROKEN;
  const silent = time - heardAt > SILENT;
  if (!broken && !silent) return;
  setTrouble({what: 'gone', since: known.trouble?.what === 'gone' ? known.trouble.since : heardAt});
  if (time - openedAt > (broken && source.readyState === EventSource.CLOSED ? REOPEN : SILENT)) reopen();
}

/** Timers do not run in a machine that sleeps, and seldom in a page that is hidden: judge from now on. */
function awake(time) {
  if (time - heardAt < 5000) return;
  heardAt = time;
  brokeAt = null;
  reopen();
}

function reopen() {
  loadSession();
  open();
}

function heard(event, take) {
  const picture = JSON.parse(event.data);
  heardAt = Date.now();
  brokeAt = null;
  hear(picture.at);
  const changed = take(picture);
  if (!changed) return;
  known.picture = picture.picture;
  known.totals = picture.totals;
  known.server = picture.server;
  setTrouble(picture.server.reachable ? null
    : {what: 'server', since: picture.server.since, words: picture.server.message});
  tell('picture', changed);
}

function takeAll(picture) {
  known.rows = new Map(picture.rows.map(row => [row.id, row]));
  return {all: true, put: picture.rows, gone: []};
}

function takeChange(picture) {
  if (known.picture === null) return null; // nothing yet to change
  for (const id of picture.gone) known.rows.delete(id);
  for (const row of picture.put) known.rows.set(row.id, row);
  return {all: false, put: picture.put, gone: picture.gone};
}

function end() {
  ended = true;
  source?.close();
  setTrouble({what: 'ended', since: null});
}
