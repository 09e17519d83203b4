-- refresh.lua: the heartbeat of a client that waits, for a batch of locks; also the check of a client that does not.
--
-- KEYS[5i-4..5i] hold, queue, parked, details, token of the i-th lock
-- ARGV[1..4] see common.lua
-- ARGV[5] label of the client   ARGV[6] suspicion whose probe the client heard, 0 for none
-- ARGV[2i+5] number of the client's waiters, 0 for a check   ARGV[2i+6] the first of them, '' for none
--
-- Replies: for each lock a list: state waiters …describe. The state is
--   OK       the server knows all waiters of this client
--   RESEND   it does not, or some of them are parked, or a key is another program's: the client repeats the acquire of
--            each, which puts them back, or says what is wrong
-- Effects: moves the deadlines of the client's waiters, settles each lock, recalls one that its client keeps, grants a
-- waiter of this client in the reply even if it is suspect, removes a few dead waiters, and sends a probe to a suspect
-- client: once it says that it heard it, it is trusted again.

-- include hold.lua
-- include held.lua
-- include common.lua

local function heartbeat(lock, count)
  local facts = redis.call('HMGET', lock.details, '@n:' .. requester, '@p:' .. requester, '@s:' .. requester,
    '@a:' .. requester, '@x')
  local known = tonumber(facts[1] or '0')
  if known == 0 then
    return 'RESEND'
  end
  local seen = facts[4] and string.match(facts[4], '^%d+ (%d)') or '0'
  if seen == '0' then
    seen = (listeners(lock, requester) or 0) > 0 and '1' or '0'
  end
  redis.call('HDEL', lock.details, '@') -- a write that is allowed at maxmemory: it lets the others pass
  redis.call('HSET', lock.details, '@a:' .. requester, table.concat({ int(now + waiterTtl), seen, ARGV[5] }, ' '))
  local at = longer(facts[5])
  if at then
    redis.call('HSET', lock.details, '@x', at)
    redis.call('PEXPIREAT', lock.details, at)
    redis.call('PEXPIREAT', lock.queue, at)
  end
  expireLater(lock.parked, now + waiterTtl)
  local suspect = facts[3]
  if suspect and suspect == ARGV[6] then
    redis.call('HDEL', lock.details, '@s:' .. requester)
    suspect = nil
  end
  if suspect then
    mail[#mail + 1] = channelOf(lock, requester)
    mail[#mail + 1] = 'P ' .. suspect .. ' ' .. lock.hold
  elseif tonumber(facts[2] or '0') > 0 then
    return 'RESEND'
  end
  return known >= count and 'OK' or 'RESEND'
end

local replies = {}
for i = 1, #KEYS / LOCK_KEYS do
  local lock = lockAt(i)
  local count, first = tonumber(ARGV[2 * i + 5]), ARGV[2 * i + 6]
  lock.held = readHold(lock.hold)
  local state, waiters = count > 0 and 'RESEND' or 'OK', 0
  if unlessForeign(demandOurs, lock) then -- the other locks must not suffer for it
    state = 'OK'
    if count > 0 then
      state = heartbeat(lock, count)
    end
    settle(lock, first ~= '' and first or nil, true)
    if count > 0 then
      recall(lock)
    end
    sweep(lock)
    waiters = redis.call('ZCARD', lock.queue) + redis.call('ZCARD', lock.parked)
  end
  replies[#replies + 1] = describe(lock, { state, waiters })
end
deliver()
return replies
