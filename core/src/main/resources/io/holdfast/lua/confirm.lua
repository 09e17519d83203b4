-- confirm.lua: takes up a grant that came by message: the claim window becomes a full term.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token
-- ARGV[1..4] see common.lua
-- ARGV[5] owner   ARGV[6] token   ARGV[7] term, ms
--
-- Replies:
--   HELD   the owner holds the lock with this token, for at least a term from now
--   GONE   it does not
-- Effects: moves the expiry, only later; takes the owner out of the queue. Compares owner and token: an owner whose
-- claim lapsed may have been granted the lock again, with a later token.

-- include hold.lua
-- include held.lua
-- include common.lua

local lock = lockAt(1)
lock.held = readHold(lock.hold)
if not lock.held or lock.held.owner ~= ARGV[5]
  -- rule tokencompare
  or lock.held.token ~= ARGV[6]
  -- end
then
  return { 'GONE' }
end
extendHold(lock.hold, tonumber(ARGV[7]))
unlessForeign(function()
  dequeue(lock, ARGV[5], redis.call('HGET', lock.details, '@claim') == ARGV[5])
end)
return { 'HELD' }
