-- plain_acquire.lua: takes a key of the plain protocol, which other programs take by SET NX PX. One key, nothing beside it.
--
-- KEYS[1] lock
-- ARGV[1] value   ARGV[2] term, ms   ARGV[3] 1 if the value may be there from an earlier copy of this request, else 0
-- ARGV[4] 1 to replace a holder, else 0   ARGV[5] the value of the holder to replace, as it was told
--
-- Replies:
--   GRANTED replaced   the key has the value, for at least a term from now; replaced: 1 if in place of the holder
--   TAKEN holder remaining   the key has another value, told as plain_shown.lua says; its term in ms, -1 if it does
--                              not expire
-- Effects: one SET with its expiry, or the expiry moved to later. An error of a key that is no string comes first.

-- include time.lua
-- include plain_shown.lua

-- The beginning of a long value may have been cut within a character: its SHA-1 is what counts.
local function isTold(value, told)
  local long = mark(value)
  return long and string.sub(told, -#long) == long or value == told
end

local held = redis.call('GET', KEYS[1])
local term = tonumber(ARGV[2])
local expiry = int(now + term)
local replaced = 0
if held then
  local left = redis.call('PTTL', KEYS[1])
  if ARGV[4] == '1' and isTold(held, ARGV[5]) then
    replaced = 1
  -- rule ownvalue
  elseif ARGV[3] == '1' and held == ARGV[1] then
    -- Up to 7.0 the key may end while the script runs; then it is set anew.
    if left == -1 or left >= term or redis.call('PEXPIREAT', KEYS[1], expiry) == 1 then
      return 'GRANTED 0'
    end
  -- end
  else
    return nil, { 'TAKEN', shown(held), left }
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PXAT', expiry)
return 'GRANTED ' .. replaced
