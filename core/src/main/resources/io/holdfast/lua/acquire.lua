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
--         F to queue at the tail, N at the head, R anywhere, "Sweight:group" by the group's share; life of the request, ms, 0
--         for none; then T to the tail, or L leave; claim window, ms
--
-- Replies, as words:
--   GRANTED token since kept   the owner holds the lock, for at least a term from now; kept is 1 if its client will be told
--                              when others want it, and nobody else has wanted it yet; not told if it is as was asked
--   QUEUED place waiters …describe   the owner waits; place 1 is next in line
--   TAKEN 0 waiters …describe   somebody else holds the lock, or nobody while it rests, and the owner does not wait
--   FULL 0 waiters …describe   somebody else holds the lock, and the queue has no room
--   EVICTED   the owner waited, and was dropped by name
--   DONE 0 0 …describe   what is asked for was done: the hold is a record of it, see hold.lua, and nothing has changed
--   GONE   the owner was released or withdrawn before this request came
--   MORE   too many dead waiters for one script: ask again
-- Effects: settles the lock; grants, queues, or neither; moves a waiter that has outlived its life to the tail. Tells the
-- next waiter if there was a handoff, and a client whose leases share the hold that the lock is wanted, which is noted there.

-- include token.lua
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
-- include exclusive.lua

local lock = lockAt(1)

-- include read_request.lua

know(lock, redis.call('GET', lock.hold)) -- raises the error of a key of another type
if lock.public == '?' then
  error('FOREIGN the key of the hold has a value that Holdfast did not write')
end
-- rule done
if lock.public == '=' then
  return 'DONE 0 0 ' .. describe(lock)
end
-- end
local facts, queued = read()
local parked, waiting = 0, facts[1]
local own = isHoldOf(lock.held, owner)

-- Whether there is a key besides those of a hold and of a queue.
local more = found - (lock.held and 1 or 0) - (facts[2] and 1 or 0) - (queued > 0 and 1 or 0) > 0
local rare -- mostly somebody else holds, and the owner only has to queue: then this is nothing

if more or own or waiting or lock.kept ~= '' or limit ~= '0' or admits(lock.held) then
-- include foreign.lua
-- include expiry.lua
-- include queue.lua
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
    if isHoldOf(redis.call('HGET', lock.details, '@claim'), owner) then
      takeOut(lock, owner, true)
    end
    return granted()
  end
  if more and redis.call('HEXISTS', KEYS[7], owner) == 1 then
    return 'EVICTED'
  end

  if admits(lock.held) then
    rare.demandOurs(lock)
    local noted = redis.call('HMGET', lock.details, '@claim', '@pause')
    settle(lock, waiting and owner or nil, false, facts[2], noted[1], noted[2])
    if lock.more == '1' then
      return 'MORE'
    end
    facts, queued = read()
    parked, waiting = redis.call('ZCARD', lock.parked), facts[1]
    if admits(lock.held) then
      grant(lock, owner, queued + parked == 0 and ARGV[5] or string.match(ARGV[5], '^%d+ %S*'), ARGV[4], ARGV[6])
      if waiting then
        rare.dequeue(lock, owner)
      end
    elseif isHoldOf(lock.held, owner) then
      expireLater(lock.hold, ARGV[4])
      takeOut(lock, owner, true)
    end
    if isHoldOf(lock.held, owner) then
      deliver()
      return granted()
    end
  end

-- include bound_queue.lua
-- include return_parked.lua
end

-- include share.lua
-- include enqueue.lua
