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

-- include owner.lua
-- include held.lua
-- include foreign.lua
-- include expiry.lua
-- include order.lua
-- include common.lua
-- include queue.lua

local most = tonumber(ARGV[3])
-- include waiters.lua

local replies = {}
for i = 1, #KEYS / 5 do
  local lock = lockAt(i)
  know(lock, readHold(lock.hold))
  if lock.public == '?' then
    know(lock, false) -- another program's
  end
  -- Most have no queue, and one question says so. The other locks must not suffer for one whose keys are another program's.
  local queued = redis.call('EXISTS', lock.queue, lock.parked, lock.details) > 0
  local sound = queued and unlessForeign(rare.demandOurs, lock)
  local claimed = sound and redis.call('HGET', lock.details, '@claim')
  local waiters = sound and waitersIn(lock, claimed, most) or {}
  local words = {
    sound and rare.waitersOf(lock, claimed) or 0,
    not lock.held and '' or claimed and isHoldOf(lock.held, claimed) and 'claimed' or 'held',
    #waiters,
  }
  list(lock, waiters, words)
  replies[i] = table.concat(words, ' ') .. tellHold(lock.hold, lock)
end
return nil, replies
