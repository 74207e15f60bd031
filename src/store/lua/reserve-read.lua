-- Reserves the next free time for a read. Unused earlier time counts, up to a limit.
-- KEYS: when the next read is free (ms).
-- ARGV: length of the read, limit of unused time, now (ms).
-- Returns the wait (ms).
local length, unused, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local from = math.max(now - unused, tonumber(redis.call('GET', KEYS[1]) or '0'))
local free = from + length
redis.call('SET', KEYS[1], string.format('%.0f', free), 'PX', string.format('%.0f', free + unused + 1000 - now))
return math.max(0, from - now)
