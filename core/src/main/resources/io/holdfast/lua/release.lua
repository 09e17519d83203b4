-- release.lua: ends an owner, whatever it is at present: a holder, a waiter, or neither. May be run again.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] tombstone of the owner
-- ARGV[1..4] see common.lua
-- ARGV[5] owner   ARGV[6] life of the tombstone, ms, 0 for none   ARGV[7] shortest hold, ms from the grant, 0 for none
-- ARGV[8] the last of the reserved tokens that was used, 0 if none were reserved
--
-- Replies:
--   RELEASED …describe   the owner held the lock, and no longer does; without what describe tells if nobody waits
--   WITHDRAWN …describe   the owner waited, and no longer does
--   GONE …describe   the owner neither held nor waited
-- Effects: begins with the delete, which is allowed at maxmemory, and which no key of another program stops; hands the lock
-- to the next waiter and tells it. With a shortest hold that is not over yet, the lock rests until then: taken, by nobody.

-- include hold.lua

-- Mostly nobody waits, and the owner holds: then this is all, without what handles a queue.
local facts = redis.pcall('HMGET', KEYS[4], '@seq', '@claim')
if facts.err then
  facts = isForeign(facts) and {} or redis.call('HMGET', KEYS[4], '@seq', '@claim') -- any other error comes again
end
if ARGV[6] == '0' and ARGV[7] == '0' and not facts[1] and not facts[2] then
  local text = redis.call('MGET', KEYS[1])[1]
  if isHoldOf(text, ARGV[5]) then
    endHold(KEYS[1])
    local used = tonumber(ARGV[8])
    if used > 0 and used >= tonumber(parseHold(text).token) then -- not of an earlier grant of the same owner
      -- Nobody was granted the lock since: the others were not used.
      unlessForeign(writeToken, KEYS[5], used, ARGV[8], tonumber(ARGV[4]))
    end
    return { 'RELEASED' }
  end
end

-- include held.lua
-- include common.lua

local lock = lockAt(1)
local owner, tombstone, shortest = ARGV[5], ARGV[6], tonumber(ARGV[7])

lock.held = readHold(lock.hold)
local word = 'GONE'
-- rule ownercheck
if lock.held and lock.held.owner == owner then
  -- end
  endHold(lock.hold)
  lock.freed = true
  word = 'RELEASED'
  if facts[2] == owner then
    dequeue(lock, owner, true)
    facts = nil
  end
  local used = tonumber(ARGV[8])
  if used >= tonumber(lock.held.token) then
    unlessForeign(writeToken, lock.token, used, ARGV[8], tokenTtl)
  end
  local rest = math.floor(tonumber(lock.held.since) / 1000) + shortest
  if shortest > 0 and rest > now then
    lock.held.owner, lock.held.term, lock.held.kept = '-', ARGV[7], ''
    redis.call('SET', lock.hold, holdText(lock.held), 'PXAT', int(rest))
  else
    lock.held = nil
  end
elseif unlessForeign(dequeue, lock, owner) then
  facts = nil
  word = 'WITHDRAWN'
end

-- rule tombstone
local mark = tombstone ~= '0' and redis.pcall('GET', KEYS[6])
if tombstone ~= '0' and type(mark) ~= 'table' then -- what is foreign refuses the owner as well
  redis.call('DEL', KEYS[6]) -- a write that is allowed at maxmemory: it lets the next one pass
  redis.call('SET', KEYS[6], mark == 'A' and 'A' or '1', 'PX', tombstone) -- that it was adopted stays known
end
-- end

unlessForeign(settle, lock, nil, word == 'GONE', facts) -- a repeated release tells its handoff again
local reply = describe(lock, { word })
deliver()
return reply
