import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { FaultInput } from './faults.ts';
import { improvedProof, kindOf } from './kinds.ts';
import type { Campaign, Task } from './model.ts';
import { advance, correctTask, moveCampaign, moveTask } from './model.ts';
import { employerKey } from './new-world.ts';
import type { Sandbox } from './sandbox.ts';
import {
  accountOfKey,
  addCampaigns,
  addFromInput,
  addMessage,
  CampaignFields,
  definedOnly,
  FileInput,
  fileFromInput,
  NewCampaign,
  NewMessage,
  Scenario,
  setFields,
  TaskInput,
} from './scenario.ts';
import { Settings } from './settings.ts';
import { campaignState, stateOf } from './state.ts';
import { ratings } from './terms.ts';

const SubmitInput = TaskInput.omit({ rating: true, task_id: true, comment: true }).extend({
  campaign_id: z.string().optional(),
  rating: z.enum(['NOTRATED', 'NOTREVIEWED']).default('NOTRATED'),
  count: z.int().min(1).max(200_000).default(1),
});
const CorrectInput = z.strictObject({
  task_id: z.string(),
  proof: z.array(z.string()).max(3).optional(),
  files: z.array(FileInput).optional(),
});
const RateInput = z.strictObject({
  task_id: z.string(),
  rating: z.enum(ratings),
  comment: z.string().default(''),
});
const WorkersInput = z.strictObject({ running: z.boolean(), everySeconds: z.number().positive().optional() });
const ResetInput = z.strictObject({ scenario: Scenario.optional() });
const KeyInput = z.strictObject({ key: z.string().min(1), of: z.string().default(employerKey) });
const SinceInput = z.object({ since: z.coerce.number().int().min(0).default(0) });

/** Thrown for requests that cannot be carried out: the HTTP status and a sentence for the caller. */
class ControlError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw new ControlError(400, faults.join('; '));
}

/** Runs a function that throws RangeError for names that do not exist, and turns that into a ControlError. */
function checked<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof RangeError ? new ControlError(400, error.message) : error;
  }
}

