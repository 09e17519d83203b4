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

-- Whether an error says that another program has put a value of its own type in the place of one of ours.
local function isForeign(problem)
  return string.find(type(problem) == 'table' and problem.err or tostring(problem), 'WRONGTYPE', 1, true) ~= nil
end

-- Does something that such a value must not stop: it then answers nil, and what is foreign is left alone. What is done has
-- to be written so that it may end at any foreign key.
local function unlessForeign(act, ...)
  local done, answer = pcall(act, ...)
  if done then
    return answer
  elseif not isForeign(answer) then
    return act(...) -- any other error comes again, as the server says it
  end
  return nil
end

-- Notes the last token, given as a number and as text, and answers the one before, if there was one. Its key expires at
-- the token's own time plus its life, and not at now plus its life: after a clock that was ahead came back, tokens would
-- fall otherwise. Begins with the error of a key of another type.
local function writeToken(key, token, text)
  local at = int(math.floor(token / 1000) + tokenTtl)
  return redis.call('SET', key, text, 'PXAT', at, 'GET')
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
