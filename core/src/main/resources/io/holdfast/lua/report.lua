-- report.lua: keeps what a client reports of itself, and where it is found. May be run again.
--
-- KEYS[1] clients: a sorted set, id of a client -> the time in ms at which its report is over   KEYS[2] report
-- ARGV[1] id of the client   ARGV[2] life, ms, 0 to forget the client   ARGV[3] text, which begins with its format and its number
--
-- Replies:
--   KEPT        the report is kept for its life
--   FORGOTTEN   there is none of this client any more
--   LATE        there is one with a greater number: a copy that was long under way changes nothing
-- Effects: takes clients whose reports are over out of the set, a hundred at most; the set ends when the last of them is over. No lock
-- depends on either key.

-- include time.lua

local function number(text)
  return tonumber(text and string.match(text, '^%d+ (%d+)') or '0')
end

if number(redis.call('GET', KEYS[2])) > number(ARGV[3]) then -- of another program's type it stays as it is
  return 'LATE'
end
local over = redis.call('ZRANGE', KEYS[1], '-inf', int(now), 'BYSCORE', 'LIMIT', '0', '100')
if #over > 0 then
  redis.call('ZREM', KEYS[1], (table.unpack or unpack)(over)) -- newer Lua has it there alone
end
local life = tonumber(ARGV[2])
if life > 0 then
  redis.call('SET', KEYS[2], ARGV[3], 'PX', int(life))
  redis.call('ZADD', KEYS[1], int(now + life), ARGV[1])
else
  redis.call('DEL', KEYS[2])
  redis.call('ZREM', KEYS[1], ARGV[1])
end
local last = redis.call('ZRANGE', KEYS[1], '-1', '-1', 'WITHSCORES')[2]
if last then
  redis.call('PEXPIREAT', KEYS[1], last)
end
return life > 0 and 'KEPT' or 'FORGOTTEN'
