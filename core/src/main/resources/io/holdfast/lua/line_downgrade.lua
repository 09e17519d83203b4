-- line_downgrade.lua: a writer goes on as a reader, in one step, so that no writer comes between. May be run again.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] members   KEYS[7] cap
-- ARGV[1..2] see common.lua
-- ARGV[3] owner   ARGV[4] token of the write hold   ARGV[5] term, ms
--
-- Replies, as words:
--   DOWNGRADED token since …describe   the owner reads, for at least a term from now; the token opens a phase of reading
--   GONE   the owner does not hold, or not with this token
-- Effects: begins a phase of reading, moves the end of the hold, only later, and grants the line to the readers that stand in front.

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
local owner = ARGV[3]
local public, secret = partsOf(owner)
local own = holdOf(readLine(lock, public))
demandLine(lock)
readClaims(lock)
local last = own and redis.call('ZSCORE', lock.members, public .. ' ' .. own.token)
if not own or own.secret ~= secret or not last or tonumber(last) <= now then
  return 'GONE'
end
if own.mode == 'W' and own.token == ARGV[4] then
  redis.call('ZREM', lock.members, public .. ' ' .. own.token) -- is allowed at maxmemory: it lets the others pass
  redis.call('HDEL', lock.hold, '@w')
  lock.writer, lock.used = nil, 1
  lock.last = lastOf(lock) + 1
  -- rule dgtoken
  own.token = int(lock.last)
  -- end
  own.mode, own.weight, own.since, own.term, lock.phase = 'D', '1', nowText, ARGV[5], own.token
  if own.order ~= '-' then
    claiming().takeUp(lock, owner, own)
  end
  redis.call('HSET', lock.hold, public, textOf(own), '@u', '1', '@f', lock.phase)
  redis.call('ZADD', lock.members, int(math.max(tonumber(last), now + ARGV[5])), public .. ' ' .. own.token)
  outlive(lock.members, lock.hold, tonumber(ARGV[5]))
  -- rule dgserves
  settle(lock)
  -- end
elseif own.mode == 'D' then
  -- rule dgrearm
  redis.call('ZREM', lock.members, '@') -- a write that is allowed at maxmemory: it lets the others pass
  redis.call('ZADD', lock.members, 'XX', 'GT', int(now + ARGV[5]), public .. ' ' .. own.token)
  outlive(lock.members, lock.hold, tonumber(ARGV[5]))
  -- end
else
  return 'GONE'
end
local reply = 'DOWNGRADED ' .. own.token .. ' ' .. own.since .. ' ' .. describe(lock)
deliver()
return reply
