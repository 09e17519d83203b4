-- heartbeat.lua: included after queue.lua by the scripts that a client which waits calls every other second.
--
-- ARGV[3] suspicion whose probe the client heard, 0 for none

local rare = seldom()
local deadline = string.format('%.0f', nowMillis + waiterTtl)

-- Moves the deadline of the client's waiters. Answers whether the server knows all of them, so many, of which this is the first: OK
-- or RESEND.
local function heartbeat(lock, count, first)
  local facts = redis.call('HMGET', lock.details, '@n:' .. requester, '@p:' .. requester, '@s:' .. requester,
    '@a:' .. requester)
  local known = tonumber(facts[1] or '0')
  if known == 0 then
    return 'RESEND'
  end
  local seen = facts[4] and string.match(facts[4], '^%d+ (%d)') or '0'
  if seen == '0' then
    seen = (listeners(lock, requester) or 0) > 0 and '1' or '0'
  end
  redis.call('HDEL', lock.details, '@') -- a write that is allowed at maxmemory: it lets the others pass
  redis.call('HSET', lock.details, '@a:' .. requester, deadline .. ' ' .. seen)
  outliveWaiters(lock)
  local suspect = facts[3]
  if suspect and suspect == ARGV[3] then
    redis.call('HDEL', lock.details, '@s:' .. requester)
    suspect = nil
  end
  if suspect then
    mail[#mail + 1] = channelOf(lock, requester)
    mail[#mail + 1] = 'P ' .. suspect .. ' ' .. lock.hold
  elseif tonumber(facts[2] or '0') > 0 then
    return 'RESEND'
  end
  -- rule standing
  if first and not rare.stands(lock, first) then
    return 'RESEND'
  end
  -- end
  return known >= count and 'OK' or 'RESEND'
end
