-- line.lua: included by the scripts of lines, after token.lua, time.lua, expiry.lua, foreign.lua, order.lua, common.lua, queue.lua and
-- lasting.lua. A line is the state of a lock that several may hold at once: of a read/write lock, or of a semaphore. It owns the
-- formats of its holds; queue, parked, details, token and tombstones are those of any lock, see common.lua.
--
--   hold      hash    public owner -> "secret token since term mode weight order label"; @n -> number of holders;
--                     @u -> weights of all but a writer; @w -> public owner of the writer; @f -> token of the reading phase;
--                     @s -> slots: an x for each that is taken, a dot for a free one before the last of these
--   members   zset    "public-owner token" -> end of the hold: who is alive. Whose end has come is over, removed or not
--   cap       string  "permits label": an operator's limit, for the time that he gave. Of a read/write lock it counts only if it is 0,
--                     which is a pause, as it is of a semaphore
--
-- Modes: W write, alone; R read; D read, after a downgrade; P permits. A weight is 1, or the number of permits; a colon and the slots
-- follow, as "2:0,3", if the hold is to have as many. A slot is a number from 0 on, and of one hold at a time. Where a grant is told its
-- slots follow its token in the same way. What a request asks for is "mode:weight:limit", with the limit of a semaphore, or 0, and an
-- s behind it for slots. An order of '-' is that of a confirmed hold; any other is of a claim, and the order that its waiter had: it left the queue, and its details stay until it confirms or releases.
-- What a client is told in the reply is no claim: the same reply tells a newcomer that it holds.
-- In the details, @c -> number of claims. A hold that rests has the owner "-owner", and the secret '-'.
--
-- The token of a writer and of permits is the number of the grant. Readers of one phase, which ends with a writer
-- or with its last reader, have one token, the number of the phase's first grant: a store that refuses lower tokens passes all of
-- them, and no writer of before.

local unpack = table.unpack or unpack -- newer Lua has it there alone
local GRANT_LIMIT = 500 -- grants of one script, which then runs for some milliseconds
local PASS_LIMIT = 500 -- waiters that one script passes because of an operator's limit

local function lineAt(i)
  local line = lockAt(i, 7)
  line.members, line.cap = KEYS[7 * i - 1], KEYS[7 * i]
  line.told = {} -- what was granted to waiters of the client that asks, as words
  line.holders, line.used = 0, 0
  return line
end

local function partsOf(owner)
  return string.match(owner, '^([^~]*)~?(.*)$')
end

-- A hold as it is written; nil if it is none of ours.
local function holdOf(text)
  local hold = {}
  hold.secret, hold.token, hold.since, hold.term, hold.mode, hold.weight, hold.slots, hold.order, hold.label =
    string.match(text or '', '^(%S+) (%d+) (%d+) (%d+) (%a) (%d+)(%S*) (%S+) (%S*)$')
  return hold.secret and hold or nil
end

local function textOf(hold)
  return hold.secret .. ' ' .. hold.token .. ' ' .. hold.since .. ' ' .. hold.term .. ' ' .. hold.mode .. ' ' .. hold.weight
    .. hold.slots .. ' ' .. hold.order .. ' ' .. hold.label
end

-- What the first waiter asks for, by its details, and no more: mode, weight, limit, s for slots.
local function wantedBy(about)
  return string.match(about, '^%d+ %d+ %d+ %a %d+ (%a):(%d+):(%d+)(s?) ')
end

-- Raises the error of a key of another type, before anything is written. What a script reads anyway raises it as well: those that ask
-- and release do without this as long as nothing is over.
local function demandLine(line)
  if not line.ours then
    seldom().demandOurs(line)
    redis.call('HGET', line.hold, '@')
    redis.call('ZCARD', line.members)
    line.ours = true
  end
  return true
end

