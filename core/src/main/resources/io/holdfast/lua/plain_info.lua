-- plain_info.lua: tells who holds a key of the plain protocol.
--
-- KEYS[1] lock
--
-- Replies:
--   HELD time holder remaining   the value, and the term in ms, -1 if it does not expire
--   FREE time   there is no key
-- Effects: none.

local clock = redis.call('TIME')
local nowMicros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])

local held = redis.call('GET', KEYS[1])
if held then
  return { 'HELD', nowMicros, held, redis.call('PTTL', KEYS[1]) }
end
return { 'FREE', nowMicros }
