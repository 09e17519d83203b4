-- prolong.lua: extends a hold by name, whoever has it. An operator's act.
--
-- KEYS[1] hold
-- ARGV[1] at least so long from now, ms   ARGV[2] token that the hold must have, '' for any
--
-- Replies: a word, the remaining term in ms. The word is
--   HELD      somebody holds the lock, for at least this long
--   NOTHING   nobody does, or with another token, or the key is another program's, which is left alone
-- Effects: moves the expiry, only later.

-- include held.lua
-- include foreign.lua
-- include expiry.lua

local lock = {}
know(lock, readHold(KEYS[1]))
local other = lock.held and ARGV[2] ~= '' and ARGV[2] ~= string.match(lock.rest, '^%d+')
if not lock.held or lock.public == '?' or other then
  return 'NOTHING 0'
end
expireLater(KEYS[1], ARGV[1])
return 'HELD ' .. math.max(tonumber(ARGV[1]), redis.call('PTTL', KEYS[1]))
