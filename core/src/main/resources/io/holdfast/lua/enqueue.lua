-- enqueue.lua: put at the end of the scripts that ask: queues the request, if it is to wait and does not yet, and tells where it
-- stands.
--
-- Expects: at, ending, facts, life, lock, nowText, order, owner, parked, priority, queued, queues, rare, share, waiting
-- Sets: parked, place, queued, reply, waiters, waits

if queues == '1' and not waiting then
  local last = (facts[2] or 0) + 1
  queued = queued + 1
  local stop = life == '0' and '0' or string.format('%.0f', math.floor(nowText / 1000) + life)
  local known = stop .. ' ' .. nowText .. ' ' .. life .. ' ' .. ending .. ' ' .. ARGV[6] .. ' ' .. ARGV[5] .. (at and ' S' .. share or '')
  local mine, active = (facts[3] or 0) + 1, facts[4]
  if active then
    redis.call('HSET', lock.details, owner, known, '@seq', last, '@n:' .. requester, mine)
  else
    active = string.format('%.0f', math.floor(nowText / 1000) + waiterTtl) .. ((listeners(lock, requester) or 0) > 0 and ' 1' or ' 0')
    redis.call('HSET', lock.details, owner, known, '@seq', last, '@n:' .. requester, mine, '@a:' .. requester, active)
  end
  redis.call('ZADD', lock.queue, at or orderOf(last, priority, order, owner), owner)
  -- What outlives its client's deadline outlives it: that was seen to when the deadline was moved.
  if queued == 1 or not facts[4] or facts[4] < nowText then
    outliveWaiters(lock, queued == 1)
  end
  if at and lock.settle then
    lock.settle(lock, owner) -- it may begin before the first, and fit where that does not
    queued = redis.call('ZCARD', lock.queue)
  end
end
if parked > 0 then
  rare.sweep(lock)
  queued, parked = redis.call('ZCARD', lock.queue), redis.call('ZCARD', lock.parked)
end
local waits, place = queues == '1' or waiting, 0
local waiters = queued + parked
if waits then
  place = waiters
  local rank = redis.call('ZRANK', lock.queue, owner)
  if rank then
    place = rank + 1
    if rank <= (lock.skipped or 0) then
      lock.first, lock.skipped = nil, nil -- it is another one now
    end
    if parked > 0 then
      place = place + redis.call('ZCOUNT', lock.parked, '-inf', redis.call('ZSCORE', lock.queue, owner))
    end
  end
end
if rare then
  rare.recall(lock)
end
local reply = (waits and 'QUEUED ' or 'TAKEN ') .. place .. ' ' .. waiters .. ' ' .. describe(lock)
deliver()
return reply
