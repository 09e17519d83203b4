-- pause.lua: pauses a lock for a time, or ends its pause. An operator's act.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token
-- ARGV[1..2] see common.lua
-- ARGV[3] for how long, ms, 0 to end a pause   ARGV[4] label of the operator, with the reason
--
-- Replies, as words, one of these and …describe:
--   PAUSED    the lock is free, and is not granted until then
--   NOTED     the lock is held, or rests: it pauses as soon as that is over
--   RESUMED   a pause has ended
--   NOTHING   there was none to end
-- Effects: replaces a pause that was there before. Takes nothing from a holder, and tells one whose leases share the hold that the lock is
-- wanted. Waiters keep their places. At the end of a pause the next of them is served, as at that of a rest.

-- include token.lua
-- include hold.lua
-- include owner.lua
-- include held.lua
-- include foreign.lua
-- include expiry.lua
-- include order.lua
-- include common.lua
-- include exclusive.lua
-- include queue.lua
-- include settle.lua

local lock = lockAt(1)
local rare = seldom()
know(lock, readHold(lock.hold))
rare.demandOurs(lock)
if lock.public == '?' then
  error('FOREIGN the key of the hold has a value that Holdfast did not write')
end
local facts = redis.call('HMGET', lock.details, '@seq', '@claim', '@pause')
local before = lock.public == '!' or facts[3] and rare.pauseLeft(facts[3]) > 0
redis.call('HDEL', lock.details, '@pause') -- a write that is allowed at maxmemory: it lets the others pass
if lock.public == '!' then
  redis.call('DEL', lock.hold)
  know(lock, false)
  lock.freed = true
end

local word, pause = before and 'RESUMED' or 'NOTHING', false
if ARGV[3] ~= '0' then
  pause = '! 0 ' .. nowText .. ' ' .. ARGV[3] .. ' ' .. ARGV[4]
  rare.notePause(lock, pause)
end
settle(lock, nil, false, facts[1], facts[2], pause)
if pause then
  word = lock.public == '!' and 'PAUSED' or 'NOTED'
  if word == 'NOTED' then
    rare.recall(lock)
  end
end
local reply = word .. ' ' .. describe(lock)
deliver()
return reply
