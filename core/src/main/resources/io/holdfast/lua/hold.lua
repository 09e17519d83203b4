-- hold.lua: how an exclusive lock is granted, and how its hold and, with token.lua, its token are written. How a hold is read
-- stands in held.lua, apart, so that whoever finds the lock free does not pay for it. No other file knows. The other keys of a
-- lock are listed in common.lua.
--
--   hold      string  "owner token since term label", and " K" after it if its client shares it among several leases, and
--                     nobody waited when it was granted; " R" if others have wanted the lock since: who holds; the key's
--                     expiry is the end of the hold. An owner of '-' is nobody: the lock rests. One of '=' is a record: what the lock is for
--                     was done, by the holder with that token; since says when, and the label tells the result. One of '!', with the token
--                     0, is a pause: since when, for how long, and the label of the operator and the reason
--   token     string  the last fencing token that was given, or reserved for the present holder

-- Grants a lock that nobody holds, for so many ms: writes the token, which lives as given, then the hold, which ends with the
-- rest that is given: its term, its label, and whether it is kept. So many more tokens are reserved for the holder: it may hand
-- the lock on among its own actors, each with a token of its own. With `least`, a number, tokens begin there. With `at`, the
-- hold ends then, in ms: where the clock that was read is told. (PX counts from when the server began with the script,
-- since 7.2; it may have stood still before the clock was read.) Answers the token, and the hold as it is written; it is
-- there since now.
local function grantHold(hold, counter, owner, rest, ms, life, more, least, at)
  local token = nowText
  local last = more == '0' and token or string.format('%.0f', nowText + more)
  local before = redis.call('SET', counter, last, 'PX', life, 'GET') -- the token's own time is now, or soon
  -- Compared as texts, since numbers would cost more; what these cannot tell is looked at as numbers.
  if least or before and (before >= token or #before ~= #token) then
    local first = math.max(tonumber(token), (tonumber(before or '0') or 0) + 1, least or 0)
    token = string.format('%.0f', first)
    writeToken(counter, first + more, life)
  end
  local text = owner .. ' ' .. token .. ' ' .. nowText .. ' ' .. rest
  if at then
    redis.call('SET', hold, text, 'PXAT', at)
  else
    redis.call('SET', hold, text, 'PX', ms)
  end
  return token, text
end
