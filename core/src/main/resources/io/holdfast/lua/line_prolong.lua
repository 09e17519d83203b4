-- line_prolong.lua: extends holds of a line by name, of one owner or of all. An operator's act.
--
-- KEYS[1] members   KEYS[2] hold
-- ARGV[1] public owner, '' for all   ARGV[2] at least so long from now, ms
--
-- Replies: a word, and for how many ms the last of them is held. The word is
--   HELD      somebody holds, for at least this long
--   NOTHING   nobody does
-- Effects: moves the ends, only later; of the thousand holds that end first.

-- include time.lua
-- include lasting.lua

local longest = 0
local members = redis.call('ZRANGE', KEYS[1], int(now + 1), '+inf', 'BYSCORE', 'LIMIT', '0', '1000')
redis.call('ZREM', KEYS[1], '@') -- a write that is allowed at maxmemory: it lets the others pass
for _, member in ipairs(members) do
  if ARGV[1] == '' or ARGV[1] == string.match(member, '^%S+') then
    redis.call('ZADD', KEYS[1], 'XX', 'GT', int(now + ARGV[2]), member)
    longest = math.max(longest, redis.call('ZSCORE', KEYS[1], member) - now)
  end
end
if longest == 0 then
  return 'NOTHING 0'
end
outlive(KEYS[1], KEYS[2], longest)
return 'HELD ' .. int(longest)
