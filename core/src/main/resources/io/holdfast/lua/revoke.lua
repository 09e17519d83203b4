-- revoke.lua: releases a lock by name, whoever holds it, and drops its waiters if asked to. An operator's act.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] evicted
-- ARGV[1..4] see common.lua
-- ARGV[5] token that the hold must have, or have reserved, '' for any   ARGV[6] '1' to drop the waiters, '0' not to
-- ARGV[7] how long a dropped waiter is refused, ms
--
-- Replies: a word, what hold.lua tells of the hold that ended (or of the present one, for OTHER), the number of waiters
-- dropped, …describe. The word is
--   RELEASED   the lock was held, and this hold has ended
--   NOTHING    nobody held it
--   OTHER      it is held with another token, or by another program: the hold is left alone
-- If there are more waiters than one script may drop, the answer tells so (the last value of describe): ask again.
-- Effects: drops waiters first, and tells their clients; then hands the lock to the next waiter, if any is left. Tells the
-- client that held it, which learns of it at its next renewal at the latest.

-- include hold.lua
-- include held.lua
-- include common.lua

local lock = lockAt(1)
local token, drop, life = ARGV[5], ARGV[6] == '1', tonumber(ARGV[7])

-- Leases that share a hold have tokens of those that were reserved for it. The last of them is known until long after it
-- was reserved; of a hold that was kept for so long, each greater token is one: no other hold came after it.
local function isMeant(held)
  if token == '' or token == held.token then
    return true
  end
  local asked, last = tonumber(token), tonumber(redis.call('MGET', lock.token)[1] or nil)
  return asked > tonumber(held.token) and (last and asked <= last or not last and held.kept ~= '')
end

lock.held = readHold(lock.hold)
local held = lock.held
-- Where a key of the queue is another program's, the hold ends all the same, and that is all.
local ours = unlessForeign(function()
  if drop then
    redis.call('HEXISTS', KEYS[6], '@')
  end
  return demandOurs(lock)
end)
local claimed = ours and redis.call('HGET', lock.details, '@claim')
if ours then
  redis.call('HDEL', lock.details, '@') -- a write that is allowed at maxmemory: it lets the others pass
end

local word = 'NOTHING'
if held then
  word = held.owner ~= '?' and isMeant(held) and 'RELEASED' or 'OTHER'
end
if word == 'RELEASED' then
  endHold(lock.hold)
  held.left = 0
  lock.held = nil
  lock.freed = true
  -- rule revokemessage
  mail[#mail + 1] = channelOf(lock, clientOf(held.owner))
  mail[#mail + 1] = table.concat({ 'V', publicPart(held.owner), held.token, lock.hold }, ' ')
  -- end
  if claimed and claimed == held.owner then
    dequeue(lock, claimed, true)
    claimed = nil
  end
end

local dropped = 0
if drop and ours then
  for _, key in ipairs({ lock.queue, lock.parked }) do
    for _, owner in ipairs(redis.call('ZRANGE', key, 0, WALK_LIMIT - 1)) do
      if owner ~= claimed then
        dropped = dropped + 1
        redis.call('HSET', KEYS[6], owner, '1')
        if dropped == 1 then
          expireLater(KEYS[6], now + life)
        end
        dequeue(lock, owner)
        mail[#mail + 1] = channelOf(lock, clientOf(owner))
        mail[#mail + 1] = 'E ' .. publicPart(owner) .. ' ' .. lock.hold
      end
    end
  end
  if waitersOf(lock, claimed) > 0 then
    lock.more = 1
  end
end

if ours and lock.more == 0 then
  settle(lock)
end
local reply = tellHold({ word }, lock.hold, held)
reply[#reply + 1] = dropped
describe(lock, reply)
deliver()
return reply
