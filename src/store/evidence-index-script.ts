/*
 * The scripts of the index of similar tasks, made for millions of tasks at some 10 bytes per posting:
 *
 * - Tasks are numbered as they arrive. `n…` hashes have the ids of 100 numbers each.
 * - A posting is 7 bytes in one of many strings, the buckets `b…`: 3 bytes of its hash, and the number of its task plus 1, 4
 *   bytes. Seven zero bytes are free. A bucket grows by several postings at once, so that most of them are written in place.
 * - A bucket splits for every 64 new postings (linear hashing): its postings are divided between itself and a new one. So
 *   buckets stay small, a lookup reads one bucket however many tasks are known, and additions and removals move little.
 *
 * All keys have the hash tag of the account; scripts build the key names from the prefix they are given. `size` holds the
 * numbers of numbered tasks, buckets and postings.
 */

/** Most tasks remembered at a place: a feature that more tasks share says nothing. */
export const mostAtPlace = 15;
/** The initial number of buckets. One byte of a place chooses among these, and among the others as they split. */
export const firstBuckets = 256;
export const postingsPerBucket = 64;
const grownBy = 8;
export const namesPerHash = 100;
const bytes = 7;

/** KEYS: size. ARGV: key prefix. Places are strings of 4 bytes. */
const placeFunctions = `
local prefix = ARGV[1]
local buckets = tonumber(redis.call('HGET', KEYS[1], 'buckets') or '${firstBuckets}')
local round = ${firstBuckets}
while round * 2 <= buckets do round = round * 2 end
local function keyOf(bucket) return prefix .. 'b' .. string.format('%d', bucket) end
local function addressOf(first, mark)
  local one, two, three = string.byte(mark, 1, 3)
  return first + ${firstBuckets} * (one * 65536 + two * 256 + three)
end
local function placeOf(place)
  local mark = string.sub(place, 2, 4)
  local address = addressOf(string.byte(place), mark)
  local bucket = address % (2 * round)
  if bucket >= buckets then bucket = address % round end
  return keyOf(bucket), mark
end`;

/** Uses the same keys and arguments. */
export const indexFunctions = `${placeFunctions}
local free = string.rep('\\0', ${bytes})
local size = redis.call('HMGET', KEYS[1], 'tasks', 'postings')
local count, postings = tonumber(size[1] or '0'), tonumber(size[2] or '0')
local function store()
  redis.call('HSET', KEYS[1], 'tasks', string.format('%d', count), 'buckets', string.format('%d', buckets),
    'postings', string.format('%d', postings))
end
local function aligned(text, part)
  local at = 1
  return function()
    while at do
      local found = string.find(text, part, at, true)
      at = found and found + 1
      if found and (found - 1) % ${bytes} == 0 then
        at = found + ${bytes}
        return found
      end
    end
  end
end
-- Returns the numbers at a place, each with where it stands in the bucket.
local function at(bucket, mark)
  local numbers, stands = {}, {}
  for found in aligned(bucket, mark) do
    local number = struct.unpack('>I4', bucket, found + 3) - 1
    if number >= 0 then
      numbers[#numbers + 1] = number
      stands[number] = found
    end
  end
  return numbers, stands
end
local function add(key, bucket, mark, number, numbers, stands)
  if stands[number] then return end
  local posting = mark .. struct.pack('>I4', number + 1)
  if #numbers >= ${mostAtPlace} then
    redis.call('SETRANGE', key, stands[math.min(unpack(numbers))] - 1, posting)
    return
  end
  postings = postings + 1
  for found in aligned(bucket, free) do
    redis.call('SETRANGE', key, found - 1, posting)
    return
  end
  redis.call('SET', key, bucket .. posting .. string.rep(free, ${grownBy - 1}))
end
local function put(place, number)
  local key, mark = placeOf(place)
  local bucket = redis.call('GET', key) or ''
  add(key, bucket, mark, number, at(bucket, mark))
end
local function write(key, parts)
  if #parts == 0 then redis.call('DEL', key) else redis.call('SET', key, table.concat(parts)) end
end
local function used(bucket)
  local parts = {}
  for from = 1, #bucket, ${bytes} do
    local posting = string.sub(bucket, from, from + ${bytes - 1})
    if posting ~= free then parts[#parts + 1] = posting end
  end
  return parts
end
local function remove(place, number)
  local key, mark = placeOf(place)
  local bucket = redis.call('GET', key) or ''
  local _, stands = at(bucket, mark)
  local stand = stands[number]
  if not stand then return end
  postings = postings - 1
  local parts = used(string.sub(bucket, 1, stand - 1) .. string.sub(bucket, stand + ${bytes}))
  if 2 * #parts * ${bytes} > #bucket then redis.call('SETRANGE', key, stand - 1, free) else write(key, parts) end
end
local function split()
  while postings > ${postingsPerBucket} * buckets do
    local source = buckets - round
    local stays, goes = {}, {}
    for _, posting in ipairs(used(redis.call('GET', keyOf(source)) or '')) do
      local isMoved = addressOf(source % ${firstBuckets}, posting) % (2 * round) == buckets
      local parts = isMoved and goes or stays
      parts[#parts + 1] = posting
    end
    if #goes > 0 then
      write(keyOf(source), stays)
      write(keyOf(buckets), goes)
    end
    buckets = buckets + 1
    if buckets == 2 * round then round = buckets end
  end
end
local names = {}
local function nameKey(number) return prefix .. 'n' .. string.format('%d', math.floor(number / ${namesPerHash})) end
local function nameOf(number)
  if names[number] == nil then
    names[number] = redis.call('HGET', nameKey(number), number % ${namesPerHash})
  end
  return names[number]
end
-- Returns the ids of some numbers but one, latest first.
local function namesOf(numbers, without)
  table.sort(numbers, function(one, other) return one > other end)
  local ids = {}
  for _, number in ipairs(numbers) do
    local name = number ~= without and nameOf(number)
    if name then ids[#ids + 1] = name end
  end
  return ids
end
local function setName(number, id)
  redis.call('HSET', nameKey(number), number % ${namesPerHash}, id)
  names[number] = id
end`;

