-- held.lua: included after hold.lua by the scripts that look at a hold: how it is read, extended and told of. It stands
-- apart so that the short ways of acquire.lua and release.lua do not pay for it.

local function publicPart(owner)
  return string.match(owner, '^[^~]+')
end

local function readHold(key)
  local text = redis.pcall('GET', key)
  if type(text) == 'table' then
    text = isForeign(text) and '?' or redis.call('GET', key) -- any other error comes again
  end
  return parseHold(text)
end

-- Whether a hold that leases share has the mark, as it is written, that others want the lock. A label has no blank.
local function isRecalled(text)
  return string.sub(text, -2) == ' R'
end

-- A hold lasts for at least so many ms from now. What was deleted or has expired stays so.
local function extendHold(key, ms)
  expireLater(key, now + ms)
end

-- Adds to a reply what a client is told of a hold: its owner's public id, its token, since when in microseconds, for how
-- many ms yet, and its label; five times '' if there is none.
local function tellHold(reply, key, held)
  local at = #reply
  if held then
    reply[at + 1] = publicPart(held.owner)
    reply[at + 2] = tonumber(held.token)
    reply[at + 3] = tonumber(held.since)
    reply[at + 4] = held.left or math.max(0, redis.call('PTTL', key))
    reply[at + 5] = held.label
  else
    for i = 1, 5 do
      reply[at + i] = ''
    end
  end
  return reply
end
