-- bound_queue.lua: put into the scripts that ask, in places where the lock is not granted: whether the queue has room.
--
-- Expects: claimed, facts, limit, lock, parked, queued, queues, rare, waiting
-- Sets: claimed, facts, parked, queued

if limit ~= '0' and queues == '1' and not waiting then
  local most = tonumber(limit)
  if queued + parked - (claimed and 1 or 0) >= most then
    rare.clean(lock)
    facts, queued = read()
    parked, claimed = redis.call('ZCARD', lock.parked), claimed and facts[2]
  end
  local waiters = queued + parked - (claimed and 1 or 0)
  if waiters >= most then
    rare.recall(lock)
    local reply = 'FULL 0 ' .. waiters .. ' ' .. describe(lock)
    deliver()
    return reply
  end
end
