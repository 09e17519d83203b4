-- revoke.lua: releases a lock by name, whoever holds it, and drops its waiters if asked to. An operator's act.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] evicted
-- ARGV[1..2] see common.lua
-- ARGV[3] token that the hold must have, or have reserved, '' for any   ARGV[4] which waiters to drop, see drop_waiters.lua
-- ARGV[5] how long a dropped waiter is refused, ms
--
-- Replies: a list of two texts: words, which are one of these, the number of waiters dropped, …describe; and what held.lua
-- tells of the hold that ended, or of the present one, for OTHER. The first word is
--   RELEASED   the lock was held, and this hold has ended
--   NOTHING    nobody held it
--   OTHER      it is held with another token, or by another program, or is paused: that is left alone
-- If there are more waiters than one script may drop, the answer tells so (in what describe tells): ask again.
-- Effects: drops waiters first, and tells their clients; then hands the lock to the next waiter, if any is left. Tells the
-- client that held it, which learns of it at its next renewal at the latest, and whether waiters were dropped: its own may stand
-- in a line inside of it.

-- include token.lua
-- include hold.lua
-- include owner.lua
-- include held.lua
-- include foreign.lua
-- include expiry.lua
-- include order.lua
-- include common.lua
-- include exclusive.lua
-- include queue.lua
-- include settle.lua

local lock = lockAt(1)
local token, drop, life, evicted = ARGV[3], ARGV[4], ARGV[5], KEYS[6]
local rare = seldom()

-- Leases that share a hold have tokens of those that were reserved for it. The last of them is known until long after it
-- was reserved; of a hold that was kept for so long, each greater token is one: no other hold came after it.
local function isMeant(held)
  local own = string.match(held.rest, '^%d+')
  if held.public == '!' then -- a pause is nobody's hold: pause.lua ends it
    return false
  elseif token == '' or token == own then
    return true
  end
  local asked, last = tonumber(token), tonumber(redis.call('MGET', lock.token)[1] or nil)
  return asked > tonumber(own) and (last and asked <= last or not last and held.kept ~= '')
end

know(lock, readHold(lock.hold))
local held = { held = lock.held, public = lock.public, rest = lock.rest, kept = lock.kept }
-- Where a key of the queue is another program's, the hold ends all the same, and that is all.
local ours = unlessForeign(function()
  if drop ~= '0' then
    redis.call('HEXISTS', evicted, '@')
  end
  return rare.demandOurs(lock)
end)
local claimed = string.match(ours and redis.call('HGET', lock.details, '@claim') or '', '^%S+')
if ours then
  redis.call('HDEL', lock.details, '@') -- a write that is allowed at maxmemory: it lets the others pass
end

local word = 'NOTHING'
if held.held then
  word = held.public ~= '?' and isMeant(held) and 'RELEASED' or 'OTHER'
end
if word == 'RELEASED' then
  redis.call('DEL', lock.hold)
  held.left = '0'
  know(lock, false)
  lock.freed = true
  -- rule revokemessage
  mail[#mail + 1] = channelOf(lock, clientOf(held.public))
  mail[#mail + 1] = 'V ' .. held.public .. ' ' .. string.match(held.rest, '^%d+') .. (drop == '1' and ' 1 ' or ' 0 ') .. lock.hold
  -- end
  if claimed and isHoldOf(held.held, claimed) then
    takeOut(lock, claimed, true)
  end
end

-- include drop_waiters.lua

if ours and lock.more == '0' then
  local facts = redis.call('HMGET', lock.details, '@seq', '@claim', '@pause')
  settle(lock, nil, false, facts[1], facts[2], facts[3])
end
local told = tellHold(lock.hold, held)
local words = word .. ' ' .. dropped .. ' ' .. describe(lock)
deliver()
return nil, { words, told }
