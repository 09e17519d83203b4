-- share.lua: put before enqueue.lua: where a request of a group enters the queue, by start-time fair queueing (Goyal, Vin and Cheng, 1996).
-- Time is virtual, in parts of a request: a request of a group begins where the one before it ends, and not before the request that
-- is served next. It ends by its cost, divided by the group's weight, later. Who begins first is served first.
--
--   @v          in the details: the present, the latest begin, the latest begin of a group that had been idle, number of groups,
--               number of groups at which those are forgotten that are idle
--   @g:group    in the details: where the group's last request ends
--
-- Expects: lock, order, queues, share, waiting
-- Sets: at

local at -- of requests without a group nil
if order == 'S' and queues == '1' and not waiting then
  local weight, group = string.match(share, '^(%d+):(%S+)$')
  local facts = redis.call('HMGET', lock.details, '@v', '@g:' .. group)
  local present, latest, idle, groups, many = string.match(facts[1] or '0 0 0 0 64', '^(%d+) (%d+) (%d+) (%d+) (%d+)$')
  local from, parts = -2199023255552, 1024 -- from -2^41 on, see order.lua
  local first = redis.call('ZRANGE', lock.queue, from, '-1099511627778', 'BYSCORE', 'LIMIT', '0', '1', 'WITHSCORES')[2]
  present, latest, idle = tonumber(present), tonumber(latest), tonumber(idle)
  -- rule sharenow
  present = math.max(present, first and math.min(first - from, latest) or latest)
  -- end
  local begin = tonumber(facts[2] or '0')
  -- rule shareidle
  if begin <= present then -- what an idle group has not used is gone; those that come first begin first
    begin = math.min(math.max(idle, present) + 1, present + parts - 1)
    idle = begin
  end
  -- end
  begin = math.min(begin, 1099511627774)
  groups = facts[2] and groups or groups + 1
  local ends = begin + math.max(1, math.floor((lock.cost or 1) * parts / weight))
  redis.call('HSET', lock.details, '@g:' .. group, string.format('%.0f', ends))
  if tonumber(groups) > tonumber(many) then
    local gone = {}
    for _, field in ipairs(redis.call('HKEYS', lock.details)) do
      if string.find(field, '@g:', 1, true) == 1 and tonumber(redis.call('HGET', lock.details, field)) <= present then
        gone[#gone + 1] = field
      end
    end
    for _, field in ipairs(gone) do
      redis.call('HDEL', lock.details, field)
    end
    groups = groups - #gone
    many = 64 + 2 * groups
  end
  redis.call('HSET', lock.details, '@v', string.format('%.0f %.0f %.0f %.0f %.0f', present, math.max(latest, begin), idle, groups, many))
  at = from + begin
end
