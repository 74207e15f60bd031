import { ipOf } from './geography.ts';
import { kindOf, writeProof } from './kinds.ts';
import type { Campaign, NewTask, Task, World } from './model.ts';
import { finishIfFull, freePositions } from './model.ts';
import { employerKey, ordinaryWorkers } from './new-world.ts';
import type { Random } from './random.ts';
import { makeCopies, makeFile, submit } from './submissions.ts';

/**
 * The order in which worker roles submit: most are honest, and reviewers who look closely can spot the others. A turn
 * comes every `workerEverySeconds`, so that in the demo every role appears within three minutes.
 */
export const cast = ['honest', 'copyist', 'traveler', 'honest', 'code copier', 'ring'] as const;
export type Role = (typeof cast)[number];

/** Remarks that honest workers add, so that no two texts are the same. */
const remarks = [
  'It took me {nn} minutes because the {thing} was {state}.',
  'My {person} helped with the {thing}, {nn} minutes in all.',
  'I did it at the {place}, where the {thing} was {state}.',
  'Next time I would start with the {thing}; the {person} at the {place} said so.',
];
const words: Readonly<Record<string, readonly string[]>> = {
  thing: 'second page|door|menu|lamp|ticket|connection|keyboard|label|receipt|camera|queue|timetable'.split(
    '|',
  ),
  state:
    'broken|new|slow|closed|wet|better than last week|hard to find|in another language|half hidden'.split(
      '|',
    ),
  person: 'sister|neighbor|teacher|cashier|cousin|colleague|driver|grandfather|roommate'.split('|'),
  place: 'station|library|market|clinic|bus stop|school|harbor|café|post office|stadium'.split('|'),
};

function remark(random: Random): string {
  return random
    .pick(remarks)
    .replace(/\{nn\}/g, () => String(random.between(3, 98)))
    .replace(/\{(\w+)\}/g, (_, word: string) => random.pick(words[word] ?? ['thing']));
}

/** Disguises a copied text so that it looks original to a quick reader. */
function disguised(text: string, random: Random): string {
  const upper = text.charAt(0).toLowerCase() + text.slice(1).replace(/[.,]/g, random.pick(['', ' ', '!']));
  // Replaces Latin letters by Cyrillic ones.
  return upper.replace(/[aeo]/g, (letter) =>
    random.next() < 0.3 ? ('аео'['aeo'.indexOf(letter)] ?? letter) : letter,
  );
}

/** One turn of the simulated workers. */
export interface Turn {
  readonly world: World;
  readonly now: number;
  /** The maximum number of tasks to submit. */
  readonly room: number;
}

/** Submits as a worker of the role. Returns the tasks; none if no worker can submit. */
export function takeTurn(role: Role, { world, now, room }: Turn): Task[] {
  const { random } = world;
  const open = [...world.campaigns.values()].filter(
    (campaign) => campaign.campaign_status === 'RUNNING' && freePositions(campaign) > 0,
  );
  // Suspicious submissions go to the campaigns that the demo watches.
  const watched = open.filter(
    ({ owner }) => role === 'honest' || owner === world.accounts.get(employerKey)?.id,
  );
  // The ring submits a picture.
  const wanting = watched.filter(({ file_proof }) => role === 'ring' && file_proof !== 0);
  const chosen = wanting.length > 0 ? wanting : watched;
  const first = chosen.length > 0 ? random.pick(chosen) : undefined;
  if (first === undefined) return [];
  const others = open.filter((campaign) => campaign !== first && campaign.owner === first.owner);
  const second = others.length > 0 ? random.pick(others) : first;

  let left = room;

  function hand(campaign: Campaign, given: Partial<NewTask>): Task[] {
    const worker = given.worker_id ?? freeWorker(world, campaign);
    if (worker === undefined || freePositions(campaign) === 0 || left === 0) return [];
    left -= 1;
    const kind = kindOf(campaign.category);
    const wantsFile = campaign.file_proof === 2 || (campaign.file_proof === 1 && random.next() < 0.4);
    const file = wantsFile ? makeFile(kind, random, 10_000) : undefined;
    const task = submit(world, campaign, {
      task_rating: 'NOTRATED',
      finished: now,
      files: file ? [file] : [],
      proof: honestProof(campaign, random),
      ...given,
      worker_id: worker,
    });
    finishIfFull(campaign, now);
    return [task];
  }

  switch (role) {
    case 'honest':
      return hand(first, {});
    case 'copyist': {
      const copied = waitingTask(world, first) ?? waitingTask(world, second);
      const campaign = copied && world.campaigns.get(copied.campaign_id);
      if (copied === undefined || campaign === undefined) return hand(first, {});
      return hand(campaign, {
        proof: copied.proof.map((text) => disguised(text, random)),
        files: copied.files,
      });
    }
    case 'traveler': {
      const worker_id = freeWorker(world, first);
      if (worker_id === undefined) return [];
      const from = { worker_id, country: 'GR', ip: ipOf('GR', 12, 40), finished: now - 240_000 };
      const to = { worker_id, country: 'EG', ip: ipOf('EG', 88, 7), finished: now };
      return [...hand(first, from), ...hand(second, to)];
    }
    case 'code copier': {
      const code = `WAY-${random.between(1_000, 9_999)}-XB`;
      return [first, second].flatMap((campaign) =>
        hand(campaign, {
          proof: [`${remark(random)} The code is ${code}`, ...honestProof(campaign, random).slice(1)],
        }),
      );
    }
    case 'ring': {
      const network = random.between(0, 255);
      const text = honestProof(first, random);
      // The same photo, saved differently by each member.
      const files = makeCopies(kindOf(first.category), random, 3);
      return files.flatMap((file, member) =>
        hand(first, {
          files: first.file_proof === 0 ? [] : [file],
          proof: text.map((slot) => (member === 0 ? slot : disguised(slot, random))),
          country: 'PK',
          // Two of them share an IP address, all three a network.
          ip: ipOf('PK', network, member === 0 ? 20 : 21),
          user_agent: `Mozilla/5.0 (Linux; Android 9; Ring ${network}) AppleWebKit/537.36`,
        }),
      );
    }
  }
}

function honestProof(campaign: Campaign, random: Random): string[] {
  const [text = '', ...rest] = writeProof(kindOf(campaign.category), random);
  return [
    `${text} ${remark(random)}`,
    ...rest.map((slot) => (slot.length < 30 ? slot : `${slot} ${remark(random)}`)),
  ];
}

/** Returns a worker who may submit, preferably one without a task in the campaign. */
function freeWorker(world: World, campaign: Campaign): string | undefined {
  const excluded = [...world.accounts.values()].find(({ id }) => id === campaign.owner)?.excluded_workers;
  const allowed = ordinaryWorkers(world).filter(({ worker_id }) => !excluded?.has(worker_id));
  const fresh = allowed.filter(({ worker_id }) =>
    campaign.tasks.every((task) => task.worker_id !== worker_id),
  );
  const workers = fresh.length > 0 ? fresh : allowed;
  return workers.length > 0 ? world.random.pick(workers).worker_id : undefined;
}

/** Returns a task of the campaign that waits for a rating and has a text worth copying. */
function waitingTask(world: World, campaign: Campaign): Task | undefined {
  const waiting = campaign.tasks.filter(
    ({ task_rating, proof }) => task_rating === 'NOTRATED' && proof.some((text) => text.length >= 30),
  );
  return waiting.length > 0 ? world.random.pick(waiting) : undefined;
}
