-- plain_release.lua: frees a key of the plain protocol, if it has this value. May be run again.
--
-- KEYS[1] lock
-- ARGV[1] value
--
-- Replies:
--   RELEASED time   the key had the value, and is gone
--   GONE time   it had not
-- Effects: one DEL, which is allowed at maxmemory.

local clock = redis.call('TIME')
local nowMicros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])

if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
  return { 'RELEASED', nowMicros }
end
return { 'GONE', nowMicros }
