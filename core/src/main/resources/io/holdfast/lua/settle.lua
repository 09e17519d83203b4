-- settle.lua: included after queue.lua by the scripts that settle an exclusive lock. It needs hold.lua, held.lua and owner.lua
-- as well.

-- A claim, as its client is told of it: its owner's public id, its token, since when, for how many ms.
local function toldOf(lock, claim)
  return lock.public .. ' ' .. string.match(lock.rest, '^%d+ %d+') .. ' ' .. claim
end

-- Grants the lock: the hold ends with the rest that is given, and lasts for so many ms; `at` as in hold.lua.
local function grant(lock, owner, rest, ms, more, at)
  local _, text = grantHold(lock.hold, lock.token, owner, rest, ms, tokenTtl, more, nil, at)
  know(lock, text)
  lock.left = ms
end

-- Gives a lock that nobody holds to the next waiter, for a claim window. The waiter stays in the queue until it
-- confirms or releases, so that the script that finds the claim lapsed knows whose it was.
local function handoff(lock, candidate)
  local owner, about = nextWaiter(lock, candidate)
  if not owner then
    return
  end
  if not lock.freed then
    redis.call('DEL', lock.hold) -- a write that is allowed at maxmemory: it lets the others pass
  end
  local claim, more, rest = askedFor(about)
  -- Whoever shares its hold is told of others that come later. It stands in the queue itself until it confirms.
  if more ~= '0' and redis.call('ZCARD', lock.queue) + redis.call('ZCARD', lock.parked) == 1 then
    rest = rest .. ' K'
  end
  grant(lock, owner, rest, claim, more, math.floor(nowText / 1000) + claim)
  redis.call('HSET', lock.details, '@claim', owner)
  local client, told = clientOf(owner), toldOf(lock, claim)
  if client == requester then
    lock.mine = told
  else
    lock.handed = claim
    mail[#mail + 1] = channelOf(lock, client)
    mail[#mail + 1] = 'G ' .. told .. (lock.kept == '' and ' 0 ' or ' 1 ') .. lock.hold
  end
end

-- Every script begins here, with the hold known: afterwards somebody holds, or no waiter can be reached. With `tell`, a
-- claim of the client that asks, which it may not have heard of, is armed anew and told in the reply. `queued` tells whether there
-- is a queue, and `claimed` is @claim.
local function settle(lock, candidate, tell, queued, claimed)
  if not admits(lock.held) then
    if tell and claimed and clientOf(claimed) == requester and isHoldOf(lock.held, claimed) then
      local about = redis.call('HGET', lock.details, claimed)
      if about then
        local claim = askedFor(about)
        expireLater(lock.hold, claim)
        lock.mine = toldOf(lock, claim)
      end
    end
    return
  end
  if not queued then
    return
  end
  if claimed then
    redis.call('HDEL', lock.details, '@claim')
    if redis.call('HEXISTS', lock.details, claimed) == 1 then
      redis.call('HSET', lock.details, '@s:' .. clientOf(claimed), nowText)
    end
  end
  handoff(lock, candidate)
end
