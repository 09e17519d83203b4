-- clean.lua: removes waiters whose clients have not reported in time. It happens by itself when they are met; this is for
-- those who do not want to wait for it.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token
-- ARGV[1..4] see common.lua
--
-- Replies: number of waiters removed, number of waiters left, …describe.
-- Effects: looks at a thousand waiters of the queue and of those parked, settles the lock.

-- include hold.lua
-- include held.lua
-- include common.lua

local lock = lockAt(1)
lock.held = readHold(lock.hold)
demandOurs(lock)
local removed = clean(lock)
settle(lock)
local reply = describe(lock, { removed, waitersOf(lock, redis.call('HGET', lock.details, '@claim')) })
deliver()
return reply
