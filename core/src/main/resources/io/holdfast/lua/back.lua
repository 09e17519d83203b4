-- back.lua: put into the scripts that ask: where a request stands that waits already.

if waiting and parked > 0 and redis.call('HEXISTS', lock.details, '@s:' .. requester) == 0 then
  -- A waiter that was parked while its client was away takes its old place again.
  local place = redis.call('ZSCORE', lock.parked, owner)
  if place then
    redis.call('ZREM', lock.parked, owner)
    redis.call('ZADD', lock.queue, place, owner)
    expireLater(lock.queue, waiterTtl)
    redis.call('HINCRBY', lock.details, '@p:' .. requester, -1)
    queued, parked = queued + 1, parked - 1
  end
end
if waiting then
  rare.toTail(lock, owner, waiting)
end
