-- Says which run of Redis this is: in a script, so that in a cluster the node that has the account answers.
-- KEYS: any key of the account.
-- Returns the id of the run, or '' where INFO is forbidden.
local info = redis.pcall('INFO', 'server')
return type(info) == 'string' and string.match(info, 'run_id:(%x+)') or ''
