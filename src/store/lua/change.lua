-- Runs commands, or none of them when a reply is not the expected one.
-- KEYS: the keys of the questions and commands.
-- ARGV: as JSON: the questions (expected reply, '' for none; command, number of its key, arguments), then the commands
-- (command, number of its key, arguments).
-- Returns 1, or 0 when a reply was another one.
local function call(command, key, ...) return redis.call(command, KEYS[key], ...) end
local questions, commands = unpack(cjson.decode(ARGV[1]))
for _, question in ipairs(questions) do
  if tostring(call(unpack(question, 2)) or '') ~= question[1] then return 0 end
end
for _, command in ipairs(commands) do call(unpack(command)) end
return 1
