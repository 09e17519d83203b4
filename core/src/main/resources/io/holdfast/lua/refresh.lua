-- refresh.lua: the heartbeat of a client that waits, for a batch of locks; also the check of a client that does not.
--
-- KEYS[5i-4..5i] hold, queue, parked, details, token of the i-th lock
-- ARGV[1..2] see common.lua
-- ARGV[3] suspicion whose probe the client heard, 0 for none
-- ARGV[2i+2] number of the client's waiters, 0 for a check   ARGV[2i+3] the first of them, '' for none
--
-- Replies: a list with words for each lock: state waiters …describe. The state is
--   OK       the server knows all waiters of this client
--   RESEND   it does not, or some of them are parked, or the first stands nowhere, or a key is another program's: the client
--            repeats the acquire of each, which puts them back, or says what is wrong
-- Effects: moves the deadlines of the client's waiters, settles each lock, recalls one whose hold leases share, unless that is
-- a claim of this client, grants a waiter of this client in the reply even if it is suspect, removes a few dead waiters, and
-- sends a probe to a suspect client: once it says that it heard it, it is trusted again.

-- include token.lua
-- include hold.lua
-- include owner.lua
-- include held.lua
-- include foreign.lua
-- include expiry.lua
-- include order.lua
-- include common.lua
-- include exclusive.lua
-- include queue.lua
-- include settle.lua
-- include heartbeat.lua

local replies = {}
for i = 1, #KEYS / 5 do
  local lock = lockAt(i)
  local count, first = tonumber(ARGV[2 * i + 2]), ARGV[2 * i + 3] ~= '' and ARGV[2 * i + 3] or nil
  know(lock, readHold(lock.hold))
  local state, waiters = count > 0 and 'RESEND' or 'OK', 0
  if unlessForeign(rare.demandOurs, lock) then -- the other locks must not suffer for it
    state = 'OK'
    local facts = redis.call('HMGET', lock.details, '@seq', '@claim', '@pause')
    if count > 0 then
      state = heartbeat(lock, count, not isHoldOf(facts[2], first or '') and first) -- a claim has left the queue
    end
    settle(lock, first, true, facts[1], facts[2], facts[3])
    if count > 0 and not lock.mine then -- whoever has a claim does not wait, and whoever came after it has told so
      rare.recall(lock)
    end
    rare.sweep(lock)
    waiters = redis.call('ZCARD', lock.queue) + redis.call('ZCARD', lock.parked)
  end
  replies[i] = state .. ' ' .. waiters .. ' ' .. describe(lock)
end
deliver()
return nil, replies
