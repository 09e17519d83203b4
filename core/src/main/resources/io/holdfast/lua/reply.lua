-- reply.lua: put around the body of every script. Whatever the body replies is followed by the last argument: the call's
-- number, by which the client sees that the reply belongs to its call.
--
-- ARGV[#ARGV] number of the call

local function body()
-- body
end

local reply = body()
reply[#reply + 1] = ARGV[#ARGV]
return reply
