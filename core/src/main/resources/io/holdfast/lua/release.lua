-- release.lua: ends an owner, whatever it is at present: a holder, a waiter, or neither. May be run again.
--
-- KEYS[1] hold   KEYS[2] queue   KEYS[3] parked   KEYS[4] details   KEYS[5] token   KEYS[6] tombstone of the owner, if it
-- is to get one, or the work is done that the lock is for; KEYS[7] note, if it is done
-- ARGV[1..2] see common.lua
-- ARGV[3] owner   ARGV[4] empty, or as words: life of the tombstone, ms, 0 for none; shortest hold, ms from the grant, 0 for
--         none; rest, ms from now, 0 for none; the last of the reserved tokens that was used, 0 if none were reserved; and if the work
--         is done that the lock is for, the label of its record, which the lock is to have in place of a rest
--
-- Replies, as words:
--   RELEASED …describe   the owner held the lock, and no longer does; without what describe tells if nobody waits
--   WITHDRAWN …describe   the owner waited, and no longer does
--   GONE …describe   the owner neither held nor waited
-- Effects: begins with the delete, which is allowed at maxmemory, and which no key of another program stops; hands the lock
-- to the next waiter and tells it. With a shortest hold that is not over yet, or a rest, the lock rests until both are over: taken,
-- by nobody. Whoever runs it again finds another owner, or none, and prolongs no rest. With a record, all that wait are told of it, and
-- leave the queue; what holders have noted is removed.

-- include owner.lua

local owner = ARGV[3]
local text = redis.pcall('GET', KEYS[1])
local own = text and not text.err and text
-- rule ownercheck
own = isHoldOf(own, owner) and own
-- end
if own then
  redis.call('DEL', KEYS[1])
end
local queued = redis.call('EXISTS', KEYS[4]) == 1
if own and not queued then -- mostly nobody waits: then this is all, without what handles a queue
  if ARGV[4] == '' then
    return 'RELEASED'
  end
  local used, token = string.match(ARGV[4], '^0 0 0 (%d+)$'), string.match(own, ' (%d+)')
  if used and #used == #token and used >= token then
-- include token.lua
    pcall(writeToken, KEYS[5], tonumber(used), ARGV[2]) -- of another program's type it stays as it is
    return 'RELEASED'
  end
end

-- include token.lua
-- include hold.lua
-- include held.lua
-- include foreign.lua
-- include expiry.lua
-- include order.lua
-- include common.lua
-- include exclusive.lua
-- include queue.lua
-- include settle.lua

local lock = lockAt(1)
local tombstone, shortest, rest, used, done = '0', '0', '0', '0', ''
if ARGV[4] ~= '' then
  tombstone, shortest, rest, used, done = string.match(ARGV[4], '^(%d+) (%d+) (%d+) (%d+) ?(%S*)$')
end

local facts = queued and redis.pcall('HMGET', lock.details, '@claim', '@pause') or {}
if facts.err then
  facts = isForeign(facts) and {} or redis.call('HMGET', lock.details, '@claim', '@pause') -- any other error comes again
end
local claim, pause = facts[1], facts[2]
lock.pause = pause or false

local claimed = isHoldOf(claim, owner)
local word = 'GONE'
if own then
  lock.freed = true
  word = 'RELEASED'
  if done ~= '' and type(redis.pcall('GET', KEYS[7])) == 'string' then
    redis.call('DEL', KEYS[7])
  end
  if claimed then
    takeOut(lock, owner, true)
  end
  if used ~= '0' or shortest ~= '0' or rest ~= '0' then
    local token, since, label = string.match(own, ' (%d+) (%d+) %d+ (%S*)')
    if tonumber(used) >= tonumber(token) then
      -- Not of an earlier grant of the same owner, and nobody was granted the lock since: the others were not used.
      unlessForeign(writeToken, lock.token, tonumber(used), tokenTtl)
    end
    local granted, ends = math.floor(since / 1000), 0
    if shortest ~= '0' then
      ends = granted + shortest
    end
    if rest ~= '0' then
      ends = math.max(ends, math.ceil(nowText / 1000) + rest)
    end
    if ends > math.floor(nowText / 1000) then
      know(lock, done ~= '' and '= ' .. token .. ' ' .. nowText .. ' ' .. rest .. ' ' .. done
        or '- ' .. token .. ' ' .. since .. ' ' .. math.max(1, ends - granted) .. ' ' .. label)
      redis.call('SET', lock.hold, lock.held, 'PXAT', ends)
      -- rule answers
      if done ~= '' then
        -- Answers all that wait with the record. Where a key is another program's nothing is deleted, and their refreshes find the record.
        unlessForeign(function()
          local rare = seldom()
          rare.demandOurs(lock)
          for _, field in ipairs(redis.call('HKEYS', lock.details)) do
            local client = string.match(field, '^@n:(.+)')
            if client then
              mail[#mail + 1] = channelOf(lock, client)
              mail[#mail + 1] = 'O ' .. lock.rest .. ' ' .. lock.hold
            end
          end
          redis.call('DEL', lock.queue, lock.parked, lock.details)
          if pause then
            rare.notePause(lock, pause)
          end
        end)
      end
      -- end
    end
  end
else
  know(lock, readHold(lock.hold))
  if unlessForeign(claimed and takeOut or seldom().dequeue, lock, owner, claimed) then
    word = 'WITHDRAWN'
  end
end

local grave = KEYS[6]
-- include leave_tombstone.lua

-- A repeated release tells its handoff again. Where the queue is another program's the hold ends all the same, without a handoff.
unlessForeign(settle, lock, nil, word == 'GONE', queued, not claimed and claim, pause)
local reply = word .. ' ' .. describe(lock)
deliver()
return reply
