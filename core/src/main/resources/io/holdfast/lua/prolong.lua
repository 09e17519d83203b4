-- prolong.lua: extends a hold by name, whoever has it. An operator's act.
--
-- KEYS[1] hold
-- ARGV[1..4] see common.lua
-- ARGV[5] at least so long from now, ms
--
-- Replies: a word, the time in microseconds, the remaining term in ms. The word is
--   HELD      somebody holds the lock, for at least this long
--   NOTHING   nobody does, or the key is another program's, which is left alone
-- Effects: moves the expiry, only later.

-- include hold.lua
-- include common.lua

local lock = { hold = KEYS[1] }
local atLeast = tonumber(ARGV[5])
readHold(lock)
if not lock.held or lock.held.owner == '?' then
  return { 'NOTHING', nowMicros, 0 }
end
expireLater(lock.hold, now + atLeast)
return { 'HELD', nowMicros, math.max(atLeast, redis.call('PTTL', lock.hold)) }
