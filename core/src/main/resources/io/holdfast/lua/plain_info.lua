-- plain_info.lua: tells who holds a key of the plain protocol.
--
-- KEYS[1] lock
-- ARGV[1] a value that is told whole, '' for none
--
-- Replies:
--   HELD holder remaining   the value, told as plain_shown.lua says, and the term in ms, -1 if it does not expire
--   FREE   there is no key
-- Effects: none.

-- include plain_shown.lua

local held = redis.call('GET', KEYS[1])
if held then
  return nil, { 'HELD', held == ARGV[1] and held or shown(held), redis.call('PTTL', KEYS[1]) }
end
return 'FREE'
