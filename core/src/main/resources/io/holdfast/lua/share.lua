-- share.lua: put before enqueue.lua: where a request of a group enters the queue, by start-time fair queueing (Goyal, Vin and Cheng, 1996).
-- Time is virtual, in parts of a request: a request of a group begins where the one before it ends, and not before the last that was
-- granted began. It ends by its cost, divided by the group's weight, later. The request that begins first is served first.
--
--   @v          in the details: the present, which is where the last grant began; the latest begin of a group that had been idle; number
--               of groups, and number of groups at which those are forgotten that are idle
--   @g:group    in the details: where the last request of the group that waits ends, where the last that was granted ends, how many wait
--
-- The details of a waiter of a group end with "Sweight:group". What becomes of it, queue.lua notes (noteShare).
--
-- Expects: lock, order, queues, share, waiting
-- Sets: at

local at -- of requests without a group nil
if order == 'S' and queues == '1' and not waiting then
  local weight, group = string.match(share, '^(%d+):(%S+)$')
  local facts = redis.call('HMGET', lock.details, '@v', '@g:' .. group)
  local present, idle, groups, many = string.match(facts[1] or '0 0 0 64', '^(%d+) (%d+) (%d+) (%d+)$')
  local ends, granted, count = string.match(facts[2] or '0 0 0', '^(%d+) (%d+) (%d+)$')
  present, groups = tonumber(present), tonumber(groups)
  local begin = tonumber(ends)
  -- rule shareidle
  if begin <= present then -- what an idle group has not used is gone; those that come first begin first
    begin = math.min(math.max(tonumber(idle), present) + 1, present + 1023)
    idle = begin
  end
  -- end
  if not facts[2] then
    groups = groups + 1
  end
  redis.call('HSET', lock.details, '@g:' .. group,
    string.format('%.0f %s %.0f', begin + math.max(1, math.floor((lock.cost or 1) * 1024 / weight)), granted, count + 1))
  if groups > tonumber(many) then
    local gone = {}
    for _, field in ipairs(redis.call('HKEYS', lock.details)) do
      if string.find(field, '@g:', 1, true) == 1 then
        local over, waits = string.match(redis.call('HGET', lock.details, field), '^(%d+) %d+ (%d+)$')
        if waits == '0' and tonumber(over) <= present then
          gone[#gone + 1] = field
        end
      end
    end
    for _, field in ipairs(gone) do
      redis.call('HDEL', lock.details, field)
    end
    groups = groups - #gone
    many = string.format('%.0f', 64 + 2 * groups)
  end
  redis.call('HSET', lock.details, '@v', string.format('%.0f %.0f %.0f %s', present, idle, groups, many))
  at = begin - 2199023255552 -- from -2^41 on, see order.lua
end
