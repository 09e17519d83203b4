-- line_acquire.lua: asks for a read/write lock or for permits, once or again. Running it twice for one owner changes nothing
-- but a later end of its hold.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] members   KEYS[7] cap
-- KEYS[8] tombstone of the owner   KEYS[9] evicted
-- ARGV[1..2] see common.lua
-- ARGV[3] owner   ARGV[4] term, ms   ARGV[5] term and label, as words
-- ARGV[6] what is asked for, "mode:weight:limit", with an s behind it for slots, see line.lua
-- ARGV[7] what only the queue needs, as words: 1 to queue if the request is not granted, 0 not to; longest queue, 0 for any;
--         priority; F to queue at the tail, N at the head, R anywhere, "Sweight:group" by the group's share; life of the request, ms,
--         0 for none; then T to the tail, or L leave; claim window, ms
--
-- Replies, as words:
--   GRANTED token since …describe   the owner holds, for at least a term from now, with the slots that follow the token; nothing is told
--                                   behind it if nobody waits
--   QUEUED place waiters …describe   the owner waits; place 1 is next in line
--   TAKEN 0 waiters …describe   the request does not fit, or others stand before it, and the owner does not wait
--   FULL 0 waiters …describe   the same, and the queue has no room
--   EVICTED   the owner waited, and was dropped by name
--   GONE   the owner was released or withdrawn before this request came
--   MORE 0 0 …describe   too much to settle for one script: ask again
-- Effects: settles the line; grants, queues, or neither; moves a waiter that has outlived its life to the tail. Tells those that
-- were granted the line.

-- include token.lua
-- include time.lua
-- include expiry.lua
-- include foreign.lua
-- include order.lua
-- include common.lua
-- include queue.lua
-- include lasting.lua
-- include line.lua

local lock = lineAt(1)
local public, secret = partsOf(ARGV[3])
local mode, weight, permits, named = string.match(ARGV[6], '^(%a):(%d+):(%d+)(s?)$')

local function grantNow()
  local term, label = string.match(ARGV[5], '^(%d+) (%S*)$')
  local grants = {}
  decide(lock, grants, {
    owner = ARGV[3], mode = mode, weight = weight, named = named, order = '-', ms = tonumber(ARGV[4]), term = term,
    label = label,
  })
  give(lock, grants)
  return 'GRANTED ' .. grants[1].token .. grants[1].slots .. ' ' .. nowText
end

-- Mostly nobody holds, nobody waits, and nothing is known of the owner.
local found =
  redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[6], KEYS[7], KEYS[8], KEYS[9])
if found == 0 then
  return grantNow()
end

-- include read_request.lua
lock.cost, lock.settle = weight, settle

local own = readLine(lock, public)
if lock.holders == 0 and redis.call('EXISTS', lock.hold) == 1 then
  error('FOREIGN the key of the hold has fields that Holdfast did not write')
end
-- Whether there are others that hold, and nothing else: then nobody waits, and nothing is known of the owner.
local alone = found == 2 and lock.holders > 0 and redis.call('EXISTS', lock.members) == 1
local rare -- mostly the owner only has to queue: then this is nothing
local facts, queued, parked, waiting = {}, 0, 0, nil

local function readQueue()
  facts, queued = read('@c')
  waiting = facts[1]
  setClaims(lock, facts[5])
  if facts[4] and facts[4] >= nowMillis then
    lock.reach = lock.reach or {}
    lock.reach[requester] = 'here'
  end
end

if not alone then
  readQueue()
  -- Mostly these are the four: who holds, until when, who waits, and what is known of them.
  local four = found == 4 and lock.holders > 0 and queued > 0 and facts[2] and firstEnds(lock)[1]
  local seldomThere = not four and redis.call('EXISTS', KEYS[3], KEYS[7], KEYS[8], KEYS[9]) > 0
  -- rule tombstone
  if seldomThere and redis.call('EXISTS', KEYS[8]) == 1 then
    return 'GONE'
  end
  -- end
  if seldomThere then
    parked = redis.call('ZCARD', lock.parked)
    if not own and redis.call('HEXISTS', KEYS[9], owner) == 1 then
      return 'EVICTED'
    end
  else
    lock.most = math.huge -- no operator limits it
  end
  if waiting or limit ~= '0' then
    rare = seldom()
  end
  if waiting then
    demandLine(lock)
  end
-- include return_parked.lua
end
settle(lock, waiting and owner or nil)
if lock.more == '1' then
  local reply = 'MORE 0 0 ' .. describe(lock)
  deliver()
  return reply
end

if own or waiting then
  own = holdOf(redis.call('HGET', lock.hold, public))
  if own and own.secret ~= secret then
    return 'GONE' -- another request has the same public id: no client of ours makes such
  end
end
if own then
  if own.order ~= '-' then
    claiming().takeUp(lock, owner, own)
  end
  -- rule rearm
  lock.ends = nil
  redis.call('ZADD', lock.members, 'XX', 'GT', int(now + ARGV[4]), public .. ' ' .. own.token)
  outlive(lock.members, lock.hold, tonumber(ARGV[4]))
  -- end
  local reply = 'GRANTED ' .. own.token .. own.slots .. ' ' .. own.since .. ' ' .. describe(lock)
  deliver()
  return reply
end
if not alone and lock.changed then
  readQueue()
  parked = redis.call('ZCARD', lock.parked)
end
if parked > 0 then
  rare = rare or seldom()
end
if not waiting and admits(lock, mode, weight, permits) then
  local ahead = false
  -- rule newcomer
  local at = lock.skipped or '0'
  local first = queued > 0 and redis.call('ZRANGE', lock.queue, at, at, 'WITHSCORES')[2]
  ahead = first and tonumber(first) < orderOf((facts[2] or 0) + 1, priority, order, owner)
  -- end
  if not ahead then
    local reply = grantNow()
    if not alone then
      reply = reply .. ' ' .. describe(lock)
    end
    deliver()
    return reply
  end
end

-- include bound_queue.lua
-- include share.lua
-- include enqueue.lua
