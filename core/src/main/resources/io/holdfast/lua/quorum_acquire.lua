-- quorum_acquire.lua: asks one node of a quorum for a lock, once or again; nobody queues. Running it twice for one owner
-- changes nothing but a later expiry.
--
-- KEYS[1] hold   KEYS[2] token   KEYS[3] tombstone of the owner   KEYS[4] marker of the node
-- ARGV[1] owner   ARGV[2] term, ms   ARGV[3] token that is proposed   ARGV[4] quarantine, ms
-- ARGV[5] life of tokens, ms   ARGV[6] life of the marker, ms   ARGV[7] label
-- ARGV[8] '1' if a restart of the node loses nothing   ARGV[9] what the clients of the quorum agree on
--
-- Replies:
--   GRANTED token   the owner holds the lock on this node, for at least a term from now
--   TAKEN …   somebody else does; what hold.lua tells of the hold
--   FRESH remaining   the node is new, or has lost its memory, or another process has its data now: it grants nothing
--                              for so many ms yet
--   OTHER agreement   clients that agree on something else use the node: it grants nothing to this one
--   GONE   the owner was released before this request came
-- Effects: grants or does not. The marker, "since run agreement", tells since when which process of the node has its memory, and
-- on what its clients agree; it is written when there is none that counts. The token is the proposed one if that is neither too low nor more than a second
-- ahead.

local owner, term = ARGV[1], ARGV[2]
local FARTHEST_AHEAD = 1000000 -- microseconds; the quarantine outlasts it

-- include time.lua
-- include token.lua
-- include hold.lua
-- include owner.lua
-- include held.lua
-- include expiry.lua
-- include marker.lua

-- rule quarantine
local left, agreed = quarantineLeft(KEYS[4], ARGV[4], ARGV[6], ARGV[8], ARGV[9], true)
if agreed then
  return 'OTHER ' .. agreed
end
if left > 0 then
  return 'FRESH ' .. left
end
-- end
if redis.call('EXISTS', KEYS[3]) == 1 then
  return 'GONE'
end

local lock = {}
know(lock, redis.call('GET', KEYS[1])) -- raises the error of a key of another type
if lock.public == '?' then
  error('FOREIGN the key of the hold has a value that Holdfast did not write')
end
if isHoldOf(lock.held, owner) then
  expireLater(KEYS[1], term)
  return 'GRANTED ' .. string.match(lock.rest, '^%d+')
elseif lock.held then
  return 'TAKEN' .. tellHold(KEYS[1], lock)
end

local proposed = math.min(tonumber(ARGV[3]), nowMicros + FARTHEST_AHEAD)
return 'GRANTED ' .. (grantHold(KEYS[1], KEYS[2], owner, term .. ' ' .. ARGV[7], term, ARGV[5], '0', proposed))
