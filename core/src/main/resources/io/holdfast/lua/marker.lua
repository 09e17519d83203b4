-- How long a server is to grant nothing yet, because it may have forgotten what it granted; 0 if it knows all of its
-- holds. It begins to count, and writes the marker, where there is none, where the marker is from the future, and where
-- another process has written it: that one's data may be older than what it granted last.
-- marker: "since run", since when in microseconds that run of the server has its memory
-- life: of the marker, in ms; a server that is used keeps it, by one write for each half of it
-- durable: '1' if a restart loses nothing; then the marker is good for any process

local function quarantineLeft(marker, quarantine, life, durable)
  local here = '-'
  if durable ~= '1' then
    here = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
    if not here then
      error('NORUNID the server does not tell its run_id')
    end
  end
  local since, run = string.match(redis.call('GET', marker) or '', '^(%d+) (%S+)$')
  since = tonumber(since)
  local known = since and since <= nowMicros
  -- rule samerun
  known = known and (durable == '1' or run == here)
  -- end
  if not known then
    redis.call('SET', marker, int(nowMicros) .. ' ' .. here, 'PXAT', int(now + tonumber(life)))
    return tonumber(quarantine)
  end
  if redis.call('PTTL', marker) < tonumber(life) / 2 then
    expireLater(marker, life)
  end
  return math.max(0, math.floor(since / 1000) + tonumber(quarantine) - now)
end
