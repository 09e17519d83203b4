-- acquire.lua: asks for a lock, once or again. Running it twice for one owner changes nothing but a later expiry.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] tombstone of the owner
-- KEYS[7] evicted
-- ARGV[1..4] see common.lua
-- ARGV[5] owner   ARGV[6] term, ms   ARGV[7] '1' to queue if taken, '0' not to   ARGV[8] claim window, ms
-- ARGV[9] life of the request, ms, 0 for none   ARGV[10] then: 'T' to the tail, 'L' leave   ARGV[11] label of the client
-- ARGV[12] label of the actor, with metadata   ARGV[13] 'F' to queue at the tail, 'N' at the head, 'R' anywhere
-- ARGV[14] priority   ARGV[15] longest queue, 0 for any   ARGV[16] tokens to reserve, at least 1; more if leases share the hold
-- ARGV[17] 'K' if the client is to be told when others want the lock, because leases share the hold
--
-- Replies:
--   GRANTED token since kept   the owner holds the lock, for at least a term from now; kept is 1 if its client will be told
--                              when others want it, and nobody else has wanted it yet
--   QUEUED place waiters …describe   the owner waits; place 1 is next in line
--   TAKEN 0 waiters …describe   somebody else holds the lock, and the owner does not wait
--   FULL 0 waiters …describe   somebody else holds the lock, and the queue has no room
--   EVICTED   the owner waited, and was dropped by name
--   GONE   the owner was released or withdrawn before this request came
--   MORE   too many dead waiters for one script: ask again
-- Effects: settles the lock; grants, queues, or neither; moves a waiter that has outlived its life to the tail. Tells the
-- next waiter if there was a handoff, and a client whose leases share the hold that the lock is wanted, which is noted there.

-- include hold.lua

local function granted(held)
  return { 'GRANTED', tonumber(held.token), tonumber(held.since), held.kept == ' K' and 1 or 0 }
end

-- Mostly nobody holds, nobody waits, and nothing is known of the owner: then this is all, without what handles a queue.
if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[6], KEYS[7]) == 0 then
  local label, kept = ARGV[11] .. '/' .. ARGV[12], ARGV[17] == 'K' and ' K' or ''
  local held = { owner = ARGV[5], term = ARGV[6], label = label, kept = kept, left = tonumber(ARGV[6]) }
  return granted(grantHold(KEYS[1], KEYS[5], tonumber(ARGV[4]), held, ARGV[16]))
end

-- include held.lua
-- include common.lua

local lock = lockAt(1)
local owner, term = ARGV[5], tonumber(ARGV[6])
local label = ARGV[11] .. '/' .. ARGV[12]

local function take()
  dequeue(lock, owner, true)
  return granted(lock.held)
end

lock.held = parseHold(redis.call('GET', lock.hold)) -- raises the error of a key of another type
if lock.held and lock.held.owner == '?' then
  error('FOREIGN the key of the hold has a value that Holdfast did not write')
end
local ended = redis.call('EXISTS', KEYS[6], KEYS[7])
-- rule tombstone
if ended > 0 and redis.call('EXISTS', KEYS[6]) == 1 then
  return { 'GONE' }
end
-- end

-- What is known of the queue and of this client's part in it; read again after it may have changed.
local waiting, claimed, last, known, count, active, suspect
local function read()
  local facts = redis.call('HMGET', lock.details, owner, '@claim', '@seq', '@x', '@n:' .. requester,
    '@a:' .. requester, '@s:' .. requester)
  waiting, claimed, last, known, count, active, suspect = unpack(facts, 1, 7)
end
read()

if lock.held and lock.held.owner == owner then
  -- rule rearm
  extendHold(lock.hold, term)
  -- end
  if claimed == owner then
    return take()
  end
  return granted(lock.held)
end

if ended > 0 and redis.call('HEXISTS', KEYS[7], owner) == 1 then
  return { 'EVICTED' }
end

if admits(lock.held) then
  demandOurs(lock)
  settle(lock, waiting and owner or nil, false, { last, claimed })
  if lock.more == 1 then
    return { 'MORE' }
  end
  read()
end

