-- plain_extend.lua: moves the expiry of keys of the plain protocol, only later and only where they have these values.
--
-- KEYS[n] lock
-- ARGV[2n-1] value   ARGV[2n] term, ms from now; 0 takes the expiry away
--
-- Replies:
--   time held…   for each key 1 if it has the value, for at least the term from now, else 0
-- Effects: never creates a key, never frees one.

local clock = redis.call('TIME')
local nowMicros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local now = math.floor(nowMicros / 1000)

local replies = { nowMicros }
for n = 1, #KEYS do
  local term = tonumber(ARGV[2 * n])
  local held = redis.call('GET', KEYS[n]) == ARGV[2 * n - 1]
  local left = held and redis.call('PTTL', KEYS[n]) or -1
  if left ~= -1 then
    if term == 0 then
      redis.call('PERSIST', KEYS[n])
    elseif left < term then
      -- Up to 7.0 the key may end while the script runs.
      held = redis.call('PEXPIREAT', KEYS[n], string.format('%.0f', now + term)) == 1
    end
  end
  replies[n + 1] = held and 1 or 0
end
return replies
