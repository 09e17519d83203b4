-- adopted.lua: whether another process goes on with a hold. Asked by a client that has given a ticket of it, when the server
-- says that its own owner does not hold the lock.
--
-- KEYS[1] hold   KEYS[2] tombstone of the owner
-- ARGV[1] owner   ARGV[2] token
--
-- Replies:
--   ADOPTED time   another owner holds the lock with this token, or has adopted it lately
--   OTHER time   not that this server knows
-- Effects: none.

local clock = redis.call('TIME')
local nowMicros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])

local texts = redis.call('MGET', KEYS[1], KEYS[2])
local owner, token = string.match(texts[1] or '', '^(%S+) (%d+) ')
-- A lock that rests has the token of the hold before, and no owner.
local handed = token == ARGV[2] and owner ~= ARGV[1] and owner ~= '-'
if handed or texts[2] == 'A' then
  return { 'ADOPTED', nowMicros }
end
return { 'OTHER', nowMicros }
