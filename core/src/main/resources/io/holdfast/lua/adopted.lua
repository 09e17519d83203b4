-- adopted.lua: whether another process goes on with a hold. Asked by a client that has given a ticket of it, when the server
-- says that its own owner does not hold the lock.
--
-- KEYS[1] hold   KEYS[2] tombstone of the owner
-- ARGV[1] owner   ARGV[2] token of the lease that was left to it
--
-- Replies:
--   ADOPTED   another owner holds the lock with this token, or has adopted it lately
--   OTHER   not that this server knows
-- Effects: none.

-- include held.lua
-- include owner.lua

local texts = redis.call('MGET', KEYS[1], KEYS[2])
local lock = {}
know(lock, texts[1])
-- A lock that rests, or has a record, has the token of the hold before, and no owner.
local handed = lock.held and string.match(lock.rest, '^%d+') == ARGV[2] and not isHoldOf(lock.held, ARGV[1])
  and lock.public ~= '-' and lock.public ~= '='
if handed or texts[2] == 'A' then
  return 'ADOPTED'
end
return 'OTHER'
