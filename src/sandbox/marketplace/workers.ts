import { improvedProof, kindOf } from './kinds.ts';
import type { Campaign, World } from './model.ts';
import { correctTask, finishIfFull, freePositions } from './model.ts';
import { employerKey, ordinaryWorkers } from './new-world.ts';
import { accountOfKey, addMessage, NewMessage } from './scenario.ts';
import type { Settings } from './settings.ts';
import { makeFile, submit } from './submissions.ts';

/** The simulated workers: they submit, correct what came back with REVISE, and write messages. */
export interface Workers {
  start(): void;
  stop(): void;
  readonly running: boolean;
}

const sampleMessages = [
  {
    subject: 'May I do this task twice?',
    message: 'I have two phones. May I send one task from each of them? I like your campaigns.',
  },
  {
    subject: 'How long until my task is rated?',
    message:
      'I submitted yesterday and it still waits. No hurry, I only want to know if something is missing.',
  },
  {
    subject: 'The instructions say "confirm", but there is no such button',
    message: 'On the second page I see only "Next" and "Back".\n\nWhich of them do you mean?',
  },
  { subject: '谢谢您的评论', message: '我已经按照您的要求改正了。再次感谢！🙏' },
] as const;

/** How often the workers check the time: their intervals are settings, which may change at any time. */
const tickMs = 50;

/** Submits a made-up task: sometimes with a copied proof or a shared address, which reviewers should notice. */
function submitSomething(world: World, campaign: Campaign, now: number): void {
  const { random } = world;
  const kind = kindOf(campaign.category);
  const wantsFile = campaign.file_proof === 2 || (campaign.file_proof === 1 && random.next() < 0.4);
  const file = wantsFile ? makeFile(kind, random) : undefined;
  const earlier = campaign.tasks.length > 0 ? random.pick(campaign.tasks) : undefined;
  const variant = earlier ? random.between(1, 10) : 0;
  const excluded = [...world.accounts.values()].find(({ id }) => id === campaign.owner)?.excluded_workers;
  const allowed = ordinaryWorkers(world).filter(({ worker_id }) => !excluded?.has(worker_id));
  if (allowed.length === 0) return;
  const fresh = allowed.filter(({ worker_id }) =>
    campaign.tasks.every((task) => task.worker_id !== worker_id),
  );
  submit(world, campaign, {
    worker_id: random.pick(fresh.length > 0 ? fresh : allowed).worker_id,
    task_rating: 'NOTRATED',
    finished: now,
    files: file ? [file] : [],
    ...(variant === 1 && earlier ? { proof: [...earlier.proof] } : {}),
    ...(variant === 2 && earlier ? { ip: earlier.ip, country: earlier.country } : {}),
  });
  finishIfFull(campaign, now);
}

export function createWorkers(sandbox: { world: () => World; settings: () => Settings }): Workers {
  let timer: NodeJS.Timeout | undefined;
  let lastSubmission = 0;
  let lastMessage = 0;
  let messagesWritten = 0;

  function submissions(world: World, settings: Settings, now: number): void {
    if (now - lastSubmission < settings.workerEverySeconds * 1000) return;
    lastSubmission = now;
    let waiting = 0;
    for (const { counts } of world.campaigns.values()) waiting += counts.NOTRATED;
    if (waiting >= settings.workerMaxWaiting) return;
    const open = [...world.campaigns.values()].filter(
      (campaign) => campaign.campaign_status === 'RUNNING' && freePositions(campaign) > 0,
    );
    if (open.length > 0) submitSomething(world, world.random.pick(open), now);
  }

  function corrections(world: World, settings: Settings, now: number): void {
    for (const [id, since] of world.awaiting_correction) {
      const task = world.tasks.get(id);
      const campaign = task && world.campaigns.get(task.campaign_id);
      // What was sent back before the workers began stays as it is: the seed shows tasks in REVISE.
      const sentBack = task?.history.at(-1)?.by;
      if (!task || !campaign || sentBack === 'worker' || now - since < settings.correctSeconds * 1000)
        continue;
      const kind = kindOf(campaign.category);
      correctTask(world, campaign, task, improvedProof(kind, task.proof, task.employer_comment), now);
    }
  }

  function messages(world: World, settings: Settings, now: number): void {
    if (now - lastMessage < settings.messageEverySeconds * 1000) return;
    lastMessage = now;
    const message = sampleMessages[messagesWritten % sampleMessages.length];
    messagesWritten += 1;
    addMessage(world, accountOfKey(world, employerKey), NewMessage.parse(message), now);
  }

  function tick(): void {
    const world = sandbox.world();
    const settings = sandbox.settings();
    const now = Date.now();
    submissions(world, settings, now);
    corrections(world, settings, now);
    messages(world, settings, now);
  }

  return {
    start() {
      if (timer) return;
      lastSubmission = Date.now();
      lastMessage = Date.now();
      timer = setInterval(tick, tickMs);
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
    get running() {
      return timer !== undefined;
    },
  };
}
