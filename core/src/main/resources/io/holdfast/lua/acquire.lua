-- acquire.lua: asks for a lock, once or again. Running it twice for one owner changes nothing but a later expiry.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] tombstone of the owner
-- KEYS[7] evicted
-- ARGV[1..2] see common.lua
-- ARGV[3] owner   ARGV[4] term, ms
-- ARGV[5] what the hold is to end with: "term label", where the label is that of the client and of its actor, with metadata;
--         and " K" if the client is to be told when others want the lock, because leases share the hold
-- ARGV[6] tokens to reserve besides the hold's own, if leases share it
-- ARGV[7] what only the queue needs, as words: 1 to queue if the lock is taken, 0 not to; longest queue, 0 for any; priority;
--         F to queue at the tail, N at the head, R anywhere; life of the request, ms, 0 for none; then T to the tail, or L
--         leave; claim window, ms
--
-- Replies, as words:
--   GRANTED token since kept   the owner holds the lock, for at least a term from now; kept is 1 if its client will be told
--                              when others want it, and nobody else has wanted it yet; not told if it is as was asked
--   QUEUED place waiters …describe   the owner waits; place 1 is next in line
--   TAKEN 0 waiters …describe   somebody else holds the lock, and the owner does not wait
--   FULL 0 waiters …describe   somebody else holds the lock, and the queue has no room
--   EVICTED   the owner waited, and was dropped by name
--   GONE   the owner was released or withdrawn before this request came
--   MORE   too many dead waiters for one script: ask again
-- Effects: settles the lock; grants, queues, or neither; moves a waiter that has outlived its life to the tail. Tells the
-- next waiter if there was a handoff, and a client whose leases share the hold that the lock is wanted, which is noted there.

-- include hold.lua

-- Mostly nobody holds, nobody waits, and nothing is known of the owner: then this is all, without what handles a queue.
local found = redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[6], KEYS[7])
if found == 0 then
  local token = grantHold(KEYS[1], KEYS[5], ARGV[3], ARGV[5], ARGV[4], ARGV[2], ARGV[6])
  return 'GRANTED ' .. token .. ' ' .. nowText
end

-- include owner.lua
-- include held.lua
-- include order.lua
-- include common.lua

local lock = lockAt(1)
local owner = ARGV[3]
local queues, limit, priority, order, life, ending = string.match(ARGV[7], '^(%d) (%d+) (-?%d+) (%a) (%d+) (.*)$')

know(lock, redis.call('GET', lock.hold)) -- raises the error of a key of another type
if lock.public == '?' then
  error('FOREIGN the key of the hold has a value that Holdfast did not write')
end

-- What is known of the queue and of this client's part in it; read again after it may have changed.
local function read()
  return redis.call('HMGET', lock.details, owner, '@claim', '@seq', '@n:' .. requester, '@a:' .. requester),
    redis.call('ZCARD', lock.queue)
end
local facts, queued = read()
local parked, waiting, claimed = 0, facts[1], facts[2]
local own = isHoldOf(lock.held, owner)

-- Whether there is a key besides those of a hold and of a queue.
local more = found - (lock.held and 1 or 0) - (facts[3] and 1 or 0) - (queued > 0 and 1 or 0) > 0
local rare -- mostly somebody else holds, and the owner only has to queue: then this is nothing

if more or own or waiting or lock.kept ~= '' or limit ~= '0' or admits(lock.held) then
-- include foreign.lua
-- include expiry.lua
-- include settle.lua
  rare = seldom()

  local function granted()
    local token, since = string.match(lock.rest, '^(%d+) (%d+)')
    return 'GRANTED ' .. token .. ' ' .. since .. (lock.kept == ' K' and ' 1' or ' 0')
  end

  if more then
    -- rule tombstone
    if redis.call('EXISTS', KEYS[6]) == 1 then
      return 'GONE'
    end
    -- end
    parked = redis.call('ZCARD', lock.parked)
  end
  if own then
    -- rule rearm
    expireLater(lock.hold, ARGV[4])
    -- end
    if claimed == owner then
      dequeue(lock, owner, true)
    end
    return granted()
  end
  if more and redis.call('HEXISTS', KEYS[7], owner) == 1 then
    return 'EVICTED'
  end

  if admits(lock.held) then
    rare.demandOurs(lock)
    settle(lock, waiting and owner or nil, false, facts[3], claimed)
    if lock.more == '1' then
      return 'MORE'
    end
    facts, queued = read()
    parked, waiting, claimed = redis.call('ZCARD', lock.parked), facts[1], facts[2]
    if admits(lock.held) then
      grant(lock, owner, queued + parked == 0 and ARGV[5] or string.match(ARGV[5], '^%d+ %S*'), ARGV[4], ARGV[6])
      if waiting then
        dequeue(lock, owner)
      end
    elseif isHoldOf(lock.held, owner) then
      expireLater(lock.hold, ARGV[4])
      dequeue(lock, owner, true)
    end
    if isHoldOf(lock.held, owner) then
      deliver()
      return granted()
    end
  end

  if limit ~= '0' and queues == '1' and not waiting then
    local most = tonumber(limit)
    if queued + parked - (claimed and 1 or 0) >= most then
      rare.clean(lock)
      facts, queued = read()
      parked, claimed = redis.call('ZCARD', lock.parked), facts[2]
    end
    local waiters = queued + parked - (claimed and 1 or 0)
    if waiters >= most then
      rare.recall(lock)
      local reply = 'FULL 0 ' .. waiters .. ' ' .. describe(lock)
      deliver()
      return reply
    end
  end

  if waiting and parked > 0 and redis.call('HEXISTS', lock.details, '@s:' .. requester) == 0 then
    -- A waiter that was parked while its client was away takes its old place again.
    local place = redis.call('ZSCORE', lock.parked, owner)
    if place then
      redis.call('ZREM', lock.parked, owner)
      redis.call('ZADD', lock.queue, place, owner)
      expireLater(lock.queue, waiterTtl)
      redis.call('HINCRBY', lock.details, '@p:' .. requester, -1)
      queued, parked = queued + 1, parked - 1
    end
  end
  if waiting then
    rare.toTail(lock, owner, waiting)
  end
end

if queues == '1' and not waiting then
  local last = (facts[3] or 0) + 1
  queued = queued + 1
  local stop = life == '0' and '0' or string.format('%.0f', math.floor(nowText / 1000) + life)
  redis.call('HSET', lock.details, owner, stop .. ' ' .. nowText .. ' ' .. life .. ' ' .. ending .. ' ' .. ARGV[6] .. ' ' .. ARGV[5],
    '@seq', last, '@n:' .. requester, (facts[4] or 0) + 1)
  if not facts[5] then
    local seen = (listeners(lock, requester) or 0) > 0 and ' 1' or ' 0'
    local deadline = string.format('%.0f', math.floor(nowText / 1000) + waiterTtl)
    redis.call('HSET', lock.details, '@a:' .. requester, deadline .. seen)
  end
  redis.call('ZADD', lock.queue, orderOf(last, priority, order, owner), owner)
  outliveWaiters(lock, queued == 1)
end
if parked > 0 then
  rare.expireLater(lock.parked, waiterTtl)
  rare.sweep(lock)
  queued, parked = redis.call('ZCARD', lock.queue), redis.call('ZCARD', lock.parked)
end
local waits, place = queues == '1' or waiting, 0
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
if rare then
  rare.recall(lock)
end
local reply = (waits and 'QUEUED ' or 'TAKEN ') .. place .. ' ' .. waiters .. ' ' .. describe(lock)
deliver()
return reply
