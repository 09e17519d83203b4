-- line_clean.lua: removes waiters whose clients have not reported in time. It happens by itself when they are met; this is for
-- those who do not want to wait for it.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] members   KEYS[7] cap
-- ARGV[1..2] see common.lua
--
-- Replies: number of waiters removed, number of waiters left, …describe.
-- Effects: looks at a thousand waiters of the queue and of those parked, settles the line.

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
local rare = seldom()
demandLine(lock)
readLine(lock)
readClaims(lock)
local removed = rare.clean(lock)
settle(lock)
local reply = removed .. ' ' .. rare.waitersOf(lock) .. ' ' .. describe(lock)
deliver()
return reply