local reply
if admits(lock.held) then
  local kept = ARGV[17] == 'K' and redis.call('EXISTS', lock.queue, lock.parked) == 0 and ' K' or ''
  grant(lock, owner, ARGV[6], term, label, ARGV[16], kept)
  if waiting then
    dequeue(lock, owner)
  end
  reply = granted(lock.held)
elseif lock.held.owner == owner then
  extendHold(lock.hold, term)
  reply = take()
else
  local enters, limit = ARGV[7] == '1' and not waiting, tonumber(ARGV[15])
  if enters and limit > 0 and waitersOf(lock, claimed) >= limit then
    clean(lock)
    read()
    local waiters = waitersOf(lock, claimed)
    if waiters >= limit then
      reply = describe(lock, { 'FULL', 0, waiters })
      recall(lock)
      deliver()
      return reply
    end
  end
  -- Read before anything is written: a key of another type says so here.
  local queued, parked = redis.call('ZCARD', lock.queue), redis.call('ZCARD', lock.parked)
  if enters then
    queued = queued + 1
    last = int(tonumber(last or '0') + 1)
    local extended = longer(known)
    local fields = {
      owner,
      formatDetails({
        since = nowText,
        ttl = tonumber(ARGV[9]),
        stop = ARGV[9] == '0' and 0 or now + tonumber(ARGV[9]),
        policy = ARGV[10],
        claim = tonumber(ARGV[8]),
        term = ARGV[6],
        tokens = ARGV[16],
        actor = ARGV[12],
      }),
      '@seq',
      last,
      '@n:' .. requester,
      int(tonumber(count or '0') + 1),
    }
    if not active then
      local seen = (listeners(lock, requester) or 0) > 0 and 1 or 0
      fields[#fields + 1] = '@a:' .. requester
      fields[#fields + 1] = table.concat({ int(now + waiterTtl), int(seen), ARGV[11] }, ' ')
    end
    if extended then
      known = extended
      fields[#fields + 1] = '@x'
      fields[#fields + 1] = known
    end
    redis.call('HSET', lock.details, unpack(fields))
    redis.call('ZADD', lock.queue, orderOf(tonumber(last), tonumber(ARGV[14]), ARGV[13], owner), owner)
    if extended then
      redis.call('PEXPIREAT', lock.details, known)
      redis.call('PEXPIREAT', lock.queue, known)
    end
  elseif waiting and not suspect then
    -- A waiter that was parked while its client was away takes its old place again.
    local order = parked > 0 and redis.call('ZSCORE', lock.parked, owner)
    if order then
      redis.call('ZREM', lock.parked, owner)
      redis.call('ZADD', lock.queue, order, owner)
      expireLater(lock.queue, now + waiterTtl)
      redis.call('HINCRBY', lock.details, '@p:' .. requester, -1)
      queued, parked = queued + 1, parked - 1
    end
  end
  if waiting then
    toTail(lock, owner, parseDetails(waiting))
  end
  if enters and queued == 1 then
    redis.call('PEXPIREAT', lock.queue, known) -- a queue that was empty, beside parked waiters, has no expiry yet
  end
  if parked > 0 then
    expireLater(lock.parked, now + waiterTtl)
    sweep(lock)
    queued, parked = redis.call('ZCARD', lock.queue), redis.call('ZCARD', lock.parked)
  end
  local waits, place = ARGV[7] == '1' or waiting, 0
  local waiters = queued + parked - (claimed and 1 or 0)
  if waits then
    place = waiters
    local rank = redis.call('ZRANK', lock.queue, owner)
    if rank then
      place = rank + 1
      if parked > 0 then
        place = place + redis.call('ZCOUNT', lock.parked, '-inf', redis.call('ZSCORE', lock.queue, owner))
      end
      -- The claim stands in the queue, and mostly before the last one, who need not look for it.
      local ahead = claimed and (rank == queued - 1 and 0 or redis.call('ZRANK', lock.queue, claimed))
      if ahead and ahead < rank then
        place = place - 1
      end
    end
  end
  reply = describe(lock, { waits and 'QUEUED' or 'TAKEN', place, waiters })
  recall(lock)
end
deliver()
return reply
