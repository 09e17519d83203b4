-- common.lua: included by every script that touches a queue. It owns the formats of all values but the hold and the token.
--
-- The keys of one lock, all in one slot, in this order:
--   hold      string  who holds; see hold.lua
--   queue     zset    owner -> order: waiters; the lowest is served first. The order is made in order.lua
--   parked    zset    owner -> order: waiters that cannot be told of a grant at present; they keep their order
--   details   hash    owner     -> "requestEnd since requestTtl requestPolicy claim asked term label"
--                     @seq      -> last order given
--                     @v, @g:group -> of groups, see share.lua; the details of their waiters end with "Sweight:group"
--                     @claim    -> "owner order" of a claim, a grant by handoff that is not confirmed yet; for lines see line.lua
--                     @pause    -> the hold that an operator's pause is to write as soon as nobody holds the lock, see hold.lua
--                     @n:client -> number of its waiters          @p:client -> number of these that are parked
--                     @a:client -> "deadline seen"                @s:client -> since when it is suspect
--   token     string  the last fencing token; see hold.lua
--   evicted   hash    owner -> 1: waiters that were dropped by name, so that they do not queue again
-- Details expire no sooner than any waiter's deadline, and queue and parked with them: nobody stands there of whom nothing is known. Times are of this server: since, in
-- microseconds; the others, in milliseconds. An owner is "client.number~secret". A label is "application/host/pid/actor", or
-- that and "?" and metadata; each part is URL-encoded. What is asked for is the number of tokens to reserve besides the first,
-- for an exclusive lock; for a line see there.
--
-- ARGV[1] what is the same in each call of a client, as words: its id; deadline of its waiters, ms; prefix of channels, empty
--         on a cluster
-- ARGV[2] life of tokens, ms

local requester, waiterTtl, channelPrefix = string.match(ARGV[1], '^(%S+) (%d+) (%S*)$')
local tokenTtl = ARGV[2]
local mail = {} -- messages to send when everything else is done: channel, text, channel, text …

-- The i-th lock of the script, which has so many keys of each, mostly five. To these come what is known of its hold, see held.lua; freed, whether the hold was deleted by
-- this script; claims and pause, whether there are any, nil if that was not read; mine, a claim that belongs to the client that asks, to be told in the reply; handed, the claim in ms of a handoff
-- that was told by message; more, '1' if the walk was cut at its limit, to be asked again; reach, what was found of clients.
local function lockAt(i, keys)
  local first = (keys or 5) * (i - 1)
  return {
    hold = KEYS[first + 1],
    queue = KEYS[first + 2],
    parked = KEYS[first + 3],
    details = KEYS[first + 4],
    token = KEYS[first + 5],
    held = false,
    public = nil,
    rest = nil,
    kept = '',
    left = nil,
    handed = '0',
    more = '0',
  }
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

-- What a queue, those parked and the details have to outlive is moved with each request and each report; so that this does not take
-- calls each time, they live for up to a quarter longer. A queue with its `first` waiter, beside parked ones, has no expiry
-- yet.
local function outliveWaiters(lock, first)
  local left = redis.call('PTTL', lock.details)
  if left < tonumber(waiterTtl) or first then
    local at = string.format('%.0f', math.floor(nowText / 1000 + math.max(waiterTtl * 1.25, left)))
    redis.call('PEXPIREAT', lock.details, at)
    redis.call('PEXPIREAT', lock.queue, at)
    redis.call('PEXPIREAT', lock.parked, at)
  end
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
