-- bound_queue.lua: put into the scripts that ask, in places where the lock is not granted: whether the queue has room.
--
-- Expects: facts, limit, lock, parked, queued, queues, rare, waiting
-- Sets: facts, parked, queued

if limit ~= '0' and queues == '1' and not waiting then
  local most = tonumber(limit)
  if queued + parked >= most then
    rare.clean(lock)
    facts, queued = read()
    parked = redis.call('ZCARD', lock.parked)
  end
  if queued + parked >= most then
    rare.recall(lock)
    local reply = 'FULL 0 ' .. queued + parked .. ' ' .. describe(lock)
    deliver()
    return reply
  end
end
