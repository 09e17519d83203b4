-- drop_waiters.lua: put into the scripts that end holds by name: drops waiters and tells their clients. `drop` is '1' for all of them, so
-- many as one script may, '0' for none, or the public owner of the one, if it is among the first so many.
--
-- Expects: drop, evicted, life, lock, ours, rare
-- Sets: dropped

local dropped = 0
if drop ~= '0' and ours then
  for _, key in ipairs({ lock.queue, lock.parked }) do
    for _, owner in ipairs(redis.call('ZRANGE', key, 0, WALK_LIMIT - 1)) do
      if drop == '1' or drop == string.match(owner, '^[^~]+') then
        dropped = dropped + 1
        redis.call('HSET', evicted, owner, '1')
        if dropped == 1 then
          expireLater(evicted, life)
        end
        rare.dequeue(lock, owner)
        mail[#mail + 1] = channelOf(lock, clientOf(owner))
        mail[#mail + 1] = 'E ' .. string.match(owner, '^[^~]+') .. ' ' .. lock.hold
      end
    end
  end
  if drop == '1' and rare.waitersOf(lock) > 0 then
    lock.more = '1'
  end
end
