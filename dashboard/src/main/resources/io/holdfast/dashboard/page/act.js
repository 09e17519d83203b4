/** What an operator does: each act is asked for once more, in words, and its answer is told. */

import {act, known} from './data.js';
import {KIND_WORDS, el, sentence, show, text} from './dom.js';

const dialog = document.getElementById('confirm');
const doIt = document.getElementById('confirm-do');
const cancel = document.getElementById('confirm-cancel');
const millis = document.getElementById('confirm-millis');
const pauseMillis = document.getElementById('pause-millis');
const reason = document.getElementById('pause-reason');
const answer = document.getElementById('answer');
const close = document.getElementById('told-close');
const told = document.getElementById('told');

let asked = null;

const ACTS = {
  release: {
    button: 'Release this hold',
    title: 'Release this hold?',
    words: (who, what, body) => `This ends the hold of ${who} on ${what} (token ${body.token}), and no later one. `
      + 'Whoever is next in the queue gets it at once, even if the code of the holder is still at work: '
      + 'its client learns of the loss by a message, or at its next renewal.',
  },
  extend: {
    button: 'Extend',
    title: 'Extend this hold?',
    words: (who, what, body) => `This makes the hold of ${who} on ${what} (token ${body.token}) last at least so long `
      + 'from now, even if its client dies in the meantime. Until then nobody else gets it, unless it is released.',
  },
  drop: {
    button: 'Drop this waiter',
    title: 'Drop this waiter?',
    words: (who, what) => `This removes the request of ${who} for ${what} from the queue. The request ends without `
      + 'the lock, and its client is told that an operator dropped it. If calls of other threads of that client share the request, '
      + 'they end with it.',
  },
  forget: {
    button: 'Remove this result',
    title: 'Remove this result?',
    words: (who, what) => `This removes the result that ${who} has recorded for ${what}. The next that asks does the work again.`,
  },
  pause: {
    button: 'Pause…',
    confirm: 'Pause',
    title: 'Pause it?',
    words: pauseEffects,
  },
  change: {
    button: 'Change the pause…',
    confirm: 'Change the pause',
    title: 'Change the pause?',
    words: (...given) => `${pauseEffects(...given)} This takes the place of the pause that there is.`,
  },
  resume: {
    button: 'Resume',
    title: 'Resume it?',
    words: (who, what, body) => `This ends the pause of ${what}. Whoever is next in the queue gets it as soon as it is free.`
      + (body.kind === 'semaphore' ? ' Any limit that an operator has set ends.' : ''),
  },
};

function pauseEffects(who, what, {kind}) {
  return `Nobody is granted ${what} until the time is over or somebody resumes it. Holders keep what they have, and may renew it. `
    + `Waiters keep their places. The pause ends by itself.${PAUSED_KINDS[kind] ?? ''}`;
}

/** What is peculiar to a kind, besides. */
const PAUSED_KINDS = {
  election: ' Whoever leads goes on.',
  semaphore: ' It takes the place of another limit that an operator has set.',
  once: ' A result that is recorded is returned all the same.',
};

export function mayAct() {
  return known.session?.changes === true;
}

export function labelOf(name) {
  return ACTS[name].button;
}

/** `request` returns `{body, who, words, as}` at the click: rows are patched in place, and stand for whatever they show. */
export function actButton(name, request, label = labelOf(name)) {
  return el('button', {type: 'button', class: 'act', 'data-act': name, click: () => confirm(request())}, label);
}

function confirm({body, who, words, as = body.act}) {
  const kind = ACTS[as];
  const what = `the ${KIND_WORDS[body.kind] ?? body.kind} '${body.name}'`;
  asked = body;
  text(document.getElementById('confirm-title'), kind.title);
  text(document.getElementById('confirm-words'), words ? `${sentence(words)} ${kind.words(who, what, body)}`
    : kind.words(who, what, body));
  text(doIt, kind.confirm ?? kind.button);
  show(document.getElementById('confirm-choice'), body.act === 'extend');
  show(document.getElementById('confirm-pause'), body.act === 'pause');
  reason.value = '';
  doIt.disabled = false;
  dialog.showModal();
  (body.act === 'pause' ? pauseMillis : cancel).focus();
}

/** With what was chosen in the dialog. */
function chosen(body) {
  switch (body.act) {
    case 'extend': return {...body, millis: Number(millis.value)};
    case 'pause': return {...body, millis: Number(pauseMillis.value), reason: reason.value.trim()};
    default: return body;
  }
}

async function send() {
  doIt.disabled = true; // a second click is not a second act
  const mine = asked;
  const [words, tone] = await outcome(chosen(asked));
  // Closed first: what is told behind an open dialog is not read out.
  if (asked === mine) dialog.close();
  tell(words, tone);
}

async function outcome(body) {
  try {
    const {done, words} = await act(body);
    return [words, done ? 'good' : 'act'];
  } catch (error) {
    if (error.status && (error.status < 500 || error.done === false)) return [`Nothing was done: ${error.message}`, 'bad'];
    const why = error.status ? error.message : 'The dashboard did not answer.';
    return [`${why} Whether this was done is not known: look at the lock before you try again.`, 'bad'];
  }
}

function tell(words, tone) {
  text(told, words);
  answer.dataset.tone = tone;
  show(close, true);
}

export function dismiss() {
  delete answer.dataset.tone;
  show(close, false);
  text(told, '');
}

doIt.addEventListener('click', send);
cancel.addEventListener('click', () => dialog.close());
close.addEventListener('click', () => {
  dismiss();
  document.querySelector('.view h1')?.focus({preventScroll: true});
});
dialog.addEventListener('close', () => {
  asked = null;
  // The browser gives the focus back to the button that opened the dialog, unless that has gone in the meantime.
  if (document.activeElement === document.body) document.querySelector('.view h1')?.focus({preventScroll: true});
});
