import { readFileSync } from 'node:fs';
import type { Kind } from './kinds.ts';
import { kindOf, writeProof } from './kinds.ts';
import type { Campaign, NewTask, ProofFile, Task, Worker, World } from './model.ts';
import { addTask, proofFile } from './model.ts';
import { ordinaryWorkers } from './new-world.ts';
import { chartPicture, shelfPicture } from './pictures.ts';
import type { Random } from './random.ts';
import { createRandom } from './random.ts';

/** A cache for the process: drawing dozens of pictures for every new world would be noticeably slow. */
const contents = new Map<string, Buffer>();

function content(name: string, make: () => Buffer): Buffer {
  const bytes = contents.get(name) ?? make();
  contents.set(name, bytes);
  return bytes;
}

function stored(name: string): Buffer {
  return content(name, () => readFileSync(new URL(`./files/${name}`, import.meta.url)));
}

function picture(kind: 'chart' | 'shelf', random: Random, variety: number): Buffer {
  const seed = random.between(1, variety);
  const draw = kind === 'chart' ? chartPicture : shelfPicture;
  return content(`${kind} ${seed}`, () => draw(createRandom(seed)));
}

/**
 * Returns the sort of file that a worker would send for this kind of task, if any.
 * @param variety the number of different pictures
 */
export function makeFile(kind: Kind, random: Random, variety = 8): ProofFile | undefined {
  const number = random.between(100, 999);
  switch (kind.file) {
    case 'chart':
      return proofFile(`screenshot-${number}.png`, 'image/png', picture('chart', random, variety));
    case 'shelf':
      return proofFile(
        random.pick([`shelf ${number}.png`, `صورة الرف ${number}.png`, `货架-${number}.png`]),
        'image/png',
        picture('shelf', random, variety),
      );
    case 'receipt':
      return proofFile(`Quittung – März ${number}.jpg`, 'image/jpeg', stored('receipt.jpg'));
    case 'report':
      return proofFile(`visit report "${number}".pdf`, 'application/pdf', stored('report.pdf'));
    default:
      return undefined;
  }
}

/** Returns `count` pictures of one thing as different files: their bytes do not show that they are copies. */
export function makeCopies(kind: Kind, random: Random, count: number): ProofFile[] {
  const seed = random.between(1, 1_000_000);
  const draw = kind.file === 'shelf' ? shelfPicture : chartPicture;
  return Array.from({ length: count }, (_, copy) =>
    proofFile(`IMG_${random.between(1_000, 9_999)}.png`, 'image/png', draw(createRandom(seed), copy)),
  );
}

/** Returns a large plain-text file: a tester's log. */
export function bigTextFile(): ProofFile {
  const bytes = content('log', () => {
    const random = createRandom(4000);
    let text = 'Test log, one line per tap – все шаги, 每一步\n';
    for (let line = 1; line <= 4000; line += 1) {
      const screen = random.pick(['home', 'month', 'add expense', 'settings']);
      const point = `(${random.between(0, 1080)}, ${random.between(0, 2400)})`;
      text += `${String(line).padStart(5)}  tapped ${point}, screen "${screen}", ${random.between(8, 900)} ms\n`;
    }
    return Buffer.from(text);
  });
  return proofFile('test-log.txt', 'text/plain', bytes);
}

/** Picks a worker with no task in the campaign yet, if there is one. */
export function pickWorker(world: World, campaign: Campaign): Worker {
  const everyone = ordinaryWorkers(world);
  const first = everyone[0];
  if (!first) throw new Error('this world has no workers');
  if (campaign.tasks.length >= everyone.length) return world.random.pick(everyone);
  const busy = new Set(campaign.tasks.map((task) => task.worker_id));
  const idle = everyone.filter(({ worker_id }) => !busy.has(worker_id));
  return idle.length > 0 ? world.random.pick(idle) : world.random.pick(everyone);
}

/** Adds a task. Missing fields are made up to suit the campaign's kind. */
export function submit(
  world: World,
  campaign: Campaign,
  given: Partial<NewTask> & Pick<NewTask, 'finished' | 'task_rating'>,
): Task {
  const { random } = world;
  const kind = kindOf(campaign.category);
  const worker = (given.worker_id && world.workers.get(given.worker_id)) || pickWorker(world, campaign);
  return addTask(world, campaign, {
    worker_id: worker.worker_id,
    csv_record_nr: campaign.description_type === 'UNIQUE' ? campaign.tasks.length + 1 : 0,
    country: worker.country,
    ip: worker.ip,
    user_agent: worker.user_agent,
    proof: writeProof(kind, random),
    files: [],
    ...(given.task_rating === 'NOK' || given.task_rating === 'REVISE'
      ? { employer_comment: kind.reasons[given.task_rating] }
      : {}),
    ...given,
  });
}
