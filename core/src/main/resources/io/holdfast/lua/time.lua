-- time.lua: the time as numbers, for scripts that reckon with it.

local nowMicros = tonumber(nowText)
local now = math.floor(nowMicros / 1000)

-- Lua's own conversion keeps 14 digits only; that of an argument of a command keeps all.
local function int(number)
  return string.format('%.0f', number)
end
