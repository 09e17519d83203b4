-- line_info.lua: tells who holds and who waits, for a batch of lines.
--
-- KEYS[7i-6..7i] hold, queue, parked, details, token, members, cap of the i-th line
-- ARGV[1..2] see common.lua
-- ARGV[3] most waiters, and most holders, to list of each line
--
-- Replies: a list with words for each line: number of waiters; number of holders; permits that are out; number of holders that
-- are listed; number of waiters that are listed; an operator's limit, -1 for none, for how many ms yet, and the label of who set it;
-- of each holder, those first that end first, the ms that are left, its public owner id, its token, since in microseconds, its term
-- in ms, its label, its mode, its weight with its slots, its state (held, claimed); of each waiter what waiters.lua tells.
-- Effects: none.

-- include token.lua
-- include time.lua
-- include expiry.lua
-- include foreign.lua
-- include order.lua
-- include common.lua
-- include queue.lua
-- include lasting.lua
-- include line.lua

local most = tonumber(ARGV[3])
-- include waiters.lua

local replies = {}
for i = 1, #KEYS / 7 do
  local line = lineAt(i)
  local sound = unlessForeign(demandLine, line) -- the other lines must not suffer for it
  local waiters = sound and waitersIn(line, most) or {}
  local alive, holders = {}, 0
  if sound then
    readLine(line)
    alive = redis.call('ZRANGE', line.members, int(now + 1), '+inf', 'BYSCORE', 'LIMIT', '0', most, 'WITHSCORES')
    holders = redis.call('ZCOUNT', line.members, int(now + 1), '+inf')
  end
  local permits, label = string.match(readHold(line.cap) or '', '^(%d+) (%S*)$')
  local left = permits and math.max(0, redis.call('PTTL', line.cap)) or 0
  local words = {
    sound and rare.waitersOf(line) or 0, holders, line.used, int(#alive / 2), #waiters, permits or '-1', int(left), label or '',
  }
  for j = 1, #alive, 2 do
    local public, token = string.match(alive[j], '^(%S+) (%d+)')
    local hold = holdOf(redis.call('HGET', line.hold, public))
      or { token = token, since = '0', term = '0', label = '', mode = '?', weight = '1', slots = '', order = '-' }
    words[#words + 1] = int(math.max(0, alive[j + 1] - now)) .. ' ' .. public
    words[#words + 1] = hold.token .. ' ' .. hold.since .. ' ' .. hold.term .. ' ' .. hold.label
    words[#words + 1] = hold.mode .. ' ' .. hold.weight .. hold.slots .. ' ' .. (hold.order == '-' and 'held' or 'claimed')
  end
  list(line, waiters, words)
  replies[i] = table.concat(words, ' ')
end
return nil, replies
