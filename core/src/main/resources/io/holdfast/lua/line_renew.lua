-- line_renew.lua: moves the ends of holds, only later; a batch of lines.
--
-- KEYS[2i-1] members   KEYS[2i] hold, of the i-th line; or its members again, where the slot is being moved and the two keys may
-- be apart: then the hold outlives them for two minutes
-- ARGV[i] of each of its holds, as words: public owner, token, term in ms
--
-- Replies: for each hold, in this order, 1 (held, for at least a term from now) or 0 (gone).
-- Effects: never creates a key. Who it is that holds is not compared beyond the token: whoever knows both could only prolong.

-- include lasting.lua

local unpack = table.unpack or unpack -- newer Lua has it there alone
local reply = {}
local now = math.floor(nowText / 1000)
for i = 1, #KEYS / 2 do
  local members, ends, longest = {}, {}, 0
  for public, token, term in string.gmatch(ARGV[i], '(%S+) (%d+) (%d+)') do
    members[#members + 1] = public .. ' ' .. token
    ends[#ends + 1] = tonumber(term)
  end
  local scores, later = redis.call('ZMSCORE', KEYS[2 * i - 1], unpack(members)), {}
  for j, score in ipairs(scores) do
    local held = score and tonumber(score) > now
    if held then
      later[#later + 1] = string.format('%.0f', now + ends[j])
      later[#later + 1] = members[j]
      longest = math.max(longest, ends[j])
    end
    reply[#reply + 1] = held and '1' or '0'
  end
  if longest > 0 then
    redis.call('ZREM', KEYS[2 * i - 1], '@') -- a write that is allowed at maxmemory: it lets the other pass
    outlive(KEYS[2 * i - 1], KEYS[2 * i], longest) -- first: where it is refused, nothing is renewed
    redis.call('ZADD', KEYS[2 * i - 1], 'XX', 'GT', unpack(later))
  end
end
return table.concat(reply, ' ')
