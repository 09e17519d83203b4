-- hold.lua: included first by every script that touches a queue. The clock, and how a hold and its token are written.
--
-- The formats of all values are listed in common.lua.
--
-- ARGV[1..4] see common.lua

-- One reading of the clock in the whole script, because on 7.0 it moves while a script runs.
local clock = redis.call('TIME')
local nowMicros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local now = math.floor(nowMicros / 1000)
local nowText = clock[1] .. string.sub('00000' .. clock[2], -6) -- of nowMicros: cheaper than int(nowMicros)

local tokenTtl = tonumber(ARGV[4])

-- Lua's own conversion keeps 14 digits only.
local function int(number)
  return string.format('%.0f', number)
end

-- Notes the last token, given as a number and as text, and answers the one before, if there was one. Its key expires at
-- the token's own time plus its life, and not at now plus its life: after a clock that was ahead came back, tokens would
-- fall otherwise.
local function writeToken(key, token, text)
  local at = int(math.floor(token / 1000) + tokenTtl)
  local before = redis.pcall('SET', key, text, 'PXAT', at, 'GET')
  if type(before) == 'table' then
    redis.call('SET', key, text, 'PXAT', at) -- a key of another type is replaced; any other error comes again
    return nil
  end
  return before
end

-- Writes a hold and its token, which is returned as text. So many tokens, the first of which is the hold's, are reserved
-- for the holder: it may hand the lock on among its own threads, each with a token of its own.
local function writeHold(hold, counter, owner, term, expireAt, label, tokens, kept)
  local token, text, more = nowMicros, nowText, tonumber(tokens) - 1
  local before = writeToken(counter, token + more, more == 0 and text or int(token + more))
  local last = tonumber(before or '0') or 0
  if last >= token then
    token = last + 1
    text = int(token)
    writeToken(counter, token + more, int(token + more))
  end
  redis.call('SET', hold, owner .. ' ' .. text .. ' ' .. nowText .. ' ' .. term .. ' ' .. label .. kept,
    'PXAT', int(expireAt))
  return text
end
