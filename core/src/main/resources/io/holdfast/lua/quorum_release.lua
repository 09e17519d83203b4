-- quorum_release.lua: ends an owner on one node of a quorum, and wakes those who wait for the lock. May be run again.
--
-- KEYS[1] hold   KEYS[2] tombstone of the owner
-- ARGV[1] owner   ARGV[2] life of the tombstone, ms, 0 for none   ARGV[3] channel of the lock
--
-- Replies:
--   RELEASED   the owner held the lock here, and no longer does
--   GONE   it did not
-- Effects: begins with the delete, which is allowed at maxmemory.

-- include owner.lua

local word = 'GONE'
if isHoldOf(redis.call('MGET', KEYS[1])[1], ARGV[1]) then -- a key of another type counts as absent
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
return word
