-- common.lua: included after hold.lua and held.lua by every script that touches a queue. It owns the formats of all values
-- but the hold and the token.
--
-- The keys of one lock, all in one slot, in this order:
--   hold      string  who holds; see hold.lua
--   queue     zset    owner -> order: waiters; the lowest is served first. The order is made by orderOf()
--   parked    zset    owner -> order: waiters that cannot be told of a grant at present; they keep their order
--   details   hash    owner     -> "since requestTtl requestEnd requestPolicy claim term tokens actor"
--                     @seq      -> last order given
--                     @claim    -> owner whose grant by handoff is not confirmed yet
--                     @n:client -> number of its waiters          @p:client -> number of these that are parked
--                     @a:client -> "deadline seen label"          @s:client -> since when it is suspect
--                     @x        -> until when this key and the queue live at least
--   token     string  the last fencing token; see hold.lua
--   evicted   hash    owner -> 1: waiters that were dropped by name, so that they do not queue again
-- Times are of this server: since, in microseconds; the others, in milliseconds. An owner is "client.number~secret". A
-- label is "application/host/pid/actor", or that and "?" and metadata; each part is URL-encoded.
--
-- ARGV[1] client that asks   ARGV[2] prefix of channels, '' on a cluster   ARGV[3] waiter deadline, ms
-- ARGV[4] life of tokens, ms

local requester = ARGV[1]
local channelPrefix = ARGV[2]
local waiterTtl = tonumber(ARGV[3])
local tokenTtl = tonumber(ARGV[4])

local LOCK_KEYS = 5 -- keys of one lock, where a script has several locks
local WALK_LIMIT = 1000 -- waiters looked at in one script
local BAND = 2 ^ 42 -- orders of one priority
local FIRST_RANDOM = 2 ^ 40
local mail = {} -- messages to send when everything else is done: channel, text, channel, text …

local function clientOf(owner)
  return string.match(owner, '^[^.]+')
end

-- What a queue and its details have to outlive is moved with each request and each report; so that this does not take
-- calls each time, they live for up to a quarter longer. Answers the new @x as text, or nil if `known`, the present one,
-- will do.
local function longer(known)
  if not known or tonumber(known) < now + waiterTtl then
    return int(now + waiterTtl + math.floor(waiterTtl / 4))
  end
  return nil
end

-- Whether a request is granted beside what is held: the one place that decides it, for whoever asks and for whoever is next.
-- The lock is exclusive: any hold excludes any request.
local function admits(held)
  return not held
end

-- The i-th lock of the script.
local function lockAt(i)
  local first = LOCK_KEYS * (i - 1)
  return {
    hold = KEYS[first + 1],
    queue = KEYS[first + 2],
    parked = KEYS[first + 3],
    details = KEYS[first + 4],
    token = KEYS[first + 5],
    reach = {}, -- client -> answer of reach()
    labels = {}, -- client -> its label, of those that were looked at
    held = nil, -- the hold; see hold.lua
    freed = false, -- whether the hold was deleted by this script
    mine = nil, -- a claim that belongs to the client that asks, to be told in the reply
    handed = 0, -- claim in ms of a handoff that was told by message
    more = 0, -- 1: the walk was cut at its limit; ask again
  }
end

-- Raises the error of a key of another type, before anything is written. The key of the hold has its own ways.
local function demandOurs(lock)
  redis.call('ZCARD', lock.queue)
  redis.call('ZCARD', lock.parked)
  redis.call('HGET', lock.details, '@')
  redis.call('GET', lock.token)
  return true
end

-- Where a client is told of a lock: on one server it has one channel; on a cluster one for each lock, in the lock's slot.
local function channelOf(lock, client)
  if channelPrefix == '' then
    return lock.hold .. ':to:' .. client
  end
  return channelPrefix .. client
end

-- How many connections to this server listen for what a client is told of a lock; nil if the server does not say. Not the
-- count that PUBLISH answers: that one counts pattern subscribers too.
local function listeners(lock, client)
  local channel = channelOf(lock, client)
  local counted
  if channelPrefix == '' then
    counted = redis.pcall('PUBSUB', 'SHARDNUMSUB', channel)
  end
  if not counted or counted.err then -- a server older than 7.0 has no sharded channels
    counted = redis.pcall('PUBSUB', 'NUMSUB', channel)
  end
  return not counted.err and tonumber(counted[2]) or nil
end

