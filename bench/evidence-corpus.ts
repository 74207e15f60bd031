import type { Redis } from 'ioredis';
import { hashText } from '../src/domain/evidence/hash.ts';
import { bandsOfPrint } from '../src/domain/evidence/picture-bands.ts';
import { printCells } from '../src/domain/evidence/picture-print.ts';
import { comparedTask, hashOfUserAgent, type Posting, postingsOf } from '../src/domain/evidence/print.ts';
import { chunksOf } from '../src/domain/group.ts';
import type { Task } from '../src/domain/task.ts';
import type { AccountRef, TaskId } from '../src/domain/terms.ts';
import { packedPlaces, placeOfTask } from '../src/store/evidence-index.ts';
import { indexFunctions } from '../src/store/evidence-index-script.ts';
import { accountKey } from '../src/store/keys.ts';
import { packed } from '../src/store/stored-record.ts';
import { taskDictionary } from '../src/store/task-dictionary.ts';
import { taskCodec } from '../src/store/tasks.ts';
import { toldTask } from '../test/harness/compared-task.ts';
import { asId } from '../test/harness/ids.ts';
import { disguises, honestText, type SeededRandom, seededRandom } from '../test/harness/text-corpus.ts';

/*
 * Tasks for benchmarks of evidence, each determined by its number: one in 20 copies the text of one of the hundred before
 * it, one in 20 comes from a known IP address, one in 5 has a picture, of which one in 10 is a copy. Four of five use one of
 * about 60 common browsers, the others their worker's own phone; 200,000 workers take turns.
 */

const picturesIn = 5;
const copiedPicturesIn = 10;
const usualBrowsers = 60;
const disguiseNames = Object.keys(disguises);

export const idOfNumber = (number: number): TaskId => asId((number + 0x1000000).toString(16));
export const hasPicture = (number: number) => number % picturesIn === 3;

/** Returns the tasks of the corpus with numbers from `from` to before `to`. */
export function tasksOf(from: number, to: number): Task[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => taskOfNumber(from + at));
}

/** Returns the nth task of the corpus. */
export function taskOfNumber(number: number): Task {
  const random = seededRandom(number * 7 + 1);
  const source = number > 100 && number % 20 === 0 ? number - 1 - random.below(100) : number;
  const text = honestText(seededRandom(source * 13 + 5));
  const disguise = disguises[disguiseNames[number % disguiseNames.length] ?? ''];
  const home = number % 20 === 7 ? random.below(number + 1) : number;
  const worker = `w${hashText(String(number % 200_000)).toString(36)}`;
  const browser = browserOf(random, worker);
  const task = toldTask({
    id: idOfNumber(number),
    worker,
    campaign: `c${number % 300}`,
    country: 'KE',
    ip: `${10 + (hashText(`${home}`) % 200)}.${hashText(`${home}b`) % 256}.${hashText(`${home}c`) % 256}.7`,
    browser,
    slots: [source === number || disguise === undefined ? text : disguise(text, random)],
    at: 1_700_000_000_000 + number * 1_000,
  });
  return hasPicture(number)
    ? { ...task, pictures: [{ index: 1, file: 'F01PICTURE', print: printOfNumber(number) }] }
    : task;
}

function browserOf(random: SeededRandom, worker: string): string {
  const name = random.next() < 0.8 ? String(random.below(usualBrowsers)) : worker;
  return hashOfUserAgent(`Mozilla/5.0 (${name})`) ?? '';
}

/** Returns a print determined by its number: blocks of shades, as in screenshots. */
export function printOfNumber(number: number): string {
  const isCopy = number % (picturesIn * copiedPicturesIn) === 3 && number > picturesIn;
  const random = seededRandom((isCopy ? number - picturesIn : number) * 7 + 3);
  const shades = Array.from({ length: printCells ** 2 / 4 }, () => random.below(16));
  const bytes = Uint8Array.from({ length: printCells ** 2 / 2 }, (_, index) => {
    const shade = shades[index >> 1] ?? 0;
    return (shade << 4) | shade;
  });
  return Buffer.from(bytes).toString('base64url');
}

/** Stores the records of tasks as their first import does, without the data of other features. */
export async function storeRecords(redis: Redis, ref: AccountRef, tasks: readonly Task[]): Promise<void> {
  await storeAll(redis, recordsOf(ref, tasks));
}

