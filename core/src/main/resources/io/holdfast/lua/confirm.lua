-- confirm.lua: takes up a grant that came by message: the claim window becomes a full term.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token
-- ARGV[1..2] see common.lua
-- ARGV[3] owner   ARGV[4] token   ARGV[5] term, ms
--
-- Replies:
--   HELD   the owner holds the lock with this token, for at least a term from now
--   GONE   it does not
-- Effects: moves the expiry, only later; takes the owner out of the queue. Compares owner and token: an owner whose
-- claim lapsed may have been granted the lock again, with a later token.

-- include owner.lua
-- include foreign.lua
-- include expiry.lua
-- include order.lua
-- include common.lua
-- include queue.lua

local lock = lockAt(1)
local held = readHold(lock.hold)
local owner, token = ARGV[3], nil
-- rule tokencompare
token = ARGV[4]
-- end
if not isHoldOf(held, owner, token) then
  return 'GONE'
end
expireLater(lock.hold, ARGV[5])
unlessForeign(takeOut, lock, owner, true) -- nobody has a claim but the holder
return 'HELD'
