-- adopt.lua: goes on with a hold that its holder has left to another process: the hold gets an owner of the client that
-- asks. May be run again.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] tombstone of the old owner
-- KEYS[7] tombstone of the new owner
-- ARGV[1..2] see common.lua
-- ARGV[3] old owner   ARGV[4] token   ARGV[5] new owner   ARGV[6] term, ms   ARGV[7] label of the client and its actor
-- ARGV[8] life of the old owner's tombstone, ms   ARGV[9] the last of the tokens reserved for the hold that a lease has had, at
--         least the hold's own
--
-- Replies:
--   HELD since   the new owner holds the lock with the last token, which was granted then, for at least a term from now
--   GONE 0   it does not
-- Effects: writes the new owner and its label beside the last token, which becomes that of the lock, too: of the reserved ones
-- no other will be used. Moves the expiry, only later. The old owner has ended then: it is taken out of the queue, and its tombstone says that it was adopted. Afterwards whatever the old owner
-- still sends finds another owner.

-- include token.lua
-- include owner.lua
-- include held.lua
-- include foreign.lua
-- include expiry.lua
-- include order.lua
-- include common.lua
-- include queue.lua

local lock = lockAt(1)
local old, token, owner, term, last = ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[9]
know(lock, readHold(lock.hold))
local has, since = string.match(lock.rest or '', '^(%d+) (%d+)')

if not isHoldOf(lock.held, owner, last) then
  if has ~= token then
    return 'GONE 0'
  end
  -- rule ticketowner
  if not isHoldOf(lock.held, old) then
    return 'GONE 0' -- another has adopted it
  end
  -- end
  -- rule newtombstone
  if redis.call('EXISTS', KEYS[7]) == 1 then
    return 'GONE 0' -- who asked has given it up, and nobody would hear of the hold
  end
  -- end
  seldom().demandOurs(lock)
  redis.call('GET', KEYS[6]) -- of another type, it says so here
  redis.call('HDEL', lock.details, '@') -- a write that is allowed at maxmemory: it lets the others pass
  local before = string.match(lock.held, '^%S+')
  redis.call('SET', lock.hold, owner .. ' ' .. last .. ' ' .. since .. ' ' .. term .. ' ' .. ARGV[7], 'KEEPTTL')
  writeToken(lock.token, tonumber(last), tokenTtl)
  takeOut(lock, before, true) -- nobody has a claim but the holder
  -- rule oldtombstone
  redis.call('SET', KEYS[6], 'A', 'PX', ARGV[8])
  -- end
end
expireLater(lock.hold, term)
return 'HELD ' .. since
