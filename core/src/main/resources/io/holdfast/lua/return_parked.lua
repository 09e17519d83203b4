-- return_parked.lua: put into the scripts that ask: where a request stands that waits already.
--
-- Expects: facts, lock, own, owner, parked, queued, rare, waiting
-- Sets: facts, parked, queued, waiting

if waiting and parked > 0 and redis.call('HEXISTS', lock.details, '@s:' .. requester) == 0 then
  -- A waiter that was parked while its client was away takes its old place again.
  local place = redis.call('ZSCORE', lock.parked, owner)
  if place then
    redis.call('ZREM', lock.parked, owner)
    redis.call('ZADD', lock.queue, place, owner)
    rare.endWithDetails(lock, lock.queue)
    redis.call('HINCRBY', lock.details, '@p:' .. requester, -1)
    queued, parked = queued + 1, parked - 1
  end
end
-- rule placeback
if waiting and not own and not rare.stands(lock, owner) then
  -- Only what is known of it is left: it queues anew.
  if parked == 0 then
    redis.call('HDEL', lock.details, '@p:' .. requester)
  end
  rare.dequeue(lock, owner)
  facts, queued = read()
  waiting = nil
end
-- end
if waiting then
  rare.toTail(lock, owner, waiting)
end