/** Additional ARGV: id, its own place, the concatenated places of its postings. */
const ownFunctions = `${indexFunctions}
local id, ownPlace, places = ARGV[2], ARGV[3], ARGV[4]
local function each(all, act)
  for from = 1, #all, 4 do act(string.sub(all, from, from + 3)) end
end
local own
do
  local key, mark = placeOf(ownPlace)
  for _, number in ipairs((at(redis.call('GET', key) or '', mark))) do
    if nameOf(number) == id then own = number end
  end
end`;

/**
 * Adds a task to its places. Returns how many tasks were known before, for each place the ids of its latest other tasks, and
 * the task's number. A new task is in the set `new` until it was compared, so that it is counted once even if the process
 * ends before that.
 */
export const putScript = `${ownFunctions}
local isNew, known = own == nil, count
if isNew then
  own = count
  count = count + 1
  setName(own, id)
  redis.call('SADD', prefix .. 'new', id)
end
local function look(place)
  local key, mark = placeOf(place)
  local bucket = redis.call('GET', key) or ''
  local numbers, stands = at(bucket, mark)
  add(key, bucket, mark, own, numbers, stands)
  return namesOf(numbers, own)
end
local before, found = postings, {}
look(ownPlace)
each(places, function(place) found[#found + 1] = look(place) end)
if isNew or postings ~= before then
  split()
  store()
end
return {known, found, own}`;

/**
 * Looks up the places of a task that need not be known, without writing. Returns for each place the ids of its latest tasks.
 */
export const findScript = `${ownFunctions}
local found = {}
each(places, function(place)
  local key, mark = placeOf(place)
  found[#found + 1] = namesOf((at(redis.call('GET', key) or '', mark)), own)
end)
return {false, found, own or false}`;

/** Returns the numbers plus 1 of all tasks at some places, 4 bytes each; 0 for none. Additional ARGV: the places. */
export const numbersScript = `${placeFunctions}
local places = ARGV[2]
local find, sub = string.find, string.sub
local keys, marks, numbers = {}, {}, {}
for from = 1, #places, 4 do
  keys[#keys + 1], marks[#marks + 1] = placeOf(sub(places, from, from + 3))
end
for index, bucket in ipairs(redis.call('MGET', unpack(keys))) do
  local at = 1
  while bucket and at do
    local found = find(bucket, marks[index], at, true)
    at = found and found + 1
    if found and (found - 1) % ${bytes} == 0 then
      at = found + ${bytes}
      numbers[#numbers + 1] = sub(bucket, found + 3, found + 6)
    end
  end
end
return table.concat(numbers)`;

/** Removes a task from some of its places. */
export const leaveScript = `${ownFunctions}
if not own then return end
each(places, function(place) remove(place, own) end)
store()`;

/** Removes a task from its places, and deletes its number. */
export const forgetScript = `${ownFunctions}
if not own then return end
each(ownPlace .. places, function(place) remove(place, own) end)
redis.call('HDEL', nameKey(own), own % ${namesPerHash})
redis.call('SREM', prefix .. 'new', id)
store()`;
