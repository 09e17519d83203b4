-- renew.lua: moves the expiries of holds, only later. One call for a batch; touches the keys of holds only, so that
-- renewal goes on while a slot is being moved.
--
-- KEYS[1..n] holds
-- ARGV[3i-2] owner   ARGV[3i-1] token   ARGV[3i] term, ms, of the i-th hold
--
-- Replies: for each hold 1 (held, for at least a term from now), 2 (the same, and others want the lock, whose hold leases
-- share) or 0 (gone).
-- Effects: never creates a key.

-- include owner.lua
-- include expiry.lua

local unpack = table.unpack or unpack -- newer Lua has it there alone
local texts = redis.call('MGET', unpack(KEYS))
local reply = {}
for i = 1, #KEYS do
  -- rule tokencompare
  local mine = isHoldOf(texts[i], ARGV[3 * i - 2], ARGV[3 * i - 1])
  -- end
  if mine then
    expireLater(KEYS[i], ARGV[3 * i])
  end
  -- A label has no blank: what ends so was recalled.
  reply[i] = not mine and '0' or string.sub(texts[i], -2) == ' R' and '2' or '1'
end
return table.concat(reply, ' ')
