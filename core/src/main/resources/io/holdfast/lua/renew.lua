-- renew.lua: moves the expiries of holds, only later. One call for a batch; touches the keys of holds only, so that
-- renewal goes on while a slot is being moved.
--
-- KEYS[1..n] holds
-- ARGV[3i-2] owner   ARGV[3i-1] token   ARGV[3i] term, ms, of the i-th hold
--
-- Replies: time, then for each hold 1 (held, for at least a term from now), 2 (the same, and others want the lock that its
-- client keeps) or 0 (gone).
-- Effects: never creates a key.

local clock = redis.call('TIME')
local nowMicros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local now = math.floor(nowMicros / 1000)

local texts = redis.call('MGET', unpack(KEYS))
local reply = { nowMicros }
for i = 1, #KEYS do
  -- rule tokencompare
  local mine = ARGV[3 * i - 2] .. ' ' .. ARGV[3 * i - 1] .. ' '
  -- end
  local held = 0
  if texts[i] and string.sub(texts[i], 1, #mine) == mine then
    held = string.sub(texts[i], -2) == ' R' and 2 or 1 -- see common.lua; a label has no blank
    local term = tonumber(ARGV[3 * i])
    if redis.call('PTTL', KEYS[i]) < term then
      redis.call('PEXPIREAT', KEYS[i], string.format('%.0f', now + term))
    end
  end
  reply[#reply + 1] = held
end
return reply
