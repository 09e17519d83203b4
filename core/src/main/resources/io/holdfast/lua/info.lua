-- info.lua: tells who holds and who waits, for a batch of locks.
--
-- KEYS[1..n] hold of each of n locks; then queue, parked, details of each
-- ARGV[1..2] see common.lua
-- ARGV[3] most waiters to list of each lock
--
-- Replies: a list with words for each lock: number of waiters; state of the hold, see below, empty for none; number of those
-- listed; for each of these its public owner id, since in microseconds, its label, its priority, its queue order (F, N, R), its
-- state; then what held.lua tells of the hold; then, if the lock is to pause when it is free, since when that was said, for how many ms
-- yet, and the label of the operator. States are of the client:
--   here      it can be told of a grant          away      it listens nowhere at present
--   suspect   it did not take up a grant         gone      it has not reported in time
--   claimed   (of a hold) it was handed the lock and has not confirmed yet         held      (of a hold) confirmed
-- Effects: none.

-- include owner.lua
-- include held.lua
-- include foreign.lua
-- include expiry.lua
-- include order.lua
-- include common.lua
-- include queue.lua

local most = tonumber(ARGV[3])
-- include waiters.lua

local unpack = table.unpack or unpack -- newer Lua has it there alone
local ASKED_AT_ONCE = 20 -- most locks have no queue, and one question says so of several
local count = #KEYS / 4

local function areQueued(first, last)
  return redis.call('EXISTS', unpack(KEYS, count + 3 * first - 2, count + 3 * last)) > 0
end

local function queuedAt(i)
  local lock = { hold = KEYS[i] }
  lock.queue, lock.parked, lock.details = unpack(KEYS, count + 3 * i - 2, count + 3 * i)
  return lock
end

local function tellQueued(i, text)
  local lock = queuedAt(i)
  know(lock, text)
  local facts = redis.call('HMGET', lock.details, '@claim', '@pause')
  local claimed, pause = string.match(facts[1] or '', '^%S+'), ''
  if facts[2] then
    local left = rare.pauseLeft(facts[2])
    if left > 0 and not lock.held then
      know(lock, facts[2])
      lock.left = string.format('%.0f', left)
    elseif left > 0 then
      local since, label = string.match(facts[2], '^! 0 (%d+) %d+ (%S*)$')
      pause = ' ' .. since .. ' ' .. string.format('%.0f', left) .. ' ' .. label
    end
  end
  local waiters = waitersIn(lock, most)
  local words = {
    rare.waitersOf(lock),
    not lock.held and '' or claimed and isHoldOf(lock.held, claimed) and 'claimed' or 'held',
    #waiters,
  }
  list(lock, waiters, words)
  return table.concat(words, ' ') .. tellHold(lock.hold, lock) .. pause
end

local holds = redis.call('MGET', unpack(KEYS, 1, count)) -- of another type there is no text
local replies, queued = {}, false
for i = 1, count do
  if i % ASKED_AT_ONCE == 1 then
    queued = areQueued(i, math.min(i + ASKED_AT_ONCE - 1, count))
  end
  -- What held.lua reads and tells, without what it keeps: of most locks that is all there is to tell.
  local public, rest = string.match(holds[i] or '', '^([^~ ]+)%S*( %d+ %d+ %d+ %S*) ?[KR]?$')
  local told
  if queued and areQueued(i, i) then
    -- The other locks must not suffer for one whose keys are another program's.
    told = unlessForeign(tellQueued, i, public and holds[i] or false)
  end
  if not told then
    told = public and '0 held 0 ' .. redis.call('PTTL', KEYS[i]) .. ' ' .. public .. rest or '0  0'
  end
  replies[i] = told
end
return nil, replies
