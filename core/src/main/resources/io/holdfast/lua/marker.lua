-- How long a server is to grant nothing yet, because it may have forgotten what it granted; 0 if it knows all of its
-- holds. It begins to count, and writes the marker, where there is none, where the marker is from the future, and where
-- another process has written it: that one's data may be older than what it granted last.
-- marker: "since run agreement": since when in microseconds that run of the server has its memory, and on what the clients of the
-- quorum to which it belongs agree, one word; no third word on a server that is no node
-- life: of the marker, in ms; a server that is used keeps it, by one write for each half of it
-- durable: '1' if a restart loses nothing; then the marker is good for any process
-- agreement: of the client that asks; empty if it asks for no quorum. Where the marker has another one, that is the second answer, and
-- nothing is written.
-- joins: whether the agreement is written where there is none and the server grants: a client that only looks binds nobody

local function quarantineLeft(marker, quarantine, life, durable, agreement, joins)
  local here = '-'
  if durable ~= '1' then
    here = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
    if not here then
      error('NORUNID the server does not tell its run_id')
    end
  end
  local since, run, agreed = string.match(redis.call('GET', marker) or '', '^(%d+) (%S+) ?(%S*)$')
  agreed = agreed or ''
  -- rule agreement
  if agreed ~= '' and agreement ~= '' and agreed ~= agreement then
    return 0, agreed
  end
  -- end
  since = tonumber(since)
  local known = since and since <= nowMicros
  -- rule samerun
  known = known and (durable == '1' or run == here)
  -- end
  if not known then
    local tail = agreed ~= '' and ' ' .. agreed or ''
    redis.call('SET', marker, int(nowMicros) .. ' ' .. here .. tail, 'PXAT', int(now + tonumber(life)))
    return tonumber(quarantine)
  end
  local left = math.max(0, math.floor(since / 1000) + tonumber(quarantine) - now)
  if joins and agreed == '' and left == 0 then
    redis.call('SET', marker, int(since) .. ' ' .. run .. ' ' .. agreement, 'PXAT', int(now + tonumber(life)))
  elseif redis.call('PTTL', marker) < tonumber(life) / 2 then
    expireLater(marker, life)
  end
  return left
end
