-- line_refresh.lua: the heartbeat of a client that waits, for a batch of lines; also the check of a client that does not.
--
-- KEYS[7i-6..7i] hold, queue, parked, details, token, members, cap of the i-th line
-- ARGV[1..2] see common.lua
-- ARGV[3] suspicion whose probe the client heard, 0 for none
-- ARGV[2i+2] number of the client's waiters, 0 for a check   ARGV[2i+3] the first of them, as words, in the order in which they
--         are to be served
--
-- Replies: a list with words for each line: state waiters …describe. The state is
--   OK       the server knows all waiters of this client
--   RESEND   it does not, or some of them are parked, or the first stands nowhere, or perhaps more than those named were granted the
--            line, or a key is another program's: the client repeats the acquire of each
-- Effects: tells those that are named of what they hold, and then they hold it for a whole term from now; moves the deadlines of the
-- client's waiters, settles each line, grants waiters of this client in the reply even if it is suspect, removes a few dead waiters, and
-- sends a probe to a suspect client.

-- include token.lua
-- include time.lua
-- include expiry.lua
-- include foreign.lua
-- include order.lua
-- include common.lua
-- include queue.lua
-- include lasting.lua
-- include line.lua
-- include heartbeat.lua

-- Fields of whoever is not alive, of which nothing else would be removed: its member was dropped by force.
local function repair(line)
  if line.writer == '?' or line.holders == redis.call('ZCARD', line.members) then
    return
  end
  local gone = {}
  for _, public in ipairs(redis.call('HKEYS', line.hold)) do
    local hold = #gone < WALK_LIMIT and string.sub(public, 1, 1) ~= '@' and holdOf(redis.call('HGET', line.hold, public))
    local member = hold and public .. ' ' .. hold.token
    if hold and not redis.call('ZSCORE', line.members, member) then
      gone[#gone + 1] = { public = public, member = member, hold = hold }
    end
  end
  if #gone > 0 then
    leave(line, gone)
  end
end

-- Those of the named that were granted the line and have not heard of it: told, and it is theirs for a whole term from now.
local function tellGrants(line, named)
  local publics = {}
  for i, owner in ipairs(named) do
    publics[i] = partsOf(owner)
  end
  local texts = #publics > 0 and redis.call('HMGET', line.hold, unpack(publics)) or {}
  for i, public in ipairs(publics) do
    local hold = holdOf(texts[i])
    local member = hold and public .. '~' .. hold.secret == named[i] and public .. ' ' .. hold.token
    local last = member and redis.call('ZSCORE', line.members, member)
    if last and tonumber(last) > now then
      redis.call('ZREM', line.members, '@') -- a write that is allowed at maxmemory: it lets the others pass
      -- rule tellrearm
      redis.call('ZADD', line.members, 'XX', 'GT', int(now + hold.term), member)
      outlive(line.members, line.hold, tonumber(hold.term))
      -- end
      if hold.order ~= '-' then
        claiming().takeUp(line, named[i], hold)
      end
      line.granted = line.granted or {}
      line.granted[named[i]] = true
      line.told[#line.told + 1] = member .. hold.slots .. ' ' .. hold.since .. ' ' .. hold.term
    end
  end
end

local replies = {}
for i = 1, #KEYS / 7 do
  local line = lineAt(i)
  local count, named = tonumber(ARGV[2 * i + 2]), {}
  for owner in string.gmatch(ARGV[2 * i + 3], '%S+') do
    named[#named + 1] = owner
  end
  local state, waiters, told = count > 0 and 'RESEND' or 'OK', 0, '0 0 0 0 0'
  if unlessForeign(demandLine, line) then -- the other lines must not suffer for it
    state = 'OK'
    readLine(line)
    readClaims(line)
    tellGrants(line, named)
    if count > #line.told then
      local first
      for _, owner in ipairs(named) do
        first = first or not (line.granted and line.granted[owner]) and owner or nil
      end
      state = heartbeat(line, count - #line.told, first)
    end
    purge(line)
    repair(line)
    for j = 1, line.more == '0' and math.max(1, #named) or 0 do
      serve(line, named[j])
      if line.more == '1' or not (line.granted and line.granted[named[j]]) then
        break
      end
    end
    rare.sweep(line)
    if #line.told > 0 and count > #line.told and #line.told >= #named then
      state = 'RESEND' -- perhaps others were granted it, too
    end
    waiters = redis.call('ZCARD', line.queue) + redis.call('ZCARD', line.parked)
    told = describe(line)
  end
  replies[i] = state .. ' ' .. waiters .. ' ' .. told
end
deliver()
return nil, replies
