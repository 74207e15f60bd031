import type { Message, World } from './model.ts';

/** What a worker knows about their refused task. */
export interface RefusedTask {
  readonly task: string;
  readonly campaign: string;
  readonly title: string;
  readonly worker: string;
  readonly name: string;
  /** A code that occurs only in their proof, if any. */
  readonly code?: string | undefined;
}

type Complaint = Pick<Message, 'subject' | 'message'>;

/** The kinds of complaints: they differ in how they identify the task, in the subject or only in the text. */
const complaints: Readonly<Record<string, (refused: RefusedTask) => Complaint>> = {
  'task in subject': ({ task }) => ({
    subject: `My task ${task} was refused`,
    message: 'I did all that was asked. Please look at it again.',
  }),
  'title and name': ({ title, name }) => ({
    subject: `Refused in “${title}”`,
    message: `Hello,\n\nI am ${name}. I sent what you asked for, on 2026-10-03, and it was refused after 2 days.\n\nThank you`,
  }),
  'task in text': ({ task, title }) => ({
    subject: 'Why NOK?',
    message: `This is about “${title}”. The id of my task is ${task.toUpperCase()}. I lost 0.25 USD and 40 minutes.`,
  }),
  'worker and campaign': ({ worker, campaign }) => ({
    subject: 'A question about my rating',
    message: `Worker: ${worker}\nCampaign: ${campaign}\n\nMy rating fell from 98.5 to 97 because of this.`,
  }),
  code: ({ code, task }) => ({
    subject: `Code ${code ?? task} is right`,
    message: 'I copied it from the last page. The refusal says that it is missing.',
  }),
  name: ({ name }) => ({
    subject: 'Refused without a reason',
    message: `My user name is ${name}. I would like to know what I did wrong, so that I can do better next time.`,
  }),
};
export const complaintKinds = Object.keys(complaints);

/** Returns a complaint of one of the kinds. */
export function complaintAbout(kind: string, refused: RefusedTask): Complaint {
  const write = complaints[kind];
  if (write === undefined) throw new Error(`no such kind of complaint: ${kind}`);
  return write(refused);
}

/**
 * Returns the next refused task without a complaint, as its worker knows it.
 * @param since only tasks refused after this time (ms)
 */
export function refusedTask(
  world: World,
  complained: ReadonlySet<string>,
  since: number,
): RefusedTask | undefined {
  for (const [id, { task_rating, worker_id, campaign_id, proof, history }] of world.tasks) {
    if (task_rating !== 'NOK' || (history.at(-1)?.at ?? 0) < since || complained.has(id)) continue;
    const campaign = world.campaigns.get(campaign_id);
    const worker = world.workers.get(worker_id);
    if (campaign === undefined || worker === undefined) continue;
    const code = /\b[A-Z]{2,}-\d{3,}[A-Z\d-]*\b/u.exec(proof.join(' '))?.[0];
    return {
      task: id,
      campaign: campaign_id,
      title: campaign.title,
      worker: worker_id,
      name: worker.username,
      code,
    };
  }
  return undefined;
}
