-- line_limit.lua: limits how many permits of a semaphore may be out, whatever requests say, for a time; or ends that. An operator's
-- act. A limit of 0 is a pause, of a read/write lock, too.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] members   KEYS[7] cap
-- ARGV[1..2] see common.lua
-- ARGV[3] permits, -1 for no limit   ARGV[4] for how long, ms   ARGV[5] label of who limits
--
-- Replies: 1 if there was a limit before, else 0; …describe.
-- Effects: writes the limit, in place of one before, or deletes it; settles the line, which serves whoever fits now. Takes nothing
-- from those that hold. A limit ends with its key: nothing is left of it, and those that wait are told when to look.

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
demandLine(lock)
local before = readHold(lock.cap)
if before and not string.match(before, '^%d+ ') then
  error('FOREIGN the key of the limit has a value that Holdfast did not write')
end
readLine(lock)
readClaims(lock)
redis.call('DEL', lock.cap) -- a write that is allowed at maxmemory: it lets the others pass
if ARGV[3] ~= '-1' then
  redis.call('SET', lock.cap, ARGV[3] .. ' ' .. ARGV[5], 'PX', ARGV[4])
end
-- rule unlimitserves
settle(lock)
-- end
local reply = (before and '1 ' or '0 ') .. describe(lock)
deliver()
return reply