-- Reads what the line is; answers the hold of an owner, as it is written.
local function readLine(line, public)
  local facts = redis.call('HMGET', line.hold, '@n', '@u', '@w', '@f', public or '@')
  line.holders, line.used = tonumber(facts[1] or 0), tonumber(facts[2] or 0)
  line.writer, line.phase = facts[3] or nil, facts[4] or nil
  return facts[5]
end

-- How many have been granted the line, and have not confirmed it, as it is written; nil for none.
local function setClaims(line, written)
  line.unread = false
  local claims = tonumber(written or 0)
  line.claims = claims > 0 and claims or nil
end

-- Reads them; answers whether somebody waits or has waited since nobody did.
local function readClaims(line)
  local facts = redis.call('HMGET', line.details, '@c', '@seq')
  setClaims(line, facts[1])
  return (facts[1] or facts[2]) and true or false
end

-- What is done with claims; defined only where there are any, since what every script defines costs it more than most commands.
local function claiming()
  local claims = {}

  function claims.endSome(line, count)
    if line.unread then
      readClaims(line)
    end
    if line.claims and count > 0 then
      line.claims = line.claims > count and line.claims - count or nil
      redis.call('HINCRBY', line.details, '@c', -count)
    end
  end

  -- Ends the claim of an owner, which left the queue when it was granted the line.
  function claims.finish(line, owner)
    claims.endSome(line, 1)
    if redis.call('HDEL', line.details, owner) == 1 then
      uncount(line, clientOf(owner))
    end
  end

  -- The owner has heard of its grant: it is a claim no more.
  function claims.takeUp(line, owner, hold)
    hold.order = '-'
    redis.call('HDEL', line.details, '@') -- a write that is allowed at maxmemory: it lets the others pass
    redis.call('HSET', line.hold, partsOf(owner), textOf(hold))
    claims.finish(line, owner)
  end

  return claims
end

-- The ends that come first, of five holds at most, as ZRANGE tells them; kept as long as nothing changes them.
local function firstEnds(line)
  line.ends = line.ends or redis.call('ZRANGE', line.members, '0', '4', 'WITHSCORES')
  return line.ends
end

