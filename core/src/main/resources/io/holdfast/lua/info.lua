-- info.lua: tells who holds and who waits, for a batch of locks.
--
-- KEYS[4i-3..4i] hold, queue, parked, details of the i-th lock
-- ARGV[1] most waiters to list of each lock
--
-- Replies: time, then for each lock a list: hold (the text without the secret, '' for none), remaining term in ms,
-- number of waiters, then for each listed waiter: its public owner id, since in microseconds, its label.
-- Effects: none.

local clock = redis.call('TIME')
local replies = { tonumber(clock[1]) * 1000000 + tonumber(clock[2]) }
local most = tonumber(ARGV[1])

for i = 1, #KEYS / 4 do
  local hold, queue, parked, details = KEYS[4 * i - 3], KEYS[4 * i - 2], KEYS[4 * i - 1], KEYS[4 * i]
  local text = redis.call('MGET', hold)[1]
  local claimed = redis.call('HGET', details, '@claim')
  local reply = {
    text and string.match(text, '^%S+ %d+ %d+ %d+ %S*$') and string.gsub(text, '~%S*', '', 1) or '',
    math.max(0, redis.call('PTTL', hold)),
    redis.call('ZCARD', queue) + redis.call('ZCARD', parked) - (claimed and 1 or 0),
  }
  local waiters = {}
  for _, key in ipairs({ queue, parked }) do
    local listed = redis.call('ZRANGE', key, 0, most, 'WITHSCORES')
    for j = 1, #listed, 2 do
      if listed[j] ~= claimed then
        waiters[#waiters + 1] = { listed[j], tonumber(listed[j + 1]) }
      end
    end
  end
  table.sort(waiters, function(a, b) return a[2] < b[2] end)
  for j = 1, math.min(most, #waiters) do
    local owner = waiters[j][1]
    local facts = redis.call('HMGET', details, owner, '@a:' .. string.match(owner, '^[^.]+'))
    reply[#reply + 1] = string.match(owner, '^[^~]+')
    reply[#reply + 1] = tonumber(string.match(facts[1] or '0', '^%d+'))
    reply[#reply + 1] = (facts[2] and string.match(facts[2], '^%d+ %d (%S*)$') or '') .. '/'
      .. (facts[1] and string.match(facts[1], '(%S*)$') or '')
  end
  replies[#replies + 1] = reply
end
return replies
