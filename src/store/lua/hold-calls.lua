-- Holds up calls.
-- KEYS: what holds them up until it expires.
-- ARGV: for how long each does so at least (ms).
for i, key in ipairs(KEYS) do
  if redis.call('PTTL', key) < tonumber(ARGV[i]) then redis.call('SET', key, '', 'PX', ARGV[i]) end
end
