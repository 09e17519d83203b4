-- hold.lua: included by every script that touches a hold. How a hold and its token are written, granted and ended; held.lua
-- has the rest, and no other file knows. The other keys of a lock are listed in common.lua.
--
--   hold      string  "owner token since term label", and " K" after it if its client shares it among several leases, and
--                     nobody waited when it was granted; " R" if others have wanted the lock since: who holds; the key's
--                     expiry is the end of the hold
--   token     string  the last fencing token that was given, or reserved for the present holder
-- In a script a hold is a table: owner, token, since, term and label as they are written, kept ('', ' K' or ' R'), and left,
-- the rest of it in ms, if that is known without asking.

local nowText = clock[1] .. string.sub('00000' .. clock[2], -6) -- of nowMicros: cheaper than int(nowMicros)

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

local function holdText(held)
  return held.owner .. ' ' .. held.token .. ' ' .. held.since .. ' ' .. held.term .. ' ' .. held.label .. held.kept
end

-- A value that Holdfast did not write, of any type, counts as a hold of '?', so that whoever only refreshes or releases is
-- not stopped, and nobody is granted the lock.
local function parseHold(text)
  if not text then
    return nil
  end
  local owner, token, since, term, label, kept = string.match(text, '^(%S+) (%d+) (%d+) (%d+) (%S*)( ?[KR]?)$')
  if not owner then
    return { owner = '?', token = '0', since = '0', term = '0', label = '', kept = '' }
  end
  return { owner = owner, token = token, since = since, term = term, label = label, kept = kept }
end

-- Whether a hold, as it is written, is this owner's, and if a token is given, of that grant. Takes nothing apart.
local function isHoldOf(text, owner, token)
  local mine = owner .. ' ' .. (token and token .. ' ' or '')
  return text and string.sub(text, 1, #mine) == mine
end

-- Notes the last token, given as a number and as text, and answers the one before, if there was one. Its key expires at
-- the token's own time plus its life, and not at now plus its life: after a clock that was ahead came back, tokens would
-- fall otherwise. Begins with the error of a key of another type.
local function writeToken(key, token, text, life)
  return redis.call('SET', key, text, 'PXAT', int(math.floor(token / 1000) + life), 'GET')
end

-- Grants a lock that nobody holds, for held.left: writes the token, which lives as given, then the hold, and completes
-- `held`, which has all but token and since. So many tokens, the first of which is the hold's, are reserved for the holder:
-- it may hand the lock on among its own actors, each with a token of its own. With `least`, tokens begin there.
local function grantHold(hold, counter, life, held, tokens, least)
  local token, text, more = nowMicros, nowText, tonumber(tokens) - 1
  if least and least > token then
    token, text = least, int(least)
  end
  local before = writeToken(counter, token + more, more == 0 and text or int(token + more), life)
  local last = tonumber(before or '0') or 0
  if last >= token then
    token = last + 1
    text = int(token)
    writeToken(counter, token + more, int(token + more), life)
  end
  held.token, held.since = text, nowText
  redis.call('SET', hold, holdText(held), 'PXAT', int(now + held.left))
  return held
end

-- Allowed at maxmemory, so that it lets the writes pass that follow it.
local function endHold(key)
  redis.call('DEL', key)
end
