-- prolong.lua: extends a hold by name, whoever has it. An operator's act.
--
-- KEYS[1] hold
-- ARGV[1] at least so long from now, ms
--
-- Replies: a word, the remaining term in ms. The word is
--   HELD      somebody holds the lock, for at least this long
--   NOTHING   nobody does, or the key is another program's, which is left alone
-- Effects: moves the expiry, only later.

-- include hold.lua
-- include held.lua

local held, atLeast = readHold(KEYS[1]), tonumber(ARGV[1])
if not held or held.owner == '?' then
  return { 'NOTHING', 0 }
end
extendHold(KEYS[1], atLeast)
return { 'HELD', math.max(atLeast, redis.call('PTTL', KEYS[1])) }
