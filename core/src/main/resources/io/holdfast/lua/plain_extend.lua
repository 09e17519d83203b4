-- plain_extend.lua: moves the expiry of a key of the plain protocol, only later and only if it has this value.
--
-- KEYS[1] lock
-- ARGV[1] value   ARGV[2] term, ms from now; 0 takes the expiry away
--
-- Replies:
--   HELD   the key has the value, for at least the term from now
--   GONE   it has not
-- Effects: never creates a key, never frees one.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return { 'GONE' }
end
local term = tonumber(ARGV[2])
local left = redis.call('PTTL', KEYS[1])
if left ~= -1 then
  if term == 0 then
    redis.call('PERSIST', KEYS[1])
  elseif left < term and redis.call('PEXPIREAT', KEYS[1], int(now + term)) == 0 then
    return { 'GONE' } -- it ended while the script ran, as may be up to 7.0
  end
end
return { 'HELD' }