/** Registers the calls under `/_sandbox/`; README.md describes each in one line. */
export function registerControl(app: FastifyInstance, sandbox: Sandbox): void {
  function campaignById(id: string): Campaign {
    const campaign = sandbox.world.campaigns.get(id);
    if (!campaign) throw new ControlError(404, `no campaign has the id ${id}`);
    return campaign;
  }

  function taskById(id: string): { task: Task; campaign: Campaign } {
    const task = sandbox.world.tasks.get(id);
    if (!task) throw new ControlError(404, `no task has the id ${id}`);
    return { task, campaign: campaignById(task.campaign_id) };
  }

  function firstRunning(): Campaign {
    const owner = accountOfKey(sandbox.world, employerKey).id;
    for (const campaign of sandbox.world.campaigns.values()) {
      if (campaign.campaign_status === 'RUNNING' && campaign.owner === owner) return campaign;
    }
    throw new ControlError(409, 'no campaign is running: name one in campaign_id');
  }

  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply: FastifyReply) =>
    reply.code(error.statusCode ?? 500).send({ error: error.message }),
  );

  app.get('/_sandbox/state', () => {
    advance(sandbox.world, sandbox.settings, Date.now());
    return stateOf(sandbox);
  });

  app.get('/_sandbox/requests', (request) => ({
    requests: sandbox.log.since(parse(SinceInput, request.query).since),
  }));

  app.delete('/_sandbox/requests', () => {
    sandbox.log.clear();
    return {};
  });

  app.patch('/_sandbox/settings', (request) =>
    sandbox.change(definedOnly(parse(Settings.partial(), request.body))),
  );

  app.post('/_sandbox/reset', (request) => {
    const { scenario } = parse(ResetInput, request.body);
    checked(() => sandbox.reset(scenario));
    return {};
  });

  app.post('/_sandbox/campaigns', (request) => {
    const [campaign] = checked(() =>
      addCampaigns(sandbox.world, parse(NewCampaign, request.body), Date.now()),
    );
    return campaign ? campaignState(campaign) : {};
  });

  app.patch<{ Params: { id: string } }>('/_sandbox/campaigns/:id', (request) => {
    const campaign = campaignById(request.params.id);
    const fields = parse(CampaignFields.partial(), request.body);
    if (fields.status !== undefined) moveCampaign(campaign, fields.status, Date.now());
    setFields(campaign, fields);
    return campaignState(campaign);
  });

  app.post('/_sandbox/submit', (request) => {
    const { campaign_id, count, ...task } = parse(SubmitInput, request.body);
    const campaign = campaign_id === undefined ? firstRunning() : campaignById(campaign_id);
    const now = Date.now();
    const tasks = Array.from({ length: count }, () =>
      checked(() => addFromInput(sandbox.world, campaign, task, now)),
    );
    return { tasks: tasks.map(({ task_id }) => task_id) };
  });

  app.post('/_sandbox/correct', (request) => {
    const { task_id, proof, files } = parse(CorrectInput, request.body);
    const { task, campaign } = taskById(task_id);
    if (task.task_rating !== 'REVISE')
      throw new ControlError(409, `task ${task_id} is ${task.task_rating}, not REVISE`);
    const better = proof ?? improvedProof(kindOf(campaign.category), task.proof, task.employer_comment);
    correctTask(sandbox.world, campaign, task, better, Date.now());
    if (files) task.files = files.map(fileFromInput);
    return { task_id };
  });

  app.post('/_sandbox/rate', (request) => {
    const { task_id, rating, comment } = parse(RateInput, request.body);
    const { task, campaign } = taskById(task_id);
    const from = task.task_rating;
    const reviewed = from === 'NOTREVIEWED' && rating === 'NOTRATED';
    if (!reviewed && (from !== 'NOTRATED' || rating === 'NOTRATED' || rating === 'NOTREVIEWED')) {
      throw new ControlError(409, `task ${task_id} is ${from} and cannot become ${rating}`);
    }
    moveTask(sandbox.world, campaign, task, {
      by: reviewed ? 'marketplace' : 'website',
      rating,
      comment,
      at: Date.now(),
    });
    return { task_id };
  });

  app.post('/_sandbox/write', (request) => {
    const input = parse(NewMessage, request.body);
    const owner = checked(() => accountOfKey(sandbox.world, input.key));
    return { message_id: addMessage(sandbox.world, owner, input, Date.now()) };
  });

  app.post('/_sandbox/keys', (request) => {
    const { key, of } = parse(KeyInput, request.body);
    const owner = checked(() => accountOfKey(sandbox.world, of));
    sandbox.world.accounts.set(key, owner);
    return { key };
  });

  app.delete<{ Params: { key: string } }>('/_sandbox/keys/:key', (request) => {
    const { key } = request.params;
    checked(() => accountOfKey(sandbox.world, key));
    return { removed: sandbox.world.accounts.delete(key) };
  });

  app.post('/_sandbox/workers', (request) => {
    const { running, everySeconds } = parse(WorkersInput, request.body);
    if (everySeconds !== undefined) sandbox.change({ workerEverySeconds: everySeconds });
    if (running) sandbox.workers.start();
    else sandbox.workers.stop();
    return { running: sandbox.workers.running };
  });

  app.post('/_sandbox/faults', (request) => ({ id: sandbox.faults.add(parse(FaultInput, request.body)) }));

  app.delete('/_sandbox/faults', () => ({ removed: sandbox.faults.remove() }));

  app.delete<{ Params: { id: string } }>('/_sandbox/faults/:id', (request) => {
    const removed = sandbox.faults.remove(request.params.id);
    if (removed === 0) throw new ControlError(404, `no fault has the id ${request.params.id}`);
    return { removed };
  });
}