-- How many members were removed: none from a key of another type, which must not stop an owner's end halfway.
local function remove(key, member)
  local removed = redis.pcall('ZREM', key, member)
  if type(removed) == 'table' then
    return isForeign(removed) and 0 or redis.call('ZREM', key, member) -- any other error comes again
  end
  return removed
end

-- Removes a waiter wherever it stands. Begins with a command that is allowed at maxmemory. With `claimed`, the claim
-- under way is the waiter's and ends too.
local function dequeue(lock, owner, claimed)
  local known
  if claimed then
    known = redis.call('HDEL', lock.details, '@claim', owner) == 2
  else
    known = redis.call('HDEL', lock.details, owner) == 1
  end
  if not known then
    -- An order without details (a key was dropped by force) must not be met again.
    return remove(lock.queue, owner) + remove(lock.parked, owner) > 0
  end
  local client = clientOf(owner)
  if remove(lock.queue, owner) == 0 and remove(lock.parked, owner) == 1 then
    redis.call('HINCRBY', lock.details, '@p:' .. client, -1)
  end
  if redis.call('HINCRBY', lock.details, '@n:' .. client, -1) <= 0 then
    redis.call('HDEL', lock.details, '@n:' .. client, '@p:' .. client, '@a:' .. client, '@s:' .. client)
    if redis.call('EXISTS', lock.queue, lock.parked) == 0 then
      redis.call('DEL', lock.details)
    end
  end
  return true
end

-- What can be said of a waiter's client: 'here' it can be told; 'away' it listens nowhere; 'suspect' it did not take up
-- a grant; 'gone' its deadline has passed. Asked once for each client and script. The client that asks is always here,
-- because the reply tells it.
local function judge(lock, client, active, suspect)
  local answer, deadline, seen, label
  if active then
    deadline, seen, label = string.match(active, '^(%d+) (%d) (%S*)$')
  end
  if not deadline or tonumber(deadline) < now then
    answer = 'gone'
  elseif client == requester then
    answer = 'here'
  elseif suspect then
    answer = 'suspect'
  else
    answer = 'here'
    if seen == '1' and listeners(lock, client) == 0 then
      answer = 'away'
    end
  end
  lock.reach[client] = answer
  lock.labels[client] = label
  return answer
end

local function reach(lock, client)
  local answer = lock.reach[client]
  if not answer then
    local facts = redis.call('HMGET', lock.details, '@a:' .. client, '@s:' .. client)
    answer = judge(lock, client, facts[1], facts[2])
  end
  return answer
end

-- The details of a waiter as they are written, and what can be said of its client.
local function look(lock, owner)
  local client = clientOf(owner)
  local answer = lock.reach[client]
  if answer then
    return redis.call('HGET', lock.details, owner), answer
  end
  local facts = redis.call('HMGET', lock.details, owner, '@a:' .. client, '@s:' .. client)
  return facts[1], judge(lock, client, facts[2], facts[3])
end

