-- plain_info.lua: tells who holds a key of the plain protocol.
--
-- KEYS[1] lock
-- ARGV[1] a value that is told whole, '' for none
--
-- Replies:
--   HELD time holder remaining   the value, told as plain_shown.lua says, and the term in ms, -1 if it does not expire
--   FREE time   there is no key
-- Effects: none.

local clock = redis.call('TIME')
local nowMicros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])

-- include plain_shown.lua

local held = redis.call('GET', KEYS[1])
if held then
  return { 'HELD', nowMicros, held == ARGV[1] and held or shown(held), redis.call('PTTL', KEYS[1]) }
end
return { 'FREE', nowMicros }
