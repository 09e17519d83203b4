-- plain_shown.lua: included by the scripts that tell of a holder of the plain protocol. Its value may be of any length, and
-- is told cut: the beginning, how long it is, and its SHA-1, so that the holder can still be told from any other.

local SHOWN = 200 -- bytes; a longer value is cut
local BEGINNING = 100

-- What stands behind the beginning of a long value; nil if the value is not long.
local function mark(value)
  if #value > SHOWN then
    return '... (' .. #value .. ' bytes, SHA-1 ' .. redis.sha1hex(value) .. ')'
  end
  return nil
end

local function shown(value)
  local long = mark(value)
  return long and string.sub(value, 1, BEGINNING) .. long or value
end
