-- held.lua: how a hold is read and told of. In a script these belong to a lock, or to another table: held, the hold as it is
-- written, false if there is none; public, the part of its owner that others may know; rest, "token since term label"; kept,
-- '', ' K' or ' R'; and left, the rest of it in ms, if that is known without asking.

-- A value that Holdfast did not write, of any type, counts as a hold of '?', so that whoever only refreshes or releases is
-- not stopped, and nobody is granted the lock.
local function know(lock, text)
  lock.held, lock.kept = text, ''
  if text then
    lock.public, lock.rest, lock.kept = string.match(text, '^([^~ ]+)%S* (%d+ %d+ %d+ %S*)( ?[KR]?)$')
    if not lock.public then
      lock.held, lock.public, lock.rest, lock.kept = '? ', '?', '0 0 0 ', ''
    end
  end
end

-- What a client is told of a hold, as words: for how many ms yet, its owner's public id, its token, since when in
-- microseconds, its term in ms, and its label. Nothing if there is none.
local function tellHold(key, lock)
  return lock.held and ' ' .. (lock.left or redis.call('PTTL', key)) .. ' ' .. lock.public .. ' ' .. lock.rest or ''
end
