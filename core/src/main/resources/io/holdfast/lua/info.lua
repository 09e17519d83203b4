-- info.lua: tells who holds and who waits, for a batch of locks.
--
-- KEYS[5i-4..5i] hold, queue, parked, details, token of the i-th lock
-- ARGV[1..4] see common.lua
-- ARGV[5] most waiters to list of each lock
--
-- Replies: time, then for each lock a list: hold (the text up to its label, without the secret, '' for none), remaining term in ms,
-- the hold's state (see below, '' for none), number of waiters, then for each listed waiter: its public owner id, since in
-- microseconds, its label, its priority, its mode (F, N, R), its state. States are of the client:
--   here      it can be told of a grant          away      it listens nowhere at present
--   suspect   it did not take up a grant         gone      it has not reported in time
--   claimed   (of a hold) it was handed the lock and has not confirmed yet         held      (of a hold) confirmed
-- Effects: none.

-- include hold.lua
-- include common.lua

local replies = { nowMicros }
local most = tonumber(ARGV[5])
requester = '' -- nobody is here only because it asks

for i = 1, #KEYS / 5 do
  local lock = lockAt(5 * i - 4)
  local text = redis.call('MGET', lock.hold)[1]
  local ours = text and string.match(text, '^(%S+ %d+ %d+ %d+ %S*) ?[KR]?$')
  local sound = unlessForeign(demandOurs, lock) -- the other locks must not suffer for it
  local claimed = sound and redis.call('HGET', lock.details, '@claim')
  local state = ''
  if ours then
    state = claimed and string.sub(text, 1, #claimed + 1) == claimed .. ' ' and 'claimed' or 'held'
  end
  local reply = {
    ours and string.gsub(ours, '~%S*', '', 1) or '',
    math.max(0, redis.call('PTTL', lock.hold)),
    state,
    sound and waitersOf(lock, claimed) or 0,
  }
  local waiters = {}
  if sound and most > 0 then
    for _, key in ipairs({ lock.queue, lock.parked }) do
      local listed = redis.call('ZRANGE', key, 0, most, 'WITHSCORES')
      for j = 1, #listed, 2 do
        if listed[j] ~= claimed then
          waiters[#waiters + 1] = { listed[j], tonumber(listed[j + 1]) }
        end
      end
    end
  end
  table.sort(waiters, function(a, b) return a[2] < b[2] end)
  for j = 1, math.min(most, #waiters) do
    local owner, order = waiters[j][1], waiters[j][2]
    local facts = redis.call('HMGET', lock.details, owner, '@a:' .. clientOf(owner))
    reply[#reply + 1] = publicPart(owner)
    reply[#reply + 1] = tonumber(string.match(facts[1] or '0', '^%d+'))
    reply[#reply + 1] = (facts[2] and string.match(facts[2], '^%d+ %d (%S*)$') or '') .. '/'
      .. (facts[1] and string.match(facts[1], '(%S*)$') or '')
    reply[#reply + 1] = priorityOf(order)
    reply[#reply + 1] = modeOf(order)
    reply[#reply + 1] = reach(lock, clientOf(owner))
  end
  replies[#replies + 1] = reply
end
return replies
