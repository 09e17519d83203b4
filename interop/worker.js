'use strict';

// A program in another language that contends for a lock with its own library. Reads one line of JSON with its orders
// from its first argument, writes one line of JSON with what it counted. See README.md.

const Redis = require('ioredis');
const { randomUUID } = require('crypto');

const orders = JSON.parse(process.argv[2]);
const lockClient = new Redis(orders.port, '127.0.0.1');
const dataClient = new Redis(orders.port, '127.0.0.1'); // what is done under the lock goes another way than the lock

const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

// Each adapter: acquire(term) -> a hold, or null if the key was taken; release(hold) -> whether it was still ours;
// extend(hold, term) -> whether it was still ours, or missing if the library cannot.
const adapters = {
  'redis-exp-lock': () => {
    const withLock = require('redis-exp-lock')({ redis: lockClient });
    return {
      acquire: (term) =>
        new Promise((resolve, reject) =>
          withLock(orders.key, { lifetime: term }, (err, retriesOrRelease, release) => {
            if (!err) resolve(release);
            else if (/retry count/.test(err.message)) resolve(null);
            else reject(err);
          })),
      release: (hold) =>
        new Promise((resolve, reject) => hold((err, released) => (err ? reject(err) : resolve(released)))),
    };
  },
  redlock: () => {
    const Redlock = require('redlock');
    // One attempt for each call: the loop below repeats it.
    const redlock = new Redlock([lockClient], { retryCount: 0 });
    redlock.on('clientError', (err) => fail(err));
    const mine = (promise) => promise.then(() => true, (err) => (err.name === 'LockError' ? false : Promise.reject(err)));
    return {
      acquire: (term) =>
        redlock.lock(orders.key, term).catch((err) => (err.name === 'LockError' ? null : Promise.reject(err))),
      release: (hold) => mine(hold.unlock()),
      extend: (hold, term) => mine(hold.extend(term)),
    };
  },
  'redis-semaphore': () => {
    const { Mutex } = require('redis-semaphore');
    const value = async (mutex) => (await dataClient.get(`mutex:${orders.key}`)) === mutex.identifier;
    return {
      acquire: async (term) => {
        const mutex = new Mutex(lockClient, orders.key, {
          lockTimeout: term,
          acquireTimeout: 1000,
          acquireAttemptsLimit: 1,
          retryInterval: 0,
          refreshInterval: 0,
        });
        return (await mutex.tryAcquire()) ? mutex : null;
      },
      release: async (hold) => {
        const mine = await value(hold);
        await hold.release(); // does not say whether the key was still there
        return mine;
      },
      // Its refresh moves the expiry to a term from now.
      extend: (hold) => hold._refresh(),
    };
  },
};

const library = adapters[orders.library]();
const counts = { rounds: 0, refused: 0, turns: 0, violations: 0, notOurs: 0 };

function fail(err) {
  console.error(`${orders.library}: ${err.stack || err}`);
  process.exit(1);
}

async function acquire() {
  for (;;) {
    const hold = await library.acquire(orders.term);
    if (hold) return hold;
    counts.refused++;
    await sleep(Math.random() * 3);
  }
}

// Enters, counts who is inside, and increments in two steps, so that an update is lost if anybody else is inside too.
async function section() {
  if ((await dataClient.incr('inside')) !== 1) counts.violations++;
  const last = await dataClient.getset('last', orders.library);
  if (last && last !== orders.library) counts.turns++;
  const before = Number(await dataClient.get('total')) || 0;
  await dataClient.set('total', before + 1);
  if ((await dataClient.decr('inside')) !== 0) counts.violations++;
}

async function contend() {
  await dataClient.incr('ready');
  while (!(await dataClient.exists('go'))) await sleep(5); // all begin together
  while (counts.rounds < orders.rounds) {
    const hold = await acquire();
    await section();
    counts.rounds++;
    if (!(await library.release(hold))) counts.notOurs++;
  }
}

// Obeys single steps, one line each, for what is shown step by step.
async function steps() {
  let hold = null;
  for await (const line of require('readline').createInterface({ input: process.stdin })) {
    const [word, millis] = line.split(' ');
    let answer;
    if (word === 'acquire') {
      const got = await library.acquire(Number(millis));
      if (got) hold = got;
      answer = got !== null;
    } else if (word === 'release') answer = await library.release(hold);
    else if (word === 'extend') answer = library.extend ? await library.extend(hold, Number(millis)) : 'cannot';
    else break;
    console.log(JSON.stringify({ answer }));
  }
}

(orders.rounds ? contend() : steps())
  .then(() => {
    if (orders.rounds) console.log(JSON.stringify(counts));
    lockClient.disconnect();
    dataClient.disconnect();
  })
  .catch(fail);
