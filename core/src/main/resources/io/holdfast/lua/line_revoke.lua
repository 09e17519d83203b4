-- line_revoke.lua: ends holds of a line by name, of one owner or of all, or a rest, and drops waiters if asked to. An operator's act.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] members   KEYS[7] cap
-- KEYS[8] evicted
-- ARGV[1..2] see common.lua
-- ARGV[3] public owner whose hold is to end; '' for all; '-' and a token, as words, for what rests with that token: it has no owner
-- ARGV[4] which waiters to drop, see drop_waiters.lua   ARGV[5] how long a dropped waiter is refused, ms
--
-- Replies, as words: the first, number of holds that have ended, number of waiters dropped, …describe. The first is
--   RELEASED   the holds have ended
--   NOTHING    there was none, or none of this owner
-- If there are more holders or waiters than one script may end, the answer tells so (in what describe tells): ask again.
-- Effects: drops waiters, and tells their clients; then settles the line. Tells the clients whose holds have ended.

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
local drop, life, evicted = ARGV[4], ARGV[5], KEYS[8]
local rare, ours = seldom(), true
demandLine(lock)
redis.call('HGET', evicted, '@')
readLine(lock)
readClaims(lock)
redis.call('ZREM', lock.members, '@') -- a write that is allowed at maxmemory: it lets the others pass
purge(lock)

local gone, resting = {}, string.match(ARGV[3], '^%- (%d+)$')
for _, member in ipairs(redis.call('ZRANGE', lock.members, '0', WALK_LIMIT - 1)) do
  local public, token = string.match(member, '^(%S+) (%d+)')
  local meant = ARGV[3] == '' or ARGV[3] == public
  local hold = (meant or resting == token) and holdOf(redis.call('HGET', lock.hold, public)) or nil
  if meant or hold and hold.secret == '-' then
    gone[#gone + 1] = { public = public, member = member, hold = hold }
    mail[#mail + 1] = channelOf(lock, clientOf(public))
    mail[#mail + 1] = 'V ' .. public .. ' ' .. token .. ' 0 ' .. lock.hold
  end
end
if #gone > 0 then
  leave(lock, gone)
end
for _, one in ipairs(gone) do
  if one.hold and one.hold.order ~= '-' then
    claiming().finish(lock, one.public .. '~' .. one.hold.secret)
  end
end
if ARGV[3] == '' and redis.call('ZCARD', lock.members) > 0 then
  lock.more = '1'
end

-- include drop_waiters.lua

if lock.more == '0' then
  settle(lock)
end
local reply = (#gone > 0 and 'RELEASED ' or 'NOTHING ') .. #gone .. ' ' .. dropped .. ' ' .. describe(lock)
deliver()
return reply