/** A key of Redis and its value. */
type StoredRecord = readonly [key: string, value: Buffer];

function recordsOf(ref: AccountRef, tasks: readonly Task[]): StoredRecord[] {
  return tasks.map((task) => [accountKey(ref, 'task', task.id), storedTask(task)]);
}

async function storeAll(redis: Redis, records: readonly StoredRecord[]): Promise<void> {
  for (const some of chunksOf(records, 500)) await redis.mset(...some.flat());
}

/** Returns the stored form (src/store/stored-record.ts) of the record of an untouched task. */
function storedTask(task: Task): Buffer {
  const head = Buffer.alloc(11);
  head.writeUInt8(1);
  head.writeUInt32BE(1, 1);
  head.writeUInt32BE(task.revision, 5);
  return Buffer.concat([head, Buffer.from(packed(taskCodec.encode(task), taskDictionary))]);
}

/** Further ARGV: ids, each with its own place and its other places. */
const fillScript = `${indexFunctions}
for arg = 2, #ARGV, 3 do
  local id, ownPlace, places, own = ARGV[arg], ARGV[arg + 1], ARGV[arg + 2], nil
  local key, mark = placeOf(ownPlace)
  for _, number in ipairs((at(redis.call('GET', key) or '', mark))) do
    if nameOf(number) == id then own = number end
  end
  if not own then
    own = count
    count = count + 1
    setName(own, id)
    put(ownPlace, own)
  end
  for from = 1, #places, 4 do put(string.sub(places, from, from + 3), own) end
  split()
end
store()`;

/** The bytes that known tasks take in Redis. */
export interface KnownBytes {
  /** For everything except pictures. */
  readonly index: number;
  readonly pictures: number;
}

/** How many tasks are indexed at a time, and how many of them per script. */
const chunk = 10_000;
const perScript = 200;

/**
 * Makes a range of tasks known: stores their records, and adds them to the index in batches with the functions of its own
 * script, without searching for similar tasks.
 */
export async function fillIndex(
  redis: Redis,
  ref: AccountRef,
  from: number,
  to: number,
): Promise<KnownBytes> {
  const usedBytes = async () => Number(/used_memory:(\d+)/u.exec(await redis.info('memory'))?.[1]);
  let [index, pictures] = [0, 0];
  let tasks = tasksOf(from, Math.min(to, from + chunk));
  let records = recordsOf(ref, tasks);
  for (let end = from + tasks.length; tasks.length > 0; end += tasks.length) {
    await storeAll(redis, records);
    const next: Task[] = [];
    const nextRecords: StoredRecord[] = [];
    const makeNext = () => {
      const start = end + next.length;
      const made = tasksOf(start, Math.min(to, end + chunk, start + perScript));
      next.push(...made);
      nextRecords.push(...recordsOf(ref, made));
    };
    const before = await usedBytes();
    await indexTasks(redis, ref, tasks, placesWithoutPictures, makeNext);
    const between = await usedBytes();
    await indexTasks(
      redis,
      ref,
      tasks.filter(({ pictures: own }) => own !== undefined),
      placesOfPictures,
    );
    index += between - before;
    pictures += (await usedBytes()) - between;
    tasks = next;
    records = nextRecords;
  }
  return { index, pictures };
}

/** @param meanwhile called while Redis runs a script */
async function indexTasks(
  redis: Redis,
  ref: AccountRef,
  tasks: readonly Task[],
  placesOf: (task: Task) => Posting['place'][],
  meanwhile: () => void = () => undefined,
): Promise<void> {
  const prefix = accountKey(ref, 'evidence', '');
  let last: Promise<unknown> = Promise.resolve();
  for (let start = 0; start < tasks.length; start += perScript) {
    const args = tasks
      .slice(start, start + perScript)
      .flatMap((task) => [task.id, packedPlaces([placeOfTask(task.id)]), packedPlaces(placesOf(task))]);
    await last;
    last = redis.eval(fillScript, 1, `${prefix}size`, prefix, ...args);
    meanwhile();
  }
  await last;
}

function placesWithoutPictures(task: Task): Posting['place'][] {
  const { pictures: _, ...rest } = task;
  return postingsOf(comparedTask(rest)).map(({ place }) => place);
}

function placesOfPictures({ pictures = [] }: Task): Posting['place'][] {
  return pictures.flatMap(({ print }) => (print === undefined ? [] : bandsOfPrint(print)));
}
