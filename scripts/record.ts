import { buffer } from 'node:stream/consumers';
import { recordOfString, unpacked } from '../src/store/stored-record.ts';
import { taskDictionary } from '../src/store/task-dictionary.ts';

// Decodes and prints a task's record, read from standard input as `redis-cli --raw GET` returns it; see docs/debugging.md.
const { version, body } = recordOfString(await buffer(process.stdin));
const text = body && unpacked(body, taskDictionary);
if (version === 0 || text === undefined) throw new Error('This is no record, or nothing is left of it.');
console.log(text);
