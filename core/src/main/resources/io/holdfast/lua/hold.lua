-- hold.lua: how a lock is granted, and how its hold and its token are written. How they are read stands in held.lua, apart, so
-- that whoever finds the lock free does not pay for it. No other file knows. The other keys of a lock are listed in common.lua.
--
--   hold      string  "owner token since term label", and " K" after it if its client shares it among several leases, and
--                     nobody waited when it was granted; " R" if others have wanted the lock since: who holds; the key's
--                     expiry is the end of the hold
--   token     string  the last fencing token that was given, or reserved for the present holder

-- Notes the last token, a number. Its key expires at the token's own time plus its life, and not at now plus its life: after a
-- clock that was ahead came back, tokens would fall otherwise. Begins with the error of a key of another type.
local function writeToken(key, token, life)
  redis.call('SET', key, string.format('%.0f', token), 'PXAT', math.floor(token / 1000) + life, 'GET')
end

-- Grants a lock that nobody holds, for so many ms: writes the token, which lives as given, then the hold, which ends with the
-- rest that is given: its term, its label, and whether it is kept. So many more tokens are reserved for the holder: it may hand
-- the lock on among its own actors, each with a token of its own. With `least`, a number, tokens begin there. Answers the
-- token, and the hold as it is written; it is there since now.
local function grantHold(hold, counter, owner, rest, ms, life, more, least)
  local token = nowText
  local before = redis.call('SET', counter, token, 'PX', life, 'GET') -- the token's own time is now
  -- Compared as texts, since numbers would cost more; what these cannot tell is looked at as numbers.
  if more ~= '0' or least or before and (before >= token or #before ~= #token) then
    local first = math.max(tonumber(token), (tonumber(before or '0') or 0) + 1, least or 0)
    token = string.format('%.0f', first)
    writeToken(counter, first + more, life)
  end
  local text = owner .. ' ' .. token .. ' ' .. nowText .. ' ' .. rest
  redis.call('SET', hold, text, 'PX', ms)
  return token, text
end
