-- Counts a call as made if it may be made now. If not, and its turn is soon, background calls leave it that turn.
-- KEYS: what holds up a call until it expires: Slack's answer, the last call in the channel, and in the workspace; of
-- background calls also the last call, and Slack's answer; and whether Slack has limited the method.
-- ARGV: how long a post holds up the next one in its channel, and in the workspace (ms; 0 for other methods), how long a call
-- of a limited method holds up the next one, 1 for a background call, how long a method counts as limited after a wait.
-- Returns the wait (ms).
local channel, workspace, limited = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local isBackground = ARGV[4] == '1'
local wait = 0
for i = 1, isBackground and 5 or 3 do wait = math.max(wait, redis.call('PTTL', KEYS[i])) end
if wait > 0 then
  local turn = wait + limited
  local isSoon = channel == 0 and not isBackground and wait <= 2 * limited
  if isSoon and redis.call('PTTL', KEYS[4]) < turn then
    redis.call('SET', KEYS[4], '', 'PX', turn)
  end
  redis.call('PEXPIRE', KEYS[6], ARGV[5])
  return wait
end
if channel > 0 then
  redis.call('SET', KEYS[2], '', 'PX', channel)
  redis.call('SET', KEYS[3], '', 'PX', workspace)
elseif redis.call('EXISTS', KEYS[6]) == 1 then
  redis.call('SET', KEYS[3], '', 'PX', limited)
  redis.call('SET', KEYS[4], '', 'PX', math.ceil(limited * 1.5))
end
return 0
