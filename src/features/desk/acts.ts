import type * as desk from '@proofdesk/desk/protocol';
import { z } from 'zod';
import { type FocusFilter, newFocus } from '../../domain/focus.ts';
import type { Capability } from '../../domain/permissions.ts';
import { isOpen } from '../../domain/task.ts';
import {
  type AccountId,
  type AccountRef,
  CampaignId,
  MemberId,
  needsComment,
  TaskId,
  verdicts,
} from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Modules } from '../../kit/modules.ts';
import { createWaitingTasks, noFilter } from '../../kit/waiting-tasks.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Actor, Authorized, Entry } from '../../slack/feature.ts';
import { plain } from '../../slack/mrkdwn.ts';
import { isRedisUnavailable } from '../../store/redis.ts';
import { type Assigning, memberMayNotRate } from '../assignments/public.ts';
import {
  answerOf,
  type DecisionForms,
  type Decisions,
  type FormOutcome,
  keepText,
  undoAnswer,
} from '../decide/public.ts';
import type { Shapes } from './shape.ts';
import type { Words } from './words.ts';

/** A request that is refused: the status, and the sentence for whoever made it. */
export class DeskRefusal extends Error {
  override readonly name = 'DeskRefusal';
  readonly status: number;
  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/** The most tasks of the queue; and of one request for rows, of one press, and of those held ahead. */
const mostQueued = 10_000;
const [mostRows, mostRated, mostAhead] = [200, 100, 20];
const [mostMembers, mostLookedUp] = [20, 100];

export type DeskActDeps = Modules & {
  /** The acts of the cards. */
  readonly decisions: Pick<Decisions, 'undo'>;
  readonly forms: Pick<DecisionForms, 'decide'>;
  readonly assigning: Assigning;
  /** Returns why the note was not left. */
  readonly leaveNote: (
    actor: Pick<Actor, 'member' | 'how'>,
    ref: AccountRef,
    task: TaskId,
    note: { readonly id: string; readonly text: string },
  ) => Promise<string | undefined>;
};

/** What a page asks, in the account of its session. */
export interface Asked extends Authorized {
  readonly account: AccountId;
  readonly given: unknown;
  /** The token of the session, and what tells it from others. */
  readonly token: string;
  readonly session: string;
  /** Whether nobody waits for the answer any more. */
  readonly isGone: () => boolean;
}

/** Whoever asks, with the account, once they have the right. */
type InAccount = Asked & { readonly ref: AccountRef };

/** Returns the entry of a request. @param schema what it has to say */
export function onAsked<Schema extends z.ZodType>(
  needs: Capability | { readonly needs: Capability; readonly also: readonly Capability[] },
  schema: Schema,
  run: (asked: InAccount, given: z.output<Schema>) => Promise<unknown>,
): Entry<Asked, unknown> {
  return {
    ...(typeof needs === 'string' ? { needs } : needs),
    async run(asked: Asked) {
      const given = schema.safeParse(asked.given);
      if (!given.success)
        throw new DeskRefusal(400, 'Something is wrong with this request. Reload the page.');
      const ref = await asked.authorize({ account: asked.account });
      return run({ ...asked, ref }, given.data);
    },
  };
}

/** Returns what a message says, in mrkdwn. */
export function textOf(message: Message | undefined): string {
  const texts = (message?.blocks ?? []).flatMap((block) =>
    block.type === 'section' ? (block.text?.text ?? []) : [],
  );
  return texts.join(' ');
}

const short = z.string().max(300);
const id = z.string().regex(/^[\w-]{1,64}$/);
const round = z.int().positive();
const none = z.object({});

/** Creates what the page can ask for and do, by method and path below `/desk/api`. */
export function createDeskActs(deps: DeskActDeps, shapes: Shapes, words: Words) {
  const { clock, people, tasks } = deps;
  const waiting = createWaitingTasks(deps);

  /** Returns what became of an act. @param said in mrkdwn */
  async function done(
    asked: InAccount,
    task: TaskId,
    kind: desk.Outcome['kind'],
    said = '',
  ): Promise<desk.Outcome> {
    const [row] = await shapes.rowsOf(asked, asked.ref, await tasks.getMany(asked.ref, [task]));
    return { task, kind, sentence: said === '' ? undefined : await words.inWords(asked, said), row };
  }

  /** Returns what became of a decision, in mrkdwn: without the line that names its task, and the text, which the page has. */
  function decided(outcome: FormOutcome): readonly [kind: desk.Outcome['kind'], said?: string] {
    if (outcome.kind === 'refused') return ['refused', outcome.sentence];
    if (outcome.kind === 'undone') return ['missed', 'This rating was undone in the meantime.'];
    if (outcome.kind === 'missed' && outcome.lost !== undefined && outcome.lost.task.round !== outcome.round)
      return ['missed', 'The worker has resubmitted this task, so nothing was sent. Look at it again.'];
    const said = textOf(answerOf(outcome.kind === 'missed' ? { ...outcome, text: '' } : outcome));
    return [outcome.kind === 'decided' ? 'done' : 'missed', said.slice(said.indexOf('\n') + 1)];
  }

  const rated = z.object({
    verdict: z.enum(verdicts),
    comment: z.string().max(10_000),
    reason: short.optional(),
    tasks: z
      .array(z.object({ id, task: TaskId, round }))
      .min(1)
      .max(mostRated),
  });
  const rate = onAsked('rate', rated, async (asked, { verdict, comment, reason, tasks: all }) => {
    const { account, member } = asked;
    const text = comment.trim();
    // An OK has no text that could be offered again.
    const form = needsComment(verdict) ? { form: clock.now() } : {};
    const one = async ({ id: given, task, round: seen }: (typeof all)[number]): Promise<desk.Outcome> => {
      const state = { account, task, round: seen, verdict, isOfMany: all.length > 1, ...form };
      const outcome = await deps.forms.decide(
        { ...asked, id: `desk ${member} ${given}`, state },
        { text, chosen: reason },
      );
      return done(asked, task, ...decided(outcome));
    };
    // One that cannot be rated keeps nobody from the others; while Redis is away, all are asked for again.
    const orRefused = (error: unknown, { task }: (typeof all)[number]): desk.Outcome => {
      if (isRedisUnavailable(error)) throw error;
      if (error instanceof UserError) return { task, kind: 'refused', sentence: plain(error.message) };
      deps.log.error({ err: error, task }, 'not rated at the desk');
      return { task, kind: 'refused', sentence: 'This could not be rated. Try again.' };
    };
    const outcomes = all.map((each) => one(each).catch((error: unknown) => orRefused(error, each)));
    return (await Promise.all(outcomes)) satisfies desk.Rated;
  });

  const undo = onAsked(
    { needs: 'rate', also: ['undo'] },
    z.object({ task: TaskId, decision: z.string().min(1).max(200) }),
    async (asked, { task, decision }) => {
      const outcome = await deps.decisions.undo(asked, { ref: asked.ref, task }, decision);
      const isUndone = outcome.kind === 'undone' || outcome.kind === 'undone before';
      return done(asked, task, isUndone ? 'done' : 'missed', textOf(undoAnswer(outcome)));
    },
  );

  const assign = onAsked(
    'rate',
    z.object({ task: TaskId, seen: short, to: MemberId.optional() }),
    async (asked, { task, seen, to }) => {
      const { ref, member } = asked;
      const assignee = to && { member: to };
      if (assignee && to !== member && !(await deps.assigning.canHave(ref, assignee)))
        return done(asked, task, 'refused', memberMayNotRate);
      const { isChanged, outcome } = await deps.assigning.change(asked, ref, { task, seen }, assignee);
      return isChanged ? done(asked, task, 'done') : done(asked, task, 'missed', outcome);
    },
  );

  const look = onAsked(
    'rate',
    z.object({
      tab: id,
      task: TaskId.optional(),
      ahead: z.array(TaskId).max(mostAhead),
      ask: z.array(TaskId).max(mostAhead).default([]),
    }),
    async ({ ref, ...reader }, { tab, task, ahead, ask }): Promise<desk.Looked> => {
      const { member } = reader;
      const owner = `desk-${member}-${tab}`;
      const { ahead: before = [] } = (await tasks.focusSessions.get(ref, owner)) ?? {};
      const wanted = [...new Set([...(task === undefined ? [] : [task]), ...ahead])];
      const release = before.filter((one) => !wanted.includes(one));
      const { held } = await tasks.leases.take(ref, owner, { count: 0, keep: wanted, release });
      await tasks.focusSessions.put(ref, {
        ...newFocus({ id: owner, member, filter: noFilter }),
        ...(task === undefined ? {} : { current: task }),
        ahead: held,
      });
      const others = await shapes.holders(reader, ref, [...new Set([...wanted, ...ask])]);
      return {
        others: Object.fromEntries(others.map((one) => [one.task, one.name])),
        looking: others.flatMap((one) => (one.isLooking ? one.task : [])),
      };
    },
  );

  const queue = onAsked(
    'rate',
    z.object({
      campaign: CampaignId.optional(),
      worker: short.optional(),
      country: short.optional(),
      text: short.optional(),
      mine: z.literal('1').optional(),
    }),
    async ({ ref, member, isGone }, { campaign, mine, ...given }): Promise<desk.Queue> => {
      const filter = {
        ...given,
        ...(campaign && { campaigns: [campaign] }),
        ...(mine && { mine: true }),
        label: '',
      };
      const all = await waiting.inOrder(ref, member, filter as FocusFilter, isGone);
      return { tasks: all.slice(0, mostQueued), more: Math.max(0, all.length - mostQueued) };
    },
  );

  /** Returns the members of an account: its owners, those who were given a role, and those of its channels. */
  async function membersOf(ref: AccountRef): Promise<MemberId[]> {
    const [owners, { grants }, subscriptions] = await Promise.all([
      people.access.ownersOf(ref),
      people.grants.of(ref),
      deps.channels.subscriptions.ofAccount(ref),
    ]);
    const places = subscriptions.map(({ channel }) => ({ kind: 'channel', id: channel }) as const);
    const found = [...grants.map(({ to }) => to), ...places].map(async (to) =>
      to.kind === 'member' ? [to.id] : people.slack.members(ref.workspace, to, { isFresh: false }),
    );
    return [...new Set([...owners, ...(await Promise.all(found)).flat()])];
  }

  const members = onAsked('rate', z.object({ q: short.default('') }), async ({ ref }, { q }) => {
    // Channels may have thousands of members: Slack is asked for a few of those whose names are not known yet.
    let left = mostLookedUp;
    const named = async (member: MemberId) => {
      const known = await people.slack.known(ref.workspace, member);
      if (known === undefined && left === 0) return { member, name: member };
      if (known === undefined) left -= 1;
      return { member, name: known?.name ?? (await words.nameOf(ref.workspace, member)) };
    };
    const found = (await Promise.all((await membersOf(ref)).map(named)))
      .filter(({ name }) => name.toLowerCase().includes(q.trim().toLowerCase()))
      .sort((one, next) => one.name.localeCompare(next.name))
      .slice(0, mostMembers);
    const may = await Promise.all(found.map((to) => deps.assigning.canHave(ref, to)));
    return found.filter((_, index) => may[index]) satisfies desk.Members;
  });

  const typed = onAsked(
    'rate',
    z.object({ task: TaskId, round, verdict: z.enum(['NOK', 'REVISE']), text: z.string().max(10_000) }),
    async ({ ref, member }, { task: about, round: of, verdict, text }) => {
      const task = await tasks.get(ref, about);
      const typed = { verdict, text, form: clock.now(), from: 'typed' } as const;
      // One that arrives after the rating must not be offered again.
      if (task !== undefined && isOpen(task) && task.round === of)
        await keepText(deps, ref, { task: about, round: of, member }, typed);
      return {};
    },
  );

  return {
    'GET me': onAsked('rate', none, async ({ ref, session, ...reader }): Promise<desk.Me> => {
      const [name, waitingIn, warnings] = await Promise.all([
        words.nameOf(ref.workspace, reader.member),
        shapes.waitingCampaigns(ref),
        shapes.warnings(reader, ref),
      ]);
      return {
        session,
        member: reader.member,
        name,
        now: clock.now(),
        campaigns: waitingIn,
        warnings,
      };
    }),
    'GET queue': queue,
    'GET members': members,
    'GET tasks': onAsked('rate', z.object({ task: TaskId }), async ({ ref, ...reader }, { task }) => {
      const found = await shapes.taskOf(reader, ref, task);
      if (found === undefined) throw new DeskRefusal(404, 'Proofdesk can’t find this task any more.');
      return found;
    }),
    'POST rows': onAsked(
      'rate',
      z.object({ tasks: z.array(TaskId).max(mostRows) }),
      async ({ ref, ...reader }, given) => shapes.rowsOf(reader, ref, await tasks.getMany(ref, given.tasks)),
    ),
    'POST look': look,
    'POST rate': rate,
    'POST undo': undo,
    'POST assign': assign,
    'POST note': onAsked(
      'note',
      z.object({ task: TaskId, id, text: z.string().max(10_000) }),
      async (asked, note) => {
        const given = { id: `desk-${asked.member}-${note.id}`, text: note.text.trim() };
        const problem = await deps.leaveNote(asked, asked.ref, note.task, given);
        return done(asked, note.task, problem === undefined ? 'done' : 'refused', problem);
      },
    ),
    'POST typed': typed,
  } satisfies Record<string, Entry<Asked, unknown>>;
}
