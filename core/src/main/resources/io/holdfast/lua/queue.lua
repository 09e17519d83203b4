-- queue.lua: included after common.lua, order.lua, foreign.lua and expiry.lua by the scripts that take waiters out of a queue, of
-- whatever kind of lock: who waits, whose client can be told, who is next. Who holds, and who is granted, is not known here.

local WALK_LIMIT = 1000 -- waiters looked at in one script
-- Compared as text, since a number would cost more; times have thirteen digits until the year 2286.
local nowMillis = string.sub(nowText, 1, -4)

local function clientOf(owner)
  return string.match(owner, '^[^.]+')
end

-- How many members were removed: none from a key of another type, which must not stop an owner's end halfway.
local function remove(key, member)
  local removed = redis.pcall('ZREM', key, member)
  if type(removed) == 'table' then
    return isForeign(removed) and 0 or redis.call('ZREM', key, member) -- any other error comes again
  end
  return removed
end

-- One waiter less of a client, or so many, whose details are gone.
local function uncount(lock, client, count)
  if redis.call('HINCRBY', lock.details, '@n:' .. client, -(count or 1)) <= 0 then
    redis.call('HDEL', lock.details, '@n:' .. client, '@p:' .. client, '@a:' .. client, '@s:' .. client)
    local claims = false
    -- rule claimskeepdetails
    claims = lock.claims or lock.unread and tonumber(redis.call('HGET', lock.details, '@c') or 0) > 0
      or not lock.members and lock.claims == nil and redis.call('HEXISTS', lock.details, '@claim') == 1
    -- end
    -- rule pausekeeps
    claims = claims or lock.pause or not lock.members and lock.pause == nil and redis.call('HEXISTS', lock.details, '@pause') == 1
    -- end
    if not claims and redis.call('EXISTS', lock.queue, lock.parked) == 0 then
      redis.call('DEL', lock.details)
    end
  end
end

-- Takes a waiter of which something is known out of the queue, or from where it stands aside.
local function leaveQueue(lock, owner)
  if remove(lock.queue, owner) == 0 and remove(lock.parked, owner) == 1 then
    redis.call('HINCRBY', lock.details, '@p:' .. clientOf(owner), -1)
  end
end

local function hasShare(about)
  return about and string.find(about, ' S', 1, true)
end

-- Removes a waiter of no group wherever it stands. Begins with a command that is allowed at maxmemory. With `claimed`, the claim of an
-- exclusive lock, if there is one, is the waiter's and ends; what the claim cost its group was noted when it began. Answers whether there
-- was such a waiter.
local function takeOut(lock, owner, claimed)
  local known
  if claimed then
    known = redis.call('HDEL', lock.details, '@claim', owner)
    lock.claims = false
  else
    known = redis.call('HDEL', lock.details, owner)
  end
  if known == 0 then
    -- An order without details (a key was dropped by force) must not be met again.
    return remove(lock.queue, owner) + remove(lock.parked, owner) > 0
  end
  if known == 1 then -- with a claim it has left the queue
    leaveQueue(lock, owner)
  end
  uncount(lock, clientOf(owner))
  return true
end

-- Whether a waiter, by its details, has outlived its own limit; so has one of which nothing is known.
local function hasOutlived(about)
  return not about or string.sub(about, 1, 2) ~= '0 ' and string.match(about, '^%d+') < nowMillis
end

-- For how long a waiter's claim is to last, what it asks for, and what its hold is to end with.
local function askedFor(about)
  return string.match(about, '^%d+ %d+ %d+ %a (%d+) (%S+) (%d+ %S*)')
end

-- What can be said of a waiter's client: 'here' it can be told; 'away' it listens nowhere; 'suspect' it did not take up
-- a grant; 'gone' its deadline has passed. Asked once for each client and script. The client that asks is always here,
-- because the reply tells it.
local function judge(lock, client, active, suspect)
  local answer = 'here'
  if not active or active < nowMillis then
    answer = 'gone'
  elseif client == requester then
    answer = 'here'
  elseif suspect then
    answer = 'suspect'
  elseif string.sub(active, -2) == ' 1' and listeners(lock, client) == 0 then
    answer = 'away'
  end
  lock.reach = lock.reach or {}
  lock.reach[client] = answer
  return answer
