-- plain_extend.lua: moves the expiry of keys of the plain protocol, only later and only where they have these values.
--
-- KEYS[1..n] locks
-- ARGV[2i-1] value   ARGV[2i] term, ms from now, of the i-th lock; 0 takes the expiry away
--
-- Replies: for each lock 1 (the key has the value, for at least the term from now) or 0 (it has not).
-- Effects: never creates a key, never frees one.

-- include time.lua

local reply = {}
for i = 1, #KEYS do
  local term = tonumber(ARGV[2 * i])
  local held = redis.call('GET', KEYS[i]) == ARGV[2 * i - 1]
  local left = held and redis.call('PTTL', KEYS[i]) or -1
  if left ~= -1 then
    if term == 0 then
      redis.call('PERSIST', KEYS[i])
    elseif left < term then
      -- Up to 7.0 the key may end while the script runs.
      held = redis.call('PEXPIREAT', KEYS[i], int(now + term)) == 1
    end
  end
  reply[i] = held and 1 or 0
end
return table.concat(reply, ' ')
