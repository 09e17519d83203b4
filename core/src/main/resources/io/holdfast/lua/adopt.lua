-- adopt.lua: goes on with a hold that its holder has left to another process: the hold gets an owner of the client that
-- asks. May be run again.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] tombstone of the old owner
-- KEYS[7] tombstone of the new owner
-- ARGV[1..4] see common.lua
-- ARGV[5] old owner   ARGV[6] token   ARGV[7] new owner   ARGV[8] term, ms   ARGV[9] label of the client and its actor
-- ARGV[10] life of the old owner's tombstone, ms
--
-- Replies:
--   HELD since   the new owner holds the lock with this token, which was granted then, for at least a term from now
--   GONE 0   it does not
-- Effects: writes the new owner and its label beside the same token, and moves the expiry, only later. The old owner has
-- ended then: it is taken out of the queue, and its tombstone says that it was adopted. Afterwards whatever the old owner
-- still sends finds another owner.

-- include hold.lua
-- include held.lua
-- include common.lua

local lock = lockAt(1)
local old, token, owner = ARGV[5], ARGV[6], ARGV[7]
local held = readHold(lock.hold)

if not held or held.token ~= token then
  return { 'GONE', 0 }
end
if held.owner ~= owner then
  -- rule ticketowner
  if held.owner ~= old then
    return { 'GONE', 0 } -- another has adopted it
  end
  -- end
  -- rule newtombstone
  if redis.call('EXISTS', KEYS[7]) == 1 then
    return { 'GONE', 0 } -- who asked has given it up, and nobody would hear of the hold
  end
  -- end
  demandOurs(lock)
  redis.call('GET', KEYS[6]) -- of another type, it says so here
  redis.call('HDEL', lock.details, '@') -- a write that is allowed at maxmemory: it lets the others pass
  local heir = { owner = owner, token = held.token, since = held.since, term = ARGV[8], label = ARGV[9], kept = '' }
  redis.call('SET', lock.hold, holdText(heir), 'KEEPTTL')
  dequeue(lock, held.owner, redis.call('HGET', lock.details, '@claim') == held.owner)
  -- rule oldtombstone
  redis.call('SET', KEYS[6], 'A', 'PX', ARGV[10])
  -- end
end
extendHold(lock.hold, tonumber(ARGV[8]))
return { 'HELD', tonumber(held.since) }
