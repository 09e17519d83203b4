-- clean.lua: removes waiters whose clients have not reported in time. It happens by itself when they are met; this is for
-- those who do not want to wait for it.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token
-- ARGV[1..2] see common.lua
--
-- Replies: number of waiters removed, number of waiters left, …describe.
-- Effects: looks at a thousand waiters of the queue and of those parked, settles the lock.

-- include token.lua
-- include hold.lua
-- include owner.lua
-- include held.lua
-- include foreign.lua
-- include expiry.lua
-- include order.lua
-- include common.lua
-- include exclusive.lua
-- include queue.lua
-- include settle.lua

local lock = lockAt(1)
local rare = seldom()
know(lock, readHold(lock.hold))
rare.demandOurs(lock)
local removed = rare.clean(lock)
local facts = redis.call('HMGET', lock.details, '@seq', '@claim', '@pause')
settle(lock, nil, false, facts[1], facts[2], facts[3])
local waiters = rare.waitersOf(lock)
local reply = removed .. ' ' .. waiters .. ' ' .. describe(lock)
deliver()
return reply
