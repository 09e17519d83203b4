-- plain_extend.lua: moves the expiry of a key of the plain protocol, only later and only if it has this value.
--
-- KEYS[1] lock
-- ARGV[1] value   ARGV[2] term, ms from now; 0 takes the expiry away
--
-- Replies:
--   HELD time   the key has the value, for at least the term from now
--   GONE time   it has not
-- Effects: never creates a key, never frees one.

local clock = redis.call('TIME')
local nowMicros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local now = math.floor(nowMicros / 1000)

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return { 'GONE', nowMicros }
end
local term = tonumber(ARGV[2])
local left = redis.call('PTTL', KEYS[1])
if left ~= -1 then
  if term == 0 then
    redis.call('PERSIST', KEYS[1])
  elseif left < term and redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', now + term)) == 0 then
    return { 'GONE', nowMicros } -- it ended while the script ran, as may be up to 7.0
  end
end
return { 'HELD', nowMicros }
