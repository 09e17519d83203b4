-- line_confirm.lua: takes up grants of one line that came by message: the claim window becomes a full term.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] members   KEYS[7] cap
-- ARGV[1..2] see common.lua
-- ARGV[3] of each grant, as words: owner, token, term in ms
--
-- Replies: for each 1 (held, for at least a term from now) or 0 (gone).
-- Effects: moves the ends, only later. Compares owner and token: an owner whose claim lapsed may have been granted the line
-- again, with a later token.

-- include token.lua
-- include time.lua
-- include expiry.lua
-- include foreign.lua
-- include order.lua
-- include common.lua
-- include queue.lua
-- include lasting.lua
-- include line.lua

local lock = lineAt(1)
readLine(lock)
unlessForeign(readClaims, lock)
redis.call('ZREM', lock.members, '@') -- a write that is allowed at maxmemory: it lets the others pass
local reply = {}
for owner, token, term in string.gmatch(ARGV[3], '(%S+) (%d+) (%d+)') do
  local public, secret = partsOf(owner)
  local own = holdOf(redis.call('HGET', lock.hold, public))
  local last = redis.call('ZSCORE', lock.members, public .. ' ' .. token)
  local held = own and own.secret == secret and own.token == token and last and tonumber(last) > now
  if held then
    outlive(lock.members, lock.hold, tonumber(term)) -- first: where it is refused, nothing is confirmed
    redis.call('ZADD', lock.members, 'XX', 'GT', int(now + term), public .. ' ' .. token)
    if own.order ~= '-' then
      unlessForeign(claiming().takeUp, lock, owner, own)
    end
  end
  reply[#reply + 1] = held and '1' or '0'
end
return table.concat(reply, ' ')
