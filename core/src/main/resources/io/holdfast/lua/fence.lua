-- fence.lua: sets, deletes or reads a value under a fencing token. A token older than the newest seen is refused.
--
-- KEYS[1] value: a hash, value -> the text (absent when there is none), token -> the newest token seen
-- ARGV[1] act: S set, D delete, R read   ARGV[2] token   ARGV[3] life, ms, 0 for ever   ARGV[4] text to set
--
-- Replies: a word, the newest token, and after a read that passed 1 and the text if there is
-- one; otherwise 0 and an empty text. The word is
--   PASSED    the act was done, and the token is remembered
--   STALE     a newer token was here before; nothing was done
-- Effects: the key lasts at least a life from now; its expiry only moves later. A value that is deleted, or read before
-- it was ever set, leaves its token: otherwise the next one, however old, would pass.

-- include time.lua

local act = ARGV[1]
local life = tonumber(ARGV[3])
local facts = redis.call('HMGET', KEYS[1], 'value', 'token')
local left = redis.call('PTTL', KEYS[1])
local newest = tonumber(facts[2] or '0')
if left ~= -2 and not (facts[2] and newest) then
  error('FOREIGN the key of the value has fields that Holdfast did not write')
end

-- rule tokenorder
if tonumber(ARGV[2]) < newest then
  return nil, { 'STALE', newest, 0, '' }
end
-- end

if act == 'S' then
  redis.call('HSET', KEYS[1], 'value', ARGV[4], 'token', ARGV[2])
elseif act == 'D' then
  redis.call('HDEL', KEYS[1], 'value') -- a write that is allowed at maxmemory: it lets the other pass
  redis.call('HSET', KEYS[1], 'token', ARGV[2])
else
  redis.call('HSET', KEYS[1], 'token', ARGV[2])
end
if life == 0 then
  if left >= 0 then
    redis.call('PERSIST', KEYS[1])
  end
elseif left == -2 or (left >= 0 and left < life) then
  redis.call('PEXPIREAT', KEYS[1], int(now + life))
end
if act == 'R' and facts[1] then
  return nil, { 'PASSED', tonumber(ARGV[2]), 1, facts[1] }
end
return nil, { 'PASSED', tonumber(ARGV[2]), 0, '' }