-- Gives slots back, as a hold has them, or takes so many, the lowest that are free: answers these as a hold has them.
local function changeSlots(line, slots, count)
  local taken, given, parts, from = line.slots or redis.call('HGET', line.hold, '@s') or '', {}, {}, 1
  for slot in string.gmatch(slots, '%d+') do -- the lowest first
    -- rule slotback
    parts[#parts + 1] = string.sub(taken, from, slot) .. '.'
    from = slot + 2
    -- end
  end
  for i = 1, count do
    local at = from
    -- rule slottaken
    at = string.find(taken, '.', from, true) or math.max(from, #taken + 1)
    -- end
    parts[i] = string.sub(taken, from, at - 1) .. 'x'
    from = at + 1
    given[i] = int(at - 1)
  end
  taken = table.concat(parts) .. string.sub(taken, from)
  local last = #taken
  while string.byte(taken, last) == 46 do -- a dot
    last = last - 1
  end
  line.slots = string.sub(taken, 1, last)
  return ':' .. table.concat(given, ',')
end

-- What the line counts of its holders, if it has not been written since.
local function noteCounts(line)
  if line.uncounted then
    line.uncounted = false
    redis.call('HSET', line.hold, '@n', line.holders, '@u', line.used)
  end
end

-- Ends holds, each given by its public owner, its member, and what is written of it, if anything is. Begins with a command that
-- is allowed at maxmemory. With `settles` the counts are left to settle, which has to come next.
local function leave(line, gone, settles)
  local members, publics, slots = {}, {}, false
  line.ends = nil
  line.wrote = true -- at maxmemory, too, everything else is allowed from here on
  for i, one in ipairs(gone) do
    members[i] = one.member
    if one.hold then
      publics[#publics + 1] = one.public
      line.holders = line.holders - 1
      if one.public == line.writer then
        line.writer = nil
        publics[#publics + 1] = '@w'
      else
        -- rule weightback
        line.used = line.used - one.hold.weight
        -- end
      end
      if one.hold.slots ~= '' then
        changeSlots(line, one.hold.slots, 0)
        slots = true
      end
    end
  end
  if #publics > 0 and line.holders <= 0 then
    line.used, line.uncounted = 0, false
    -- rule closephase
    line.phase = nil
    line.slots = ''
    redis.call('DEL', line.hold)
    -- end
    redis.pcall('ZREM', line.members, unpack(members)) -- another program's stops nobody's end
    return
  end
  redis.pcall('ZREM', line.members, unpack(members))
  if #publics > 0 then
    if slots and line.slots == '' then
      publics[#publics + 1] = '@s'
    end
    redis.call('HDEL', line.hold, unpack(publics))
    if slots and line.slots ~= '' then
      redis.call('HSET', line.hold, '@s', line.slots)
    end
    line.uncounted = true
    if not settles then
      noteCounts(line)
    end
  end
end

-- Ends what is over. A claim that has lapsed puts its waiter back where it was, aside: its client is suspect.
local function purge(line)
  local over = {}
  -- rule purge
  local soonest = firstEnds(line)[2]
  if soonest and tonumber(soonest) <= now then
    over = redis.call('ZRANGE', line.members, '-inf', nowMillis, 'BYSCORE', 'LIMIT', '0', WALK_LIMIT)
  end
  -- end
  if #over > 0 then
    demandLine(line)
    line.changed, line.front = true, nil
    local gone, publics, lapsed = {}, {}, {}
    for i, member in ipairs(over) do
      publics[i] = string.match(member, '^%S+')
    end
    local texts = redis.call('HMGET', line.hold, unpack(publics))
    for i, member in ipairs(over) do
      local hold = holdOf(texts[i])
      if hold and publics[i] .. ' ' .. hold.token ~= member then
        hold = nil -- a grant before the present one
      end
      gone[i] = { public = publics[i], member = member, hold = hold }
      if hold and hold.order ~= '-' then
        lapsed[#lapsed + 1] = gone[i]
      end
    end
    leave(line, gone)
    claiming().endSome(line, #lapsed)
    for _, one in ipairs(lapsed) do
      seldom().putBack(line, one.public .. '~' .. one.hold.secret, one.hold.order)
    end
    if #over == WALK_LIMIT then
      line.more = '1'
    end
  end
  if line.holders == 0 and firstEnds(line)[1] then
    line.writer = '?' -- what is written of the holders was dropped by force: nobody enters before they are over
  end
end

-- An operator's limit, which is read once; a large number if there is none.
local function mostOf(line)
  if not line.most then
    line.most = tonumber(string.match(readHold(line.cap) or '', '^(%d+) ') or nil) or math.huge
  end
  return line.most
end

-- Whether a request is granted beside what is held: the one place that decides it, for whoever asks and for whoever is next.
local function admits(line, mode, weight, limit)
  if line.writer then
    return false
  elseif mode == 'W' and line.holders > 0 then
    return false
  elseif mode ~= 'P' then
    -- rule paused
    if mostOf(line) == 0 then
      return false
    end
    -- end
    return true
  end
  local used = line.used + weight
  return used <= tonumber(limit) and used <= mostOf(line)
end

-- Whether a request is for more than an operator's limit leaves to anybody, whoever holds. It stands aside as long as the limit
-- lasts: it keeps its place, and others pass it.
local function isOverLimit(line, mode, weight)
  -- rule overlimit
  return mode == 'P' and tonumber(weight) > mostOf(line) and mostOf(line) > 0
  -- end
end

-- A waiter that is looked at stands aside; the first that does is the first of all once the limit has ended.
local function pass(line, about)
  line.aside = line.skipped and line.aside or about
  line.skipped = (line.skipped or 0) + 1
end

-- Decides a grant, so that what comes next is judged beside it. It is written by give.
local function decide(line, grants, grant)
  grant.public, grant.secret = partsOf(grant.owner)
  grants[#grants + 1] = grant
  line.holders = line.holders + 1
  line.changed = true
  if grant.mode == 'W' then
    line.writer = grant.public
  else
    line.used = line.used + grant.weight
  end
end

-- The last number that was given. The next one is noted at once, since whoever asks gives it, and mostly no other. The error of a
-- key of another type comes before anything is written.
local function lastOf(line)
  if not line.last then
    line.last = tonumber(redis.call('SET', line.token, nowText, 'PX', tokenTtl, 'GET') or '0') or 0
    if line.last < nowMicros then
      line.last = nowMicros - 1
    else
      writeToken(line.token, line.last + 1, tokenTtl)
    end
    line.noted = line.last + 1
  end
  return line.last
end

-- Writes what was decided: numbers, then who holds and until when.
local function give(line, grants)
  if #grants == 0 then
    return
  end
  local first = lastOf(line) + 1
  line.last = first + #grants - 1
  if line.last > line.noted then
    line.noted = line.last
    writeToken(line.token, line.last, tokenTtl)
  end
  local scored, fields, longest = {}, { '@n', line.holders, '@u', line.used }, 0
  for i, grant in ipairs(grants) do
    grant.token, grant.since = int(first + i - 1), nowText
    if grant.mode == 'R' then
      -- rule phase
      line.phase = line.phase or grant.token
      grant.token = line.phase
      -- end
    end
    grant.slots = grant.named == 's' and changeSlots(line, '', tonumber(grant.weight)) or ''
    scored[#scored + 1] = int(now + grant.ms)
    scored[#scored + 1] = grant.public .. ' ' .. grant.token
    fields[#fields + 1] = grant.public
    fields[#fields + 1] = textOf(grant)
    longest = math.max(longest, grant.ms)
  end
  if line.writer then
    fields[#fields + 1] = '@w'
    fields[#fields + 1] = line.writer
  end
  if line.phase then
    fields[#fields + 1] = '@f'
    fields[#fields + 1] = line.phase
  end
  if line.slots and line.slots ~= '' then
    fields[#fields + 1] = '@s'
    fields[#fields + 1] = line.slots
  end
  redis.call('ZADD', line.members, unpack(scored))
  redis.call('HSET', line.hold, unpack(fields))
  line.uncounted = false
  -- New ends take their places among those that were read, if these were all and few.
  local ends = line.ends
  if ends and #ends + #scored > 10 then
    line.ends = nil
  elseif ends then
    for i = 1, #scored, 2 do
      local at = #ends
      while at > 0 and tonumber(ends[at]) > tonumber(scored[i]) do
        at = at - 2
      end
      table.insert(ends, at + 1, scored[i + 1])
      table.insert(ends, at + 2, scored[i])
    end
  end
  outlive(line.members, line.hold, longest, line.holders == #grants)
end

-- Grants the line to the first waiter that can be told, and to the next, as long as the first fits; to those of the client that
-- asks, which the reply tells, for their term, to any other for a claim window. Who does not fit is passed by nobody, unless it
-- cannot be told (a candidate, a waiter of the client that asks, may be parked), or asks for more than an operator's limit.
local function serve(line, candidate)
  local grants, mails, walked, told, again, rare = {}, {}, 0, {}, true, nil
  line.first, line.ahead, line.skipped = nil, nil, nil
  while again do
    local owner, about, order
    owner, about, walked = nextWaiter(line, candidate, walked)
    -- Who was looked at before may be parked now, or gone.
    line.changed = line.changed or candidate or not walked or walked > (owner and 1 or 0)
    again = false
    if owner and not about then
      rare = rare or seldom()
      rare.dequeue(line, owner) -- its details were dropped by force
      again = true
    elseif owner then
      local mode, weight, limit, named = wantedBy(about)
      local admitted, parked, client = admits(line, mode, weight, limit), false, clientOf(owner)
      local mine = client == requester
      if owner == candidate or admitted and not mine then
        order = redis.call('ZSCORE', line.queue, owner)
        parked = not order
      end
      if admitted then
        if #grants == 0 then
          if not line.wrote then
            redis.call('HDEL', line.details, '@') -- a write that is allowed at maxmemory: it lets the others pass
          end
          lastOf(line)
        end
        local key = line.queue
        if parked then
          key = line.parked
          order = redis.call('ZSCORE', key, owner)
          redis.call('HINCRBY', line.details, '@p:' .. client, -1)
        end
        if hasShare(about) then
          rare = rare or seldom()
          rare.noteShare(line, about, order or redis.call('ZSCORE', key, owner), 'G')
        end
        redis.call('ZREM', key, owner)
        local claim, term, label = string.match(about, '^%d+ %d+ %d+ %a (%d+) %S+ (%d+) (%S*)')
        if mine then
          order, claim = '-', term
          told[#told + 1] = owner
        else
          line.claims = (line.claims or 0) + 1 -- before others are removed: details are kept as long as there are claims
        end
        decide(line, grants, {
          owner = owner, mode = mode, weight = weight, named = named, order = order, ms = tonumber(claim), term = term,
          label = label,
        })
        -- rule batch
        again = #grants < GRANT_LIMIT
        -- end
        if #grants == GRANT_LIMIT then
          line.more = '1'
        end
      elseif parked then
        -- rule suspectpasses
        again = true
        -- end
      elseif isOverLimit(line, mode, weight) and (line.skipped or 0) < PASS_LIMIT then
        pass(line, about)
        again = true
      else
        line.first = about
        -- rule strict
        again = false
        -- end
      end
      if owner == candidate then
        candidate = nil
      end
    end
  end
  if #grants == 0 then
    return
  end
  give(line, grants)
  local claims = #grants - #told
  if claims > 0 then
    redis.call('HINCRBY', line.details, '@c', claims)
  end
  if #told > 0 then
    redis.call('HDEL', line.details, unpack(told))
    uncount(line, requester, #told)
  end
  line.granted = line.granted or {}
  for _, grant in ipairs(grants) do
    local client = clientOf(grant.owner)
    line.granted[grant.owner] = true
    if grant.order == '-' then
      line.told[#line.told + 1] = grant.public .. ' ' .. grant.token .. grant.slots .. ' ' .. nowText .. ' ' .. grant.ms
    else
      local open = mails[client]
      if not open or #open == 200 then
        open = {}
        mails[client] = open
        mails[#mails + 1] = { client, open }
      end
      open[#open + 1] = grant.public .. ' ' .. grant.token .. grant.slots .. ' ' .. grant.ms
    end
  end
  for _, one in ipairs(mails) do
    mail[#mail + 1] = channelOf(line, one[1])
    mail[#mail + 1] = 'L ' .. nowText .. ' ' .. #one[2] .. ' ' .. table.concat(one[2], ' ') .. ' ' .. line.hold
  end
end

-- Every script that can change who holds ends so: what is over is removed, and afterwards the first waiter that can be told does
-- not fit, or none can be told, or there is more to do than one script may.
local function settle(line, candidate)
  if line.uncounted and not line.caught then
    line.caught = true
    local done, problem = pcall(settle, line, candidate)
    noteCounts(line) -- mostly a grant has written them
    if not done then
      error(problem)
    end
    return
  end
  purge(line)
  if line.more == '0' then
    serve(line, candidate)
  end
end

-- When so many permits are back that these fit beside those that are out, if nobody renews. If the first 64 ends do not do, the last
-- of these: whoever looks then is told anew. Nil if they never fit, or nobody holds. Mostly the first few do.
local function roomFor(line, weight, limit)
  local used, at, i = line.used, nil, 1
  if weight > limit then
    return nil
  end
  local ends = firstEnds(line)
  while used + weight > limit or i == 1 do
    if i == 11 and #ends == 10 then
      ends = redis.call('ZRANGE', line.members, '0', '63', 'WITHSCORES')
      line.ends = ends
    end
    local member, back = ends[i], 1
    if not member then
      break
    end
    if line.used ~= line.holders then -- or each has one
      local text = redis.call('HGET', line.hold, string.match(member, '^%S+')) or ''
      back = string.match(text, '^%S+ %d+ %d+ %d+ %a (%d+)') or 0
    end
    at = tonumber(ends[i + 1])
    used = used - back
    i = i + 2
  end
  return at
end

-- What is known of the first waiter that does not stand aside, and what it asks for; nothing if there is none.
local function firstToServe(line)
  local about = line.first
  while true do
    if not about then
      local at = line.skipped or '0'
      local first = redis.call('ZRANGE', line.queue, at, at)[1]
      about = first and redis.call('HGET', line.details, first)
    end
    if not about then
      return nil
    end
    local mode, weight, limit = wantedBy(about)
    if line.first or not isOverLimit(line, mode, weight) or (line.skipped or 0) == PASS_LIMIT then
      return about, mode, weight, limit
    end
    pass(line, about)
    about = nil
  end
end

-- The part of a reply that tells of the line, as words: wake; more; number of holders; permits that are out; number of those waiters
-- of the client that asks which hold now, and of each its owner's public id, its token, since when, and its term, ms from now. Then, if
-- somebody holds, of the hold that lasts longest: for how many ms yet, its owner's public id, its token, since when, its term in ms, its
-- label; its mode, its weight.
-- With `others` a hold of the client that asks is not told.
local function describe(line, others)
  -- The wake: in how many ms the first waiter could be granted the line at the earliest, if nobody renews; 0 if nobody waits.
  local about, mode, weight, limit = firstToServe(line)
  local permits, at = (mode == 'P' or line.skipped) and line.writer ~= '?', nil
  if permits then
    local wanted, own = tonumber(weight or 0), tonumber(limit or 0)
    at = about and roomFor(line, wanted, math.min(own, mostOf(line)))
    if line.skipped or line.most < own then
      -- rule capends
      -- An operator's limit ends, too: until then, and at its end, less has to come back. Who stands aside is the first then.
      local left = redis.call('PTTL', line.cap)
      if left >= 0 then
        local later = now + left + 1
        if line.skipped then
          mode, weight, limit = wantedBy(line.aside)
          wanted, own = tonumber(weight), tonumber(limit)
        end
        if line.used + wanted > own then
          later = math.max(later, roomFor(line, wanted, own) or later)
        end
        at = math.min(at or later, later)
      end
      -- end
    end
  end
  local ends = firstEnds(line)
  if #ends >= 10 then -- there may be more
    ends = redis.call('ZRANGE', line.members, '0', '0', 'REV', 'WITHSCORES')
  end
  local last = ends[#ends]
  if about and not permits then
    at = last
    -- rule capends
    if mostOf(line) == 0 then
      local later = now + math.max(0, redis.call('PTTL', line.cap)) + 1
      at = (mode == 'W' or line.writer) and at and math.max(tonumber(at), later) or later
    end
    -- end
  end
  local wake, member = at and int(math.max(1, at - now)) or '0', ends[#ends - 1]
  local words = wake .. ' ' .. line.more .. ' ' .. line.holders .. ' ' .. line.used .. ' ' .. #line.told
  if line.told[1] then
    words = words .. ' ' .. table.concat(line.told, ' ')
  end
  if member and not (others and clientOf(member) == requester) then
    local public, token = string.match(member, '^(%S+) (%d+)')
    local times, what, label =
      string.match(redis.call('HGET', line.hold, public) or '', '^%S+ (%d+ %d+ %d+) (%a %d+)%S* %S+ (%S*)$')
    if not times then
      times, what, label = token .. ' 0 0', (line.writer and 'W' or '?') .. ' 1', ''
    end
    words = words .. ' ' .. int(math.max(0, last - now)) .. ' ' .. public .. ' ' .. times .. ' ' .. label .. ' ' .. what
  end
  return words
end
