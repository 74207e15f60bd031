import { cast, takeTurn } from './cast.ts';
import { improvedProof, kindOf } from './kinds.ts';
import type { World } from './model.ts';
import { correctTask } from './model.ts';
import { employerKey } from './new-world.ts';
import { accountOfKey, addMessage, NewMessage } from './scenario.ts';
import type { Settings } from './settings.ts';

/** The simulated workers: they submit, correct tasks in REVISE, write messages, and complain about refused tasks. */
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

/** The interval between complaints as a fraction of that between messages. */
const complaintShare = 0.1;

/** How often the workers check the time. They poll because their intervals are settings, which may change at any time. */
const tickMs = 50;

export function createWorkers(sandbox: { world: () => World; settings: () => Settings }): Workers {
  let timer: NodeJS.Timeout | undefined;
  let lastSubmission = 0;
  let lastMessage = 0;
  let messagesWritten = 0;
  let turns = 0;
  let lastComplaint = 0;
  let startedAt = 0;
  const complained = new Set<string>();

  function submissions(world: World, settings: Settings, now: number): void {
    if (now - lastSubmission < settings.workerEverySeconds * 1000) return;
    lastSubmission = now;
    let waiting = 0;
    for (const { counts } of world.campaigns.values()) waiting += counts.NOTRATED;
    if (waiting >= settings.workerMaxWaiting) return;
    takeTurn(cast[turns % cast.length] ?? 'honest', {
      world,
      now,
      room: settings.workerMaxWaiting - waiting,
    });
    turns += 1;
  }

  function corrections(world: World, settings: Settings, now: number): void {
    for (const [id, since] of world.awaiting_correction) {
      const task = world.tasks.get(id);
      const campaign = task && world.campaigns.get(task.campaign_id);
      // Tasks sent back before the workers started stay in REVISE, because the seed shows such tasks.
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

  /** Complains about a task refused since the workers started, more often than others write. */
  function complaints(world: World, settings: Settings, now: number): void {
    if (now - lastComplaint < settings.messageEverySeconds * complaintShare * 1000) return;
    lastComplaint = now;
    for (const [id, { task_rating, history }] of world.tasks) {
      if (task_rating !== 'NOK' || (history.at(-1)?.at ?? 0) < startedAt || complained.has(id)) continue;
      complained.add(id);
      const message = {
        subject: `My task ${id} was refused`,
        message: 'I did all that was asked. Please look at it again.',
      };
      addMessage(world, accountOfKey(world, employerKey), NewMessage.parse(message), now);
      return;
    }
  }

  function tick(): void {
    const world = sandbox.world();
    const settings = sandbox.settings();
    const now = Date.now();
    submissions(world, settings, now);
    corrections(world, settings, now);
    messages(world, settings, now);
    complaints(world, settings, now);
  }

  return {
    start() {
      if (timer) return;
      lastSubmission = Date.now();
      lastMessage = Date.now();
      lastComplaint = Date.now();
      startedAt = Date.now();
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
