-- owner.lua: whether a hold, as it is written, is this owner's, and if a token is given, of that grant. Takes nothing apart.
local function isHoldOf(text, owner, token)
  local mine = token and owner .. ' ' .. token .. ' ' or owner .. ' '
  return text and string.sub(text, 1, #mine) == mine
end
