-- quorum_release.lua: ends an owner on one node of a quorum, and wakes those who wait for the lock. May be run again.
--
-- KEYS[1] hold   KEYS[2] tombstone of the owner
-- ARGV[1] owner   ARGV[2] life of the tombstone, ms, 0 for none   ARGV[3] channel of the lock
--
-- Replies, each followed by the time in microseconds:
--   RELEASED time   the owner held the lock here, and no longer does
--   GONE time   it did not
-- Effects: begins with the delete, which is allowed at maxmemory.

local clock = redis.call('TIME')
local nowMicros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])

local word = 'GONE'
local text = redis.call('MGET', KEYS[1])[1] -- a key of another type counts as absent
local mine = ARGV[1] .. ' '
if text and string.sub(text, 1, #mine) == mine then
  redis.call('DEL', KEYS[1])
  word = 'RELEASED'
end
if ARGV[2] ~= '0' and type(redis.pcall('GET', KEYS[2])) ~= 'table' then -- what is foreign refuses the owner as well
  redis.call('DEL', KEYS[2]) -- a write that is allowed at maxmemory: it lets the next one pass
  redis.call('SET', KEYS[2], '1', 'PX', ARGV[2])
end
if word == 'RELEASED' then
  redis.pcall('PUBLISH', ARGV[3], 'F')
end
return { word, nowMicros }
