-- quorum_raise.lua: writes the fencing token of a quorum's lease back to one node that has granted the lock, and moves the
-- expiry of the hold. May be run again.
--
-- KEYS[1] hold   KEYS[2] token
-- ARGV[1] owner   ARGV[2] token of this node's grant   ARGV[3] token of the lease   ARGV[4] term, ms
-- ARGV[5] life of tokens, ms
--
-- Replies:
--   HELD   the owner holds the lock here, for at least a term from now, and later grants have greater tokens
--   GONE   it does not
-- Effects: raises the last token, moves the expiry, both only upwards. Creates no hold.

-- include token.lua
-- include owner.lua
-- include expiry.lua

-- rule raiseowner
if not isHoldOf(redis.call('GET', KEYS[1]), ARGV[1], ARGV[2]) then
  return 'GONE'
end
-- end
local token = tonumber(ARGV[3])
-- rule writeback
if (tonumber(redis.call('GET', KEYS[2]) or '0') or 0) < token then
  writeToken(KEYS[2], token, ARGV[5])
end
-- end
expireLater(KEYS[1], ARGV[4])
return 'HELD'
