-- waiters.lua: included after queue.lua by the scripts that tell who waits.

local rare = seldom()
requester = '' -- nobody is here only because it asks

local function queueOrderOf(order)
  local place = order + rare.priorityOf(order) * 2 ^ 42
  return place < -2 ^ 40 and 'S' or place < 0 and 'N' or place < 2 ^ 40 and 'F' or 'R'
end

-- The first waiters, at most so many, wherever they stand, with their orders.
local function waitersIn(lock, most)
  local waiters = {}
  for _, key in ipairs({ lock.queue, lock.parked }) do
    local listed = most > 0 and redis.call('ZRANGE', key, 0, most - 1, 'WITHSCORES') or {}
    for j = 1, #listed, 2 do
      waiters[#waiters + 1] = { listed[j], tonumber(listed[j + 1]) }
    end
  end
  table.sort(waiters, function(a, b) return a[2] < b[2] end)
  while #waiters > most do
    waiters[#waiters] = nil
  end
  return waiters
end

-- Tells of each: its public owner id, since in microseconds, its label, its priority, its queue order (F, N, R, S), its state;
-- and of one that waits for a line, what it asks for.
local function list(lock, waiters, words)
  for _, waiter in ipairs(waiters) do
    local owner, order = waiter[1], waiter[2]
    local about = redis.call('HGET', lock.details, owner)
    local since, asked, label = string.match(about or '', '^%d+ (%d+) %d+ %a %d+ (%S+) %d+ (%S*)')
    words[#words + 1] = string.match(owner, '^[^~]+')
    words[#words + 1] = since or '0'
    words[#words + 1] = label or ''
    words[#words + 1] = rare.priorityOf(order)
    words[#words + 1] = queueOrderOf(order)
    words[#words + 1] = rare.reach(lock, clientOf(owner))
    if lock.members then
      words[#words + 1] = asked or '?:0:0'
    end
  end
end
