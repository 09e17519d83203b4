-- plain_release.lua: frees a key of the plain protocol, if it has this value. May be run again.
--
-- KEYS[1] lock
-- ARGV[1] value
--
-- Replies:
--   RELEASED   the key had the value, and is gone
--   GONE   it had not
-- Effects: one DEL, which is allowed at maxmemory.

if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
  return 'RELEASED'
end
return 'GONE'