-- Takes waiters out of the queue, keeping their order: pairs of owner and order.
local function park(lock, listed)
  if #listed == 0 then
    return
  end
  local owners, scored, counts = {}, {}, {}
  for i = 1, #listed, 2 do
    local owner = listed[i]
    owners[#owners + 1] = owner
    scored[#scored + 1] = listed[i + 1]
    scored[#scored + 1] = owner
    local client = clientOf(owner)
    counts[client] = (counts[client] or 0) + 1
  end
  redis.call('HDEL', lock.details, '@') -- a write that is allowed at maxmemory: it lets the others pass
  redis.call('ZADD', lock.parked, unpack(scored)) -- the first that can fail: nobody may fall between the two
  redis.call('ZREM', lock.queue, unpack(owners))
  expireLater(lock.parked, now + waiterTtl)
  for client, count in pairs(counts) do
    redis.call('HINCRBY', lock.details, '@p:' .. client, count)
  end
end

-- Removes a few parked waiters whose deadline has passed.
local function sweep(lock)
  for _, owner in ipairs(redis.call('ZRANGE', lock.parked, 0, 63)) do
    if reach(lock, clientOf(owner)) == 'gone' then
      dequeue(lock, owner)
    end
  end
end

-- Where a waiter enters the queue, given the next number of @seq. Orders are integers of less than 50 bits, which a
-- double keeps exactly. Each priority has a band, the higher ones before the lower; in a band stand first those of
-- queue order 'N' (newest first), then 'F' (oldest first), then 'R', in an order that is drawn here: the server's own
-- generator begins anew in every script.
local function orderOf(order, priority, queueOrder, owner)
  if queueOrder == 'N' then
    order = -order
  elseif queueOrder == 'R' then
    order = FIRST_RANDOM + tonumber(string.sub(redis.sha1hex(owner .. nowText), 1, 10), 16)
  end
  return int(order - priority * BAND)
end

local function priorityOf(order)
  return -math.floor((tonumber(order) + BAND / 2) / BAND)
end

local function queueOrderOf(order)
  local place = tonumber(order) + priorityOf(order) * BAND
  return place < 0 and 'N' or place < FIRST_RANDOM and 'F' or 'R'
end

-- Removes waiters whose deadline has passed, as far as one script may look.
local function clean(lock)
  local removed = 0
  for _, key in ipairs({ lock.queue, lock.parked }) do
    for _, owner in ipairs(redis.call('ZRANGE', key, 0, WALK_LIMIT - 1)) do
      if reach(lock, clientOf(owner)) == 'gone' then
        dequeue(lock, owner)
        removed = removed + 1
      end
    end
  end
  return removed
end

-- All that wait; one that was handed the lock and has not confirmed yet stands in the queue, but does not wait.
local function waitersOf(lock, claimed)
  return redis.call('ZCARD', lock.queue) + redis.call('ZCARD', lock.parked) - (claimed and 1 or 0)
end

local function parseDetails(text)
  if not text then
    return nil
  end
  local since, ttl, stop, policy, claim, term, tokens, actor =
    string.match(text, '^(%d+) (%d+) (%d+) (%a) (%d+) (%d+) (%d+) (%S*)$')
  return {
    since = since,
    ttl = tonumber(ttl),
    stop = tonumber(stop),
    policy = policy,
    claim = tonumber(claim),
    term = term,
    tokens = tokens,
    actor = actor,
  }
end

local function readDetails(lock, owner)
  return parseDetails(redis.call('HGET', lock.details, owner))
end

local function formatDetails(d)
  return table.concat({ d.since, int(d.ttl), int(d.stop), d.policy, int(d.claim), d.term, d.tokens, d.actor }, ' ')
end

-- Whether a request has outlived its own limit, and what then happens to it: 'T' to the tail, 'L' leaves the queue.
local function outlived(lock, owner, order, d)
  if d and (d.stop == 0 or d.stop >= now) then
    return false
  end
  if d and d.policy == 'T' then
    d.stop = now + d.ttl
    redis.call('HSET', lock.details, owner, formatDetails(d))
    local last = redis.call('HINCRBY', lock.details, '@seq', 1)
    redis.call('ZADD', lock.queue, orderOf(last, priorityOf(order), 'F', owner), owner)
  else
    dequeue(lock, owner)
  end
  return true
end

-- Moves a waiter whose life is over to the tail, if that is what it asked for, and unless it stands aside.
local function toTail(lock, owner, d)
  local order = d and d.policy == 'T' and redis.call('ZSCORE', lock.queue, owner)
  if order then
    outlived(lock, owner, order, d)
  end
end

-- The first waiter in the server's order that can be told. Waiters that cannot are parked with their order, each once,
-- so that the next script does not walk over them again. `candidate` is a waiter of the client that asks: it may be
-- parked or suspect, and is found where its order puts it. Answers the waiter and its details.
local function nextWaiter(lock, candidate)
  local order = nil
  if candidate then
    order = tonumber(redis.call('ZSCORE', lock.queue, candidate) or redis.call('ZSCORE', lock.parked, candidate) or nil)
  end
  local walked, size = 0, 1
  while walked < WALK_LIMIT do
    local batch = redis.call('ZRANGE', lock.queue, 0, size - 1, 'WITHSCORES')
    local found, details, aside = nil, nil, {}
    for i = 1, #batch, 2 do
      local owner = batch[i]
      if order and tonumber(batch[i + 1]) >= order then
        found, details = candidate, readDetails(lock, candidate)
        break
      end
      walked = walked + 1
      local text, answer = look(lock, owner)
      if answer == 'gone' then
        dequeue(lock, owner)
      elseif answer ~= 'here' then
        aside[#aside + 1] = owner
        aside[#aside + 1] = batch[i + 1]
      else
        details = parseDetails(text)
        if not outlived(lock, owner, batch[i + 1], details) then
          found = owner
          break
        end
      end
    end
    park(lock, aside)
    if found then
      return found, details
    end
    if #batch == 0 then
      if order then
        return candidate, readDetails(lock, candidate)
      end
      return nil
    end
    size = 64
  end
  lock.more = 1
  return nil
end

local function grant(lock, owner, term, ms, label, tokens, kept)
  local held = { owner = owner, term = term, label = label, kept = kept, left = ms }
  lock.held = grantHold(lock.hold, lock.token, tokenTtl, held, tokens)
end

-- Tells a client whose leases share a hold that others want the lock. It may be told more than once; and it is noted in the
-- hold, where its next renewal finds it if no message arrives. Where nothing can be written the message has to do.
local function recall(lock)
  local held = lock.held
  if not held or held.kept == '' then
    return
  end
  -- rule recallmark
  if held.kept == ' K' then
    redis.pcall('HDEL', lock.details, '@') -- a write that is allowed at maxmemory: it lets the other pass
    held.kept = ' R'
    redis.pcall('SET', lock.hold, holdText(held), 'XX', 'KEEPTTL')
  end
  -- end
  mail[#mail + 1] = channelOf(lock, clientOf(held.owner))
  mail[#mail + 1] = table.concat({ 'R', held.token, lock.hold }, ' ')
end

local function labelOf(lock, client, actor)
  local label = lock.labels[client]
  if not label then
    local active = redis.call('HGET', lock.details, '@a:' .. client)
    label = active and string.match(active, '^%d+ %d (%S*)$') or ''
  end
  return label .. '/' .. actor
end

-- Gives a lock that nobody holds to the next waiter, for a claim window. The waiter stays in the queue until it
-- confirms or releases, so that the script that finds the claim lapsed knows whose it was.
local function handoff(lock, candidate)
  local owner, d = nextWaiter(lock, candidate)
  if not owner then
    return
  end
  local client = clientOf(owner)
  if not lock.freed then
    redis.call('DEL', lock.hold) -- a write that is allowed at maxmemory: it lets the others pass
  end
  -- Whoever shares its hold is told of others that come later. It stands in the queue itself until it confirms.
  local kept = d.tokens ~= '1' and redis.call('ZCARD', lock.queue) + redis.call('ZCARD', lock.parked) == 1 and ' K' or ''
  grant(lock, owner, d.term, d.claim, labelOf(lock, client, d.actor), d.tokens, kept)
  redis.call('HSET', lock.details, '@claim', owner)
  if client == requester then
    lock.mine = { publicPart(owner), lock.held.token, int(d.claim) }
  else
    lock.handed = d.claim
    mail[#mail + 1] = channelOf(lock, client)
    mail[#mail + 1] = table.concat(
      { 'G', publicPart(owner), lock.held.token, nowText, int(d.claim), kept == '' and 0 or 1, lock.hold }, ' ')
  end
end

-- Every script begins here, with lock.held read: afterwards somebody holds, or no waiter can be reached. With `tell`, a
-- claim of the client that asks, which it may not have heard of, is armed anew and told in the reply. `facts` are @seq
-- and @claim, if they were read already.
local function settle(lock, candidate, tell, facts)
  if not admits(lock.held) then
    if tell and clientOf(lock.held.owner) == requester and redis.call('HGET', lock.details, '@claim') == lock.held.owner then
      local d = readDetails(lock, lock.held.owner)
      if d then
        extendHold(lock.hold, d.claim)
        lock.mine = { publicPart(lock.held.owner), lock.held.token, int(d.claim) }
      end
    end
    return
  end
  facts = facts or redis.call('HMGET', lock.details, '@seq', '@claim')
  if not facts[1] then
    return -- no queue
  end
  local claimed = facts[2]
  if claimed then
    redis.call('HDEL', lock.details, '@claim')
    if redis.call('HEXISTS', lock.details, claimed) == 1 then
      redis.call('HSET', lock.details, '@s:' .. clientOf(claimed), nowText)
    end
  end
  handoff(lock, candidate)
end

-- The part of a reply that tells of the hold and of a claim of the client that asks.
local function describe(lock, reply)
  tellHold(reply, lock.hold, lock.held)
  local mine = lock.mine or { '', '', '' }
  reply[#reply + 1] = mine[1]
  reply[#reply + 1] = mine[2]
  reply[#reply + 1] = mine[3]
  reply[#reply + 1] = lock.handed
  reply[#reply + 1] = lock.more
  return reply
end

-- Last of all: a failed script has told nobody anything. A refused channel (no permission) is no failure: the next
-- refresh of the waiting client finds its grant.
local function deliver()
  for i = 1, #mail, 2 do
    local sent = channelPrefix == '' and redis.pcall('SPUBLISH', mail[i], mail[i + 1])
    if type(sent) ~= 'number' then
      redis.pcall('PUBLISH', mail[i], mail[i + 1])
    end
  end
end
