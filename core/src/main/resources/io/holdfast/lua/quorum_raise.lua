-- quorum_raise.lua: writes the fencing token of a quorum's lease back to one node that has granted the lock, and moves the
-- expiry of the hold. May be run again.
--
-- KEYS[1] hold   KEYS[2] token
-- ARGV[1] owner   ARGV[2] token of this node's grant   ARGV[3] token of the lease   ARGV[4] term, ms
-- ARGV[5] life of tokens, ms
--
-- Replies, each followed by the time in microseconds:
--   HELD time   the owner holds the lock here, for at least a term from now, and later grants have greater tokens
--   GONE time   it does not
-- Effects: raises the last token, moves the expiry, both only upwards. Creates no hold.

local clock = redis.call('TIME')
local nowMicros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local now = math.floor(nowMicros / 1000)

local text = redis.call('GET', KEYS[1])
-- rule raiseowner
local mine = ARGV[1] .. ' ' .. ARGV[2] .. ' '
if not text or string.sub(text, 1, #mine) ~= mine then
  return { 'GONE', nowMicros }
end
-- end
local token = tonumber(ARGV[3])
-- rule writeback
if (tonumber(redis.call('GET', KEYS[2]) or '0') or 0) < token then
  redis.call('SET', KEYS[2], ARGV[3],
    'PXAT', string.format('%.0f', math.floor(token / 1000) + tonumber(ARGV[5])))
end
-- end
local term = tonumber(ARGV[4])
if text and redis.call('PTTL', KEYS[1]) < term then
  redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', now + term))
end
return { 'HELD', nowMicros }
