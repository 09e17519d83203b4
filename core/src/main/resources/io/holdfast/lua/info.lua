-- info.lua: tells who holds and who waits, for a batch of locks.
--
-- KEYS[5i-4..5i] hold, queue, parked, details, token of the i-th lock
-- ARGV[1..4] see common.lua
-- ARGV[5] most waiters to list of each lock
--
-- Replies: for each lock a list: what hold.lua tells of the hold, its term in ms and its state (see below; '' for none),
-- number of waiters, then for each listed waiter: its public owner id, since in microseconds, its label, its priority, its
-- queue order (F, N, R), its state. States are of the client:
--   here      it can be told of a grant          away      it listens nowhere at present
--   suspect   it did not take up a grant         gone      it has not reported in time
--   claimed   (of a hold) it was handed the lock and has not confirmed yet         held      (of a hold) confirmed
-- Effects: none.

-- include hold.lua
-- include held.lua
-- include common.lua

local replies = {}
local most = tonumber(ARGV[5])
requester = '' -- nobody is here only because it asks

for i = 1, #KEYS / LOCK_KEYS do
  local lock = lockAt(i)
  local held = readHold(lock.hold)
  if held and held.owner == '?' then
    held = nil -- another program's
  end
  local sound = unlessForeign(demandOurs, lock) -- the other locks must not suffer for it
  local claimed = sound and redis.call('HGET', lock.details, '@claim')
  local reply = tellHold({}, lock.hold, held)
  reply[#reply + 1] = held and held.term or ''
  reply[#reply + 1] = held and (held.owner == claimed and 'claimed' or 'held') or ''
  reply[#reply + 1] = sound and waitersOf(lock, claimed) or 0
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
    reply[#reply + 1] = queueOrderOf(order)
    reply[#reply + 1] = reach(lock, clientOf(owner))
  end
  replies[#replies + 1] = reply
end
return replies
