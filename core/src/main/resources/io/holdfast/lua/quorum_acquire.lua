-- quorum_acquire.lua: asks one node of a quorum for a lock, once or again; nobody queues. Running it twice for one owner
-- changes nothing but a later expiry.
--
-- KEYS[1] hold   KEYS[2] token   KEYS[3] tombstone of the owner   KEYS[4] marker of the node
-- ARGV[1] owner   ARGV[2] term, ms   ARGV[3] token that is proposed   ARGV[4] quarantine, ms
-- ARGV[5] life of tokens, ms   ARGV[6] life of the marker, ms   ARGV[7] label
-- ARGV[8] '1' if a restart of the node loses nothing
--
-- Replies, each followed by the time in microseconds:
--   GRANTED time token   the owner holds the lock on this node, for at least a term from now
--   TAKEN time holder token since remaining label   somebody else does
--   FRESH time remaining   the node is new, or has lost its memory, or another process has its data now: it grants nothing
--                              for so many ms yet
--   GONE time   the owner was released before this request came
-- Effects: grants or does not. The marker, "since run", tells since when which process of the node has its memory; it is
-- written when there is none that counts. The token is the proposed one if that is neither too low nor more than a second ahead.

local clock = redis.call('TIME')
local nowMicros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local now = math.floor(nowMicros / 1000)

local owner, term = ARGV[1], tonumber(ARGV[2])
local FARTHEST_AHEAD = 1000000 -- microseconds; the quarantine outlasts it

-- include marker.lua

-- rule quarantine
local left = quarantineLeft(KEYS[4], ARGV[4], ARGV[6], ARGV[8])
if left > 0 then
  return { 'FRESH', nowMicros, left }
end
-- end
if redis.call('EXISTS', KEYS[3]) == 1 then
  return { 'GONE', nowMicros }
end

local text = redis.call('GET', KEYS[1])
if text then
  local holder, token, grantedAt, _, label = string.match(text, '^(%S+) (%d+) (%d+) (%d+) (%S*)$')
  if not holder then
    error('FOREIGN the key of the hold has a value that Holdfast did not write')
  end
  if holder ~= owner then
    return { 'TAKEN', nowMicros, string.match(holder, '^[^~]+'), tonumber(token), tonumber(grantedAt),
      math.max(0, redis.call('PTTL', KEYS[1])), label }
  end
  expireLater(KEYS[1], now + term)
  return { 'GRANTED', nowMicros, tonumber(token) }
end

local last = tonumber(redis.call('GET', KEYS[2]) or '0') or 0
local token = math.max(last + 1, nowMicros, math.min(tonumber(ARGV[3]), nowMicros + FARTHEST_AHEAD))
-- The token expires at its own time plus its life: after a clock that was ahead came back, tokens would fall otherwise.
redis.call('SET', KEYS[2], int(token), 'PXAT', int(math.floor(token / 1000) + tonumber(ARGV[5])))
redis.call('SET', KEYS[1], table.concat({ owner, int(token), int(nowMicros), int(term), ARGV[7] }, ' '),
  'PXAT', int(now + term))
return { 'GRANTED', nowMicros, token }
