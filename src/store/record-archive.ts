/** Script parts for values that are kept in a digest instead of a record. */
import { recordFunctions } from './stored-record.ts';

/**
 * Without a record, its value may have been archived since it was read, or an archived value may have changed: then the
 * version has changed as well.
 */
export const isNotArchived = (
  { mark, read }: { readonly mark: string; readonly read: boolean },
  text: string,
) => `
if ARGV[1] == '0' then
  local known = redis.call('HGET', KEYS[2], ARGV[2]) or ''
  ${read ? `if known ~= ${text} then return 0 end` : `if string.find(known, '${mark}', 1, true) then return 0 end`}
end`;

/**
 * Replaces an unchanged record that is in no index and need not be rendered by a digest. KEYS: record, digest, then the
 * sorted sets. ARGV: version, id, text. Returns 1 or 0.
 */
export const archiveScript = `
${recordFunctions}
if readRecord(KEYS[1]).version ~= tonumber(ARGV[1]) then return 0 end
for i = 3, #KEYS do if redis.call('ZSCORE', KEYS[i], ARGV[2]) then return 0 end end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('DEL', KEYS[1])
return 1`;
