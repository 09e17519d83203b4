-- release.lua: ends an owner, whatever it is at present: a holder, a waiter, or neither. May be run again.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] tombstone of the owner, if it
-- is to get one
-- ARGV[1..2] see common.lua
-- ARGV[3] owner   ARGV[4] empty, or as words: life of the tombstone, ms, 0 for none; shortest hold, ms from the grant, 0 for
--         none; the last of the reserved tokens that was used, 0 if none were reserved
--
-- Replies, as words:
--   RELEASED …describe   the owner held the lock, and no longer does; without what describe tells if nobody waits
--   WITHDRAWN …describe   the owner waited, and no longer does
--   GONE …describe   the owner neither held nor waited
-- Effects: begins with the delete, which is allowed at maxmemory, and which no key of another program stops; hands the lock
-- to the next waiter and tells it. With a shortest hold that is not over yet, the lock rests until then: taken, by nobody.

-- include owner.lua

local owner = ARGV[3]
local text = redis.pcall('GET', KEYS[1])
local own = text and not text.err and text
-- rule ownercheck
own = isHoldOf(own, owner) and own
-- end
if own then
  redis.call('DEL', KEYS[1])
end
local queued = redis.call('EXISTS', KEYS[4]) == 1
if own and not queued and ARGV[4] == '' then
  return 'RELEASED' -- mostly nobody waits: then this is all, without what handles a queue
end

-- include hold.lua
-- include held.lua
-- include foreign.lua
-- include expiry.lua
-- include order.lua
-- include common.lua
-- include settle.lua

local lock = lockAt(1)
local tombstone, shortest, used = '0', '0', '0'
if ARGV[4] ~= '' then
  tombstone, shortest, used = string.match(ARGV[4], '^(%d+) (%d+) (%d+)$')
end

local claimed = queued and redis.pcall('HGET', lock.details, '@claim')
if claimed and claimed.err then
  claimed = not isForeign(claimed) and redis.call('HGET', lock.details, '@claim') -- any other error comes again
end
local word = 'GONE'
if own then
  lock.freed = true
  word = 'RELEASED'
  if claimed == owner then
    dequeue(lock, owner, true)
    claimed = false
  end
  if used ~= '0' or shortest ~= '0' then
    local token, since, label = string.match(own, ' (%d+) (%d+) %d+ (%S*)')
    if tonumber(used) >= tonumber(token) then
      -- Not of an earlier grant of the same owner, and nobody was granted the lock since: the others were not used.
      unlessForeign(writeToken, lock.token, tonumber(used), tokenTtl)
    end
    local rest = math.floor(since / 1000) + shortest
    if shortest ~= '0' and rest > math.floor(nowText / 1000) then
      know(lock, '- ' .. token .. ' ' .. since .. ' ' .. shortest .. ' ' .. label)
      redis.call('SET', lock.hold, lock.held, 'PXAT', rest)
    end
  end
else
  know(lock, readHold(lock.hold))
  if unlessForeign(dequeue, lock, owner) then
    word = 'WITHDRAWN'
  end
end

-- rule tombstone
local mark = tombstone ~= '0' and redis.pcall('GET', KEYS[6])
if tombstone ~= '0' and type(mark) ~= 'table' then -- what is foreign refuses the owner as well
  redis.call('DEL', KEYS[6]) -- a write that is allowed at maxmemory: it lets the next one pass
  redis.call('SET', KEYS[6], mark == 'A' and 'A' or '1', 'PX', tombstone) -- that it was adopted stays known
end
-- end

-- A repeated release tells its handoff again. Where the queue is another program's the hold ends all the same, without a handoff.
unlessForeign(settle, lock, nil, word == 'GONE', queued, claimed)
local reply = word .. ' ' .. describe(lock)
deliver()
return reply
