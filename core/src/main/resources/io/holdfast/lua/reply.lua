-- reply.lua: put around the body of every script. A body replies words as one text, with one blank between two; or nothing,
-- and a list, where a value may be any text. (A list costs a server far more.) Behind either come the time in microseconds
-- and the last argument: the call's number, by which the client sees that the reply belongs to its call.
--
-- ARGV[#ARGV] number of the call

-- One reading of the clock in the whole script, because on 7.0 it moves while a script runs. As text: a number would cost
-- more than most commands.
local clock = redis.call('TIME')
local nowText = #clock[2] == 6 and clock[1] .. clock[2] or clock[1] .. string.sub('00000' .. clock[2], -6)

local function body()
-- body
end

local words, list = body()
if words then
  return words .. ' ' .. nowText .. ' ' .. ARGV[#ARGV]
end
list[#list + 1] = nowText
list[#list + 1] = ARGV[#ARGV]
return list
