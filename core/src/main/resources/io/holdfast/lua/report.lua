-- report.lua: keeps what a client reports of itself, and where it is found. May be run again.
--
-- KEYS[1] clients: a sorted set, id of a client -> the time in ms at which its report is over   KEYS[2] report
-- ARGV[1] id of the client   ARGV[2] life, ms, 0 to forget the client   ARGV[3] text
--
-- Replies:
--   KEPT        the report is kept for its life
--   FORGOTTEN   there is none of this client any more
-- Effects: takes clients whose reports are over out of the set, a hundred at most; the set ends with the last of them. No lock
-- depends on either key.

-- include time.lua

redis.call('GET', KEYS[2]) -- of another program's type it stays as it is
local over = redis.call('ZRANGE', KEYS[1], '-inf', int(now), 'BYSCORE', 'LIMIT', '0', '100')
if #over > 0 then
  redis.call('ZREM', KEYS[1], (table.unpack or unpack)(over)) -- newer Lua has it there alone
end
local life = tonumber(ARGV[2])
if life == 0 then
  redis.call('DEL', KEYS[2])
  redis.call('ZREM', KEYS[1], ARGV[1])
  return 'FORGOTTEN'
end
redis.call('SET', KEYS[2], ARGV[3], 'PX', int(life))
redis.call('ZADD', KEYS[1], int(now + life), ARGV[1])
if redis.call('PTTL', KEYS[1]) < life then
  redis.call('PEXPIREAT', KEYS[1], int(now + life))
end
return 'KEPT'
