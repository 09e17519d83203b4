-- reply.lua: put around the body of every script. Whatever the body replies is followed by the time in microseconds and by
-- the last argument: the call's number, by which the client sees that the reply belongs to its call.
--
-- ARGV[#ARGV] number of the call

-- One reading of the clock in the whole script, because on 7.0 it moves while a script runs.
local clock = redis.call('TIME')
local nowMicros = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local now = math.floor(nowMicros / 1000)

-- Lua's own conversion keeps 14 digits only.
local function int(number)
  return string.format('%.0f', number)
end

-- Moves an expiry to a later time, never to an earlier one. (Up to 7.0 PTTL reads the clock anew, so that "later" is
-- exact up to the script's own running time; drift allowances are wider than that.)
local function expireLater(key, at)
  local left = redis.call('PTTL', key)
  if left == -1 or (left >= 0 and left < at - now) then
    redis.call('PEXPIREAT', key, int(at))
  end
end

local function body()
-- body
end

local reply = body()
reply[#reply + 1] = nowMicros
reply[#reply + 1] = ARGV[#ARGV]
return reply
