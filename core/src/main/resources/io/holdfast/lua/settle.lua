-- settle.lua: included after queue.lua by the scripts that settle an exclusive lock. It needs hold.lua, held.lua and owner.lua
-- as well.

-- Grants the lock: the hold ends with the rest that is given, and lasts for so many ms; `at` as in hold.lua. Answers the token.
local function grant(lock, owner, rest, ms, more, at)
  local token, text = grantHold(lock.hold, lock.token, owner, rest, ms, tokenTtl, more, nil, at)
  know(lock, text)
  lock.left = ms
  return token
end

-- Every script begins here, with the hold known: afterwards somebody holds, or no waiter can be reached. With `tell`, a
-- claim of the client that asks, which it may not have heard of, is armed anew and told in the reply. `queued` tells whether there
-- is a queue, `claim` is @claim, and `pause` is @pause: a lock that nobody holds, and that is to pause, rests until that is over.
local function settle(lock, candidate, tell, queued, claim, pause)
  if not admits(lock.held) then
    local owner = tell and claim and string.match(claim, '^(%S+) %S+$')
    if owner and clientOf(owner) == requester and isHoldOf(lock.held, owner) then
      local about = redis.call('HGET', lock.details, owner)
      if about then
        local ms = askedFor(about)
        expireLater(lock.hold, ms)
        lock.mine = lock.public .. ' ' .. string.match(lock.rest, '^%d+ %d+') .. ' ' .. ms
      end
    end
    return
  end
  if not (queued or pause) then
    return
  end
  if claim then
    redis.call('HDEL', lock.details, '@claim')
    lock.claims = false
    seldom().putBack(lock, string.match(claim, '^(%S+) (%S+)$'))
  end
  -- rule pause
  if pause then
    local left = seldom().pauseLeft(pause)
    redis.call('HDEL', lock.details, '@pause')
    lock.pause = false
    if left > 0 then
      know(lock, pause)
      redis.call('SET', lock.hold, pause, 'PXAT', string.format('%.0f', nowMillis + left))
      return
    end
  end
  -- end
  -- The lock is for the next waiter, for a claim window. The waiter leaves the queue; its details stay, and its order is noted, until it
  -- confirms or releases, so that the script that finds the claim lapsed puts it back.
  local owner, about, _, order = nextWaiter(lock, candidate)
  if not owner then
    return
  end
  if not lock.freed then
    redis.call('DEL', lock.hold) -- a write that is allowed at maxmemory: it lets the others pass
  end
  leaveQueue(lock, owner)
  local window, more, rest = askedFor(about)
  -- Whoever shares its hold is told of others that come later.
  if more ~= '0' and redis.call('EXISTS', lock.queue, lock.parked) == 0 then
    rest = rest .. ' K'
  end
  local token = grant(lock, owner, rest, window, more, math.floor(nowText / 1000) + window)
  redis.call('HSET', lock.details, '@claim', owner .. ' ' .. order)
  if hasShare(about) then
    seldom().noteShare(lock, about, order, 'G')
  end
  lock.claims = true
  local client, told = clientOf(owner), lock.public .. ' ' .. token .. ' ' .. nowText .. ' ' .. window
  if client == requester then
    lock.mine = told
  else
    lock.handed = window
    mail[#mail + 1] = channelOf(lock, client)
    mail[#mail + 1] = 'G ' .. told .. (lock.kept == '' and ' 0 ' or ' 1 ') .. lock.hold
  end
end