end

-- What is needed seldom; defined only where it is.
local function seldom()
  local rare = {}

  -- What becomes of a request of a group, by its details and its order; see share.lua: 'G' it is granted the lock, 'L' it leaves without,
  -- 'B' its claim has lapsed, and it waits again. Before its details are gone, and those of the queue with them.
  function rare.noteShare(lock, about, order, how)
    local weight, group = string.match(about, ' S(%d+):(%S+)$')
    local facts = redis.call('HMGET', lock.details, '@v', '@g:' .. group)
    local ends, granted, count = string.match(facts[2] or '', '^(%d+) (%d+) (%d+)$')
    local present, rest = string.match(facts[1] or '', '^(%d+) (.*)$')
    local begin = tonumber(order or 0) + 2199023255552
    if not ends or not present then
      return -- dropped by force
    end
    count = math.max(0, count + (how == 'B' and 1 or -1))
    if begin > 0 and begin < 1099511627776 then -- else it has gone to the tail
      local cost = lock.members and tonumber(string.match(about, ' %a:(%d+):')) or 1
      local over = begin + math.max(1, math.floor(cost * 1024 / weight))
      if how == 'G' then
        granted = math.max(tonumber(granted), over)
        -- rule sharenow
        if begin > tonumber(present) then
          redis.call('HSET', lock.details, '@v', string.format('%.0f ', begin) .. rest)
        end
        -- end
      elseif how == 'L' and over == tonumber(ends) then
        ends = begin -- nobody of its group stands behind it
      end
    end
    -- rule shareback
    if count == 0 then
      ends = granted -- what was asked for and not granted costs nothing
    end
    -- end
    redis.call('HSET', lock.details, '@g:' .. group, string.format('%.0f %.0f %.0f', ends, granted, count))
  end

  -- Removes a waiter wherever it stands. Begins with a command that is allowed at maxmemory. Answers whether there was such a waiter.
  function rare.dequeue(lock, owner)
    local about = redis.call('HGET', lock.details, owner)
    if hasShare(about) then
      redis.call('HDEL', lock.details, '@') -- a write that is allowed at maxmemory: it lets the others pass
      rare.noteShare(lock, about, redis.call('ZSCORE', lock.queue, owner) or redis.call('ZSCORE', lock.parked, owner), 'L')
    end
    return takeOut(lock, owner)
  end

  -- Raises the error of a key of another type, before anything is written. The key of the hold has its own ways.
  function rare.demandOurs(lock)
    redis.call('ZCARD', lock.queue)
    redis.call('ZCARD', lock.parked)
    redis.call('HGET', lock.details, '@')
    redis.call('GET', lock.token)
    return true
  end

  function rare.waitersOf(lock)
    return redis.call('ZCARD', lock.queue) + redis.call('ZCARD', lock.parked)
  end

  -- Whether a waiter stands in the queue, or aside: what is known of it can outlive the keys in which it stands, if one was dropped by
  -- hand, or the clock went ahead and back.
  function rare.stands(lock, owner)
    return redis.call('ZSCORE', lock.queue, owner) or redis.call('ZSCORE', lock.parked, owner)
  end

  function rare.reach(lock, client)
    local answer = lock.reach and lock.reach[client]
    if not answer then
      local facts = redis.call('HMGET', lock.details, '@a:' .. client, '@s:' .. client)
      answer = judge(lock, client, facts[1], facts[2])
    end
    return answer
  end

  -- A line that began anew ends when what is known of those who stand there does.
  function rare.endWithDetails(lock, key)
    local left = redis.call('PTTL', lock.details)
    redis.call('PEXPIREAT', key, string.format('%.0f', nowMillis + (left > 0 and left or waiterTtl)))
  end

  -- A claim has lapsed: its waiter stands again where it was, aside, since its client is suspect.
  function rare.putBack(lock, owner, order)
    local about = owner and redis.call('HGET', lock.details, owner)
    if not about then
      return
    end
    if hasShare(about) then
      rare.noteShare(lock, about, order, 'B')
    end
    local key, client = lock.queue, clientOf(owner)
    -- rule suspect
    key = lock.parked
    redis.call('HSET', lock.details, '@s:' .. client, nowText)
    redis.call('HINCRBY', lock.details, '@p:' .. client, 1)
    -- end
    -- rule lapseback
    redis.call('ZADD', key, order, owner)
    -- end
    rare.endWithDetails(lock, key)
  end

  -- Takes waiters out of the queue, keeping their order.
  function rare.park(lock, owners)
    local unpack = table.unpack or unpack -- newer Lua has it there alone
    local scored, counts = {}, {}
    for _, owner in ipairs(owners) do
      scored[#scored + 1] = redis.call('ZSCORE', lock.queue, owner)
      scored[#scored + 1] = owner
      local client = clientOf(owner)
      counts[client] = (counts[client] or 0) + 1
    end
    redis.call('HDEL', lock.details, '@') -- a write that is allowed at maxmemory: it lets the others pass
    redis.call('ZADD', lock.parked, unpack(scored)) -- the first that can fail: nobody may fall between the two
    redis.call('ZREM', lock.queue, unpack(owners))
    rare.endWithDetails(lock, lock.parked)
    for client, count in pairs(counts) do
      redis.call('HINCRBY', lock.details, '@p:' .. client, count)
    end
  end

  -- Removes a few parked waiters whose deadline has passed.
  function rare.sweep(lock)
    for _, owner in ipairs(redis.call('ZRANGE', lock.parked, 0, 63)) do
      if rare.reach(lock, clientOf(owner)) == 'gone' then
        rare.dequeue(lock, owner)
      end
    end
  end

  -- Removes waiters whose deadline has passed, as far as one script may look.
  function rare.clean(lock)
    local removed = 0
    for _, key in ipairs({ lock.queue, lock.parked }) do
      for _, owner in ipairs(redis.call('ZRANGE', key, 0, WALK_LIMIT - 1)) do
        if rare.reach(lock, clientOf(owner)) == 'gone' then
          rare.dequeue(lock, owner)
          removed = removed + 1
        end
      end
    end
    return removed
  end

  -- For how many ms yet a pause lasts, by its text, see hold.lua: not more than 0 for one that is over.
  function rare.pauseLeft(pause)
    local since, term = string.match(pause, '^! 0 (%d+) (%d+) ')
    return math.floor(since / 1000) + term - math.floor(nowText / 1000)
  end

  -- Notes that the lock is to pause as soon as it is free.
  function rare.notePause(lock, pause)
    redis.call('HSET', lock.details, '@pause', pause)
    expireLater(lock.details, rare.pauseLeft(pause))
  end

  function rare.priorityOf(order)
    return 0 - math.floor((tonumber(order) + 2 ^ 41) / 2 ^ 42)
  end

  -- What happens to a request that has outlived its own limit: 'T' to the tail, 'L' leaves the queue. Answers whether it stands
  -- before others again, which have a lower priority, or a place that was drawn.
  function rare.moveOn(lock, owner, about)
    local since, ttl, policy, rest = string.match(about or '', '^%d+ (%d+) (%d+) (%a) (.*)$')
    if policy == 'T' then
      local order = redis.call('ZSCORE', lock.queue, owner)
      redis.call('HDEL', lock.details, '@') -- a write that is allowed at maxmemory: it lets the others pass
      redis.call('HSET', lock.details, owner, (nowMillis + ttl) .. ' ' .. since .. ' ' .. ttl .. ' T ' .. rest)
      local last = redis.call('HINCRBY', lock.details, '@seq', 1)
      redis.call('ZADD', lock.queue, orderOf(last, rare.priorityOf(order), 'F', owner), owner)
      return redis.call('ZRANGE', lock.queue, '-1', '-1')[1] ~= owner
    end
    rare.dequeue(lock, owner)
    return false
  end

  -- Moves a waiter whose life is over to the tail, if that is what it asked for, and unless it stands aside.
  function rare.toTail(lock, owner, about)
    if hasOutlived(about) and string.match(about, '^%d+ %d+ %d+ (%a)') == 'T' and redis.call('ZSCORE', lock.queue, owner) then
      rare.moveOn(lock, owner, about)
    end
  end

  -- Tells a client whose leases share a hold that others want the lock. It may be told more than once; and it is noted in the
  -- hold, where its next renewal finds it if no message arrives. Where nothing can be written the message has to do.
  function rare.recall(lock)
    if lock.kept == '' then
      return
    end
    -- rule recallmark
    if lock.kept == ' K' then
      redis.pcall('HDEL', lock.details, '@') -- a write that is allowed at maxmemory: it lets the other pass
      lock.kept = ' R'
      redis.pcall('SET', lock.hold, string.sub(lock.held, 1, -2) .. 'R', 'XX', 'KEEPTTL')
    end
    -- end
    mail[#mail + 1] = channelOf(lock, clientOf(lock.public))
    mail[#mail + 1] = 'R ' .. string.match(lock.rest, '^%d+') .. ' ' .. lock.hold
  end

  return rare
end

-- The first waiter in the server's order that can be told. Waiters that cannot are parked with their order, each once,
-- so that the next script does not walk over them again. `candidate` is a waiter of the client that asks: it may be
-- parked or suspect, and is found where its order puts it. Answers the waiter, its details as they are written, and how many
-- were looked at, which a script that asks again passes on: it may keep who stands behind the waiter, and nobody but that waiter may
-- have left the queue meanwhile. Of an exclusive lock, whose next waiter always has a claim, it answers the waiter's order as well.
local function nextWaiter(lock, candidate, walked)
  local order, stood, parked, step = nil, nil, nil, lock.members and 1 or 2
  if candidate and redis.call('HEXISTS', lock.details, candidate) == 1 then -- of whom nothing is known there is nothing to grant
    stood = redis.call('ZSCORE', lock.queue, candidate) or nil
    if not stood then
      stood = redis.call('ZSCORE', lock.parked, candidate) or nil
      parked = stood
    end
    order = stood and tonumber(stood)
    step = order and 2 or step
  end
  -- Mostly the first one is it, and where something was given back, the next one is looked at, too. Those that were passed stay
  -- where they are, in front.
  local from, rare = lock.skipped or '0', nil
  local last = lock.wrote and '1' or '0'
  walked = walked or 0
  while walked < WALK_LIMIT do
    local pair, batch
    if lock.members then -- a line may have read them already
      pair = step == 1 and lock.front
      batch = pair or step == 1 and lock.ahead
      lock.front, lock.ahead = nil, nil
    end
    local to = lock.skipped and lock.skipped + last or last
    if step == 2 then
      batch = redis.call('ZRANGE', lock.queue, from, to, 'WITHSCORES')
    elseif not batch then
      batch = redis.call('ZRANGE', lock.queue, from, to)
      pair = last == '1'
    end
    local found, about, place, aside, again = nil, nil, nil, nil, false
    for i = 1, #batch, step do
      local owner = batch[i]
      if order then
        -- Groups may begin together: a waiter of the queue is met there, and one that is parked comes before its equals.
        local at = tonumber(batch[i + 1])
        if at > order or owner == candidate or at == order and parked then
          found, place = candidate, stood
          break
        end
      end
      walked = walked + 1
      local client = clientOf(owner)
      local answer, known = lock.reach and lock.reach[client], nil
      if answer == 'here' then
        known = redis.call('HGET', lock.details, owner)
      elseif not answer then
        local facts = redis.call('HMGET', lock.details, owner, '@a:' .. client, '@s:' .. client)
        known, answer = facts[1], judge(lock, client, facts[2], facts[3])
      end
      if answer == 'gone' then
        rare = rare or seldom()
        rare.dequeue(lock, owner)
      elseif answer ~= 'here' then
        aside = aside or {}
        aside[#aside + 1] = owner
      elseif not hasOutlived(known) then
        found, about, place = owner, known, batch[i + 1]
        if pair and i == 1 then
          lock.ahead = { batch[2] }
        end
        break
      else
        rare = rare or seldom()
        again = rare.moveOn(lock, owner, known)
        if again then
          break -- what was read behind it is not next
        end
      end
    end
    if aside then
      seldom().park(lock, aside)
    end
    if not found and #batch == 0 and order then
      found, place = candidate, stood
    end
    if found or #batch == 0 then
      return found, about or found and redis.call('HGET', lock.details, found), walked, place
    end
    last = again and '0' or '63'
  end
  lock.more = '1'
  return nil
end
