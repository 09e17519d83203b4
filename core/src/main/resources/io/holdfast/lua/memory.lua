-- memory.lua: asks whether a server knows all holds that it has granted. May be run again.
--
-- KEYS[1] marker of the server
-- ARGV[1] quarantine, ms   ARGV[2] life of the marker, ms   ARGV[3] '1' if a restart of the server loses nothing
-- ARGV[4] what the clients of its quorum agree on; empty if it is no node
--
-- Replies:
--   KNOWS   it does, or what it may have forgotten is over
--   FRESH remaining   it is new, or has lost its memory, or another process has its data now: not for so many ms yet
--   OTHER agreement   clients that agree on something else use it as a node
-- Effects: writes the marker where there is none that counts, and keeps it.

-- include time.lua
-- include expiry.lua
-- include marker.lua

local left, agreed = quarantineLeft(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4])
if agreed then
  return 'OTHER ' .. agreed
end
if left > 0 then
  return 'FRESH ' .. left
end
return 'KNOWS'
