-- info.lua: tells who holds and who waits, for a batch of locks.
--
-- KEYS[5i-4..5i] hold, queue, parked, details, token of the i-th lock
-- ARGV[1..2] see common.lua
-- ARGV[3] most waiters to list of each lock
--
-- Replies: a list with words for each lock: number of waiters; state of the hold, see below, empty for none; number of those
-- listed; for each of these its public owner id, since in microseconds, its label, its priority, its queue order (F, N, R), its
-- state; then what held.lua tells of the hold. States are of the client:
--   here      it can be told of a grant          away      it listens nowhere at present
--   suspect   it did not take up a grant         gone      it has not reported in time
--   claimed   (of a hold) it was handed the lock and has not confirmed yet         held      (of a hold) confirmed
-- Effects: none.

-- include hold.lua
-- include owner.lua
-- include held.lua
-- include foreign.lua
-- include expiry.lua
-- include order.lua
-- include common.lua
-- include settle.lua

local replies = {}
local most = tonumber(ARGV[3])
local rare = seldom()
requester = '' -- nobody is here only because it asks

local function queueOrderOf(order)
  local place = order + rare.priorityOf(order) * 2 ^ 42
  return place < 0 and 'N' or place < 2 ^ 40 and 'F' or 'R'
end

for i = 1, #KEYS / 5 do
  local lock = lockAt(i)
  know(lock, readHold(lock.hold))
  if lock.public == '?' then
    know(lock, false) -- another program's
  end
  local sound = unlessForeign(rare.demandOurs, lock) -- the other locks must not suffer for it
  local claimed = sound and redis.call('HGET', lock.details, '@claim')
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
  local words = {
    sound and rare.waitersOf(lock, claimed) or 0,
    not lock.held and '' or claimed and isHoldOf(lock.held, claimed) and 'claimed' or 'held',
    math.min(most, #waiters),
  }
  for j = 1, math.min(most, #waiters) do
    local owner, order = waiters[j][1], waiters[j][2]
    local about = redis.call('HGET', lock.details, owner)
    local since, label = string.match(about or '', '^%d+ (%d+) %d+ %a %d+ %d+ %d+ (%S*)')
    words[#words + 1] = string.match(owner, '^[^~]+')
    words[#words + 1] = since or '0'
    words[#words + 1] = label or ''
    words[#words + 1] = rare.priorityOf(order)
    words[#words + 1] = queueOrderOf(order)
    words[#words + 1] = rare.reach(lock, clientOf(owner))
  end
  replies[i] = table.concat(words, ' ') .. tellHold(lock.hold, lock)
end
return nil, replies
