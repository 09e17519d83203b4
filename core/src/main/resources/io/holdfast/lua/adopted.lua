-- adopted.lua: whether another process goes on with a hold. Asked by a client that has given a ticket of it, when the server
-- says that its own owner does not hold the lock.
--
-- KEYS[1] hold   KEYS[2] tombstone of the owner
-- ARGV[1] owner   ARGV[2] token
--
-- Replies:
--   ADOPTED   another owner holds the lock with this token, or has adopted it lately
--   OTHER   not that this server knows
-- Effects: none.

-- include hold.lua

local texts = redis.call('MGET', KEYS[1], KEYS[2])
local held = parseHold(texts[1])
-- A lock that rests has the token of the hold before, and no owner.
local handed = held and held.token == ARGV[2] and held.owner ~= ARGV[1] and held.owner ~= '-'
if handed or texts[2] == 'A' then
  return { 'ADOPTED' }
end
return { 'OTHER' }
