-- line_release.lua: ends an owner, whatever it is at present: a holder, a waiter, or neither. May be run again.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] members   KEYS[7] cap
-- KEYS[8] tombstone of the owner, if it is to get one
-- ARGV[1..2] see common.lua
-- ARGV[3] owner   ARGV[4] as words: life of the tombstone, ms, 0 for none; shortest hold, ms from the grant, 0 for none; rest, ms
--         from now, 0 for none; token of the hold, 0 if it is not known
--
-- Replies, as words:
--   RELEASED …describe   the owner held, and no longer does; without what describe tells if nobody waits
--   WITHDRAWN …describe   the owner waited, and no longer does
--   GONE …describe   the owner neither held nor waited
-- What describe tells of a hold is left out if it is one of the client that asks.
-- Effects: begins with a write that is allowed at maxmemory, and which no key of another program stops; settles the line, and tells
-- those that were granted it. With a shortest hold that is not over yet, or a rest, what was held rests until both are over: taken,
-- by nobody. Whoever runs it again finds the owner gone, and prolongs no rest.

-- include token.lua
-- include time.lua
-- include expiry.lua
-- include foreign.lua
-- include order.lua
-- include common.lua
-- include queue.lua
-- include lasting.lua
-- include line.lua

-- Whether somebody waits or has waited since nobody did. Mostly somebody does: the first two are kept for whoever serves, and claims
-- are read where it matters whether there are any.
local function anybodyWaits(line)
  line.front = redis.call('ZRANGE', line.queue, '0', '1')
  line.unread = line.front[1] ~= nil
  return line.unread or readClaims(line)
end

local lock = lineAt(1)
local owner = ARGV[3]
local public, secret = partsOf(owner)
local tombstone, shortest, rest, token = string.match(ARGV[4], '^(%d+) (%d+) (%d+) (%d+)$')
local written, known = nil, false
unlessForeign(function()
  written, known = readLine(lock, public), true
end)
local own = holdOf(written)
local queued = unlessForeign(anybodyWaits, lock) ~= false

local word = 'GONE'
if own and own.secret == secret then
  word = 'RELEASED'
  local one = { public = public, member = public .. ' ' .. own.token, hold = own }
  local granted, left = math.floor(own.since / 1000), 0
  if shortest ~= '0' then
    left = granted + shortest - now
  end
  if rest ~= '0' then
    left = math.max(left, rest + 1) -- a part of the present millisecond is over
  end
  local claim = own.order ~= '-'
  if left > 0 then
    -- Under another owner nothing late can release it, or prolong it.
    redis.call('ZREM', lock.members, one.member)
    redis.call('HDEL', lock.hold, public)
    own.secret, own.term, own.order = '-', math.max(1, now + left - granted), '-'
    redis.call('HSET', lock.hold, '-' .. public, textOf(own), unpack(lock.writer and { '@w', '-' .. public } or {}))
    redis.call('ZADD', lock.members, int(now + left), '-' .. one.member)
    outlive(lock.members, lock.hold, left)
  else
    leave(lock, { one }, queued and not claim and tombstone == '0')
  end
  if claim and queued then
    unlessForeign(claiming().finish, lock, owner)
  end
  if not queued and tombstone == '0' then
    return 'RELEASED' -- mostly nobody waits: then this is all
  end
else
  if lock.holders == 0 then
    remove(lock.members, public .. ' ' .. token) -- what was written of it was dropped by force
  end
  lock.front = nil
  if unlessForeign(seldom().dequeue, lock, owner) then
    word = 'WITHDRAWN'
  end
end

local grave = KEYS[8]
-- include leave_tombstone.lua

local serves = word == 'RELEASED'
-- rule cancelserves
serves = true -- whoever left the front may have been all that stood in the way of others
-- end
local told = serves and unlessForeign(function()
  if not known then
    demandLine(lock)
  end
  settle(lock)
  return describe(lock, true)
end)
local reply = word .. ' ' .. (told or '0 0 0 0 0')
deliver()
return reply
