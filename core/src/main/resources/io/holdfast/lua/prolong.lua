-- prolong.lua: extends a hold by name, whoever has it. An operator's act.
--
-- KEYS[1] hold
-- ARGV[1] at least so long from now, ms
--
-- Replies: a word, the time in microseconds, the remaining term in ms. The word is
--   HELD      somebody holds the lock, for at least this long
--   NOTHING   nobody does
-- Effects: moves the expiry, only later.

local clock = redis.call('TIME')
local nowMicros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local now = math.floor(nowMicros / 1000)

local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  return { 'NOTHING', nowMicros, 0 }
end
if left < tonumber(ARGV[1]) then
  redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', now + tonumber(ARGV[1])))
  left = tonumber(ARGV[1])
end
return { 'HELD', nowMicros, left }
