import { buffer } from 'node:stream/consumers';
import { recordOfString, unpacked } from '../src/store/stored-record.ts';
import { taskDictionary } from '../src/store/task-dictionary.ts';

// Prints the value of a task's record, as `redis-cli --raw GET` returns it to the standard input; see docs/debugging.md.
const { version, body } = recordOfString(await buffer(process.stdin));
const text = body && unpacked(body, taskDictionary);
if (version === 0 || text === undefined) throw new Error('This is no record, or nothing is left of it.');
console.log(text);
