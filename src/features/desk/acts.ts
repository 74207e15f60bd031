import type * as desk from '@proofdesk/desk/protocol';
import { z } from 'zod';
import { FocusFilter, newFocus } from '../../domain/focus.ts';
import type { Capability } from '../../domain/permissions.ts';
import { isOpen } from '../../domain/task.ts';
import {
  type AccountId,
  type AccountRef,
  MemberId,
  needsComment,
  TaskId,
  verdicts,
} from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Actor, Authorized, Entry } from '../../slack/feature.ts';
import { type Assigning, memberMayNotRate } from '../assignments/public.ts';
import {
  answerOf,
  type DecisionForms,
  type Decisions,
  type FormOutcome,
  keepText,
  undoAnswer,
} from '../decide/public.ts';
import { createWaitingTasks, noFilter } from '../focus/public.ts';
import type { Shapes } from './shape.ts';
import type { Words } from './words.ts';

/** Returns the error of a request that is refused: with the status, and the sentence for whoever made it. */
export const refusal = (status: number, sentence: string) =>
  Object.assign(new UserError(sentence), { status });

/** The most tasks of the queue, of one request for rows, and held ahead; and the most people that Slack is asked about. */
const [mostQueued, mostRows, mostAhead, mostLookedUp] = [10_000, 200, 20, 100];

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

/** Returns the entry of a request. @param schema what it has to say */
export function onAsked<Schema extends z.ZodType>(
  needs: Capability,
  schema: Schema,
  run: (asked: Asked & { readonly ref: AccountRef }, given: z.output<Schema>) => Promise<unknown>,
): Entry<Asked, unknown> {
  return {
    needs,
    also: ['undo'],
    async run(asked: Asked) {
      const given = schema.safeParse(asked.given);
      if (!given.success) throw refusal(400, 'Something is wrong with this request. Reload the page.');
      return run({ ...asked, ref: await asked.authorize({ account: asked.account }) }, given.data);
    },
  };
}

/** Returns what a message says first, in mrkdwn. */
export function textOf(message: Message | undefined): string {
  const said = message?.blocks.find((block) => block.type === 'section');
  return said?.text?.text ?? '';
}

/** Returns what is said of a decision, in mrkdwn: without the line that names its task, which the page shows. */
function saidOf(outcome: FormOutcome): string {
  if (outcome.kind === 'undone') return 'This rating was undone in the meantime.';
  if (outcome.kind === 'missed' && outcome.lost && outcome.lost.task.round !== outcome.round)
    return 'The worker has resubmitted this task, so nothing was sent. Look at it again.';
  const said = textOf(answerOf(outcome));
  return said.slice(said.indexOf('\n') + 1);
}

const short = z.string().max(300);
const long = z.string().max(10_000);
const id = z.string().regex(/^[\w-]{1,64}$/);
const round = z.int().positive();

/** Creates what the page can ask for and do, by method and path below `/desk/api`. */
export function createDeskActs(deps: DeskActDeps, shapes: Shapes, words: Words) {
  const { clock, people, tasks } = deps;
  const waiting = createWaitingTasks(deps);

  /** Returns what became of an act. @param said in mrkdwn */
  async function done(
    asked: Asked & { readonly ref: AccountRef },
    task: TaskId,
    kind: desk.Outcome['kind'],
    said = '',
  ): Promise<desk.Outcome> {
    const [row] = await shapes.rowsOf(asked, asked.ref, await tasks.getMany(asked.ref, [task]));
    return { kind, sentence: said === '' ? undefined : await words.inWords(asked, said), row };
  }

  return {
    'GET me': onAsked('rate', z.object({}), async ({ ref, session, ...reader }): Promise<desk.Me> => {
      const [name, campaigns, warnings] = await Promise.all([
        words.nameOf(ref.workspace, reader.member),
        shapes.waitingCampaigns(ref),
        shapes.warnings(reader, ref),
      ]);
      return { session, member: reader.member, name, now: clock.now(), campaigns, warnings };
    }),

    'POST queue': onAsked('rate', FocusFilter, async ({ ref, member, isGone }, filter) => {
      const all = await waiting.inOrder(ref, member, filter, isGone);
      return all.slice(0, mostQueued);
    }),

    'POST tasks': onAsked('rate', z.object({ task: TaskId }), async ({ ref, ...reader }, { task }) => {
      const found = await shapes.taskOf(reader, ref, task);
      if (found === undefined) throw refusal(404, 'Proofdesk can’t find this task any more.');
      return found;
    }),

    'POST rows': onAsked(
      'rate',
      z.object({
        tasks: z.array(TaskId).max(mostRows),
        tab: id.optional(),
        task: TaskId.optional(),
        ahead: z.array(TaskId).max(mostAhead).default([]),
      }),
      async ({ ref, ...reader }, { tab, tasks: some, task, ahead }) => {
        if (tab !== undefined) {
          // The tab has leases on what it shows now and next, and on nothing else any more.
          const focus = newFocus({
            id: `desk-${reader.member}-${tab}`,
            member: reader.member,
            filter: noFilter,
          });
          const before = await tasks.focusSessions.get(ref, focus.id);
          const keep = [task ?? [], ahead].flat();
          const release = before?.ahead.filter((one) => !keep.includes(one)) ?? [];
          const { held } = await tasks.leases.take(ref, focus.id, { count: 0, keep, release });
          await tasks.focusSessions.put(ref, { ...focus, ...(task && { current: task }), ahead: held });
        }
        return shapes.rowsOf(reader, ref, await tasks.getMany(ref, some));
      },
    ),

    'POST rate': onAsked(
      'rate',
      z.object({
        id,
        task: TaskId,
        round,
        verdict: z.enum(verdicts),
        comment: long,
        reason: short.optional(),
      }),
      async (asked, { id: press, comment, reason, ...of }) => {
        // An OK has no text that could be offered again.
        const form = needsComment(of.verdict) ? { form: clock.now() } : {};
        const outcome = await deps.forms.decide(
          {
            ...asked,
            id: `desk ${asked.member} ${press}`,
            state: { account: asked.account, ...of, ...form },
          },
          { text: comment.trim(), chosen: reason },
        );
        return done(asked, of.task, outcome.kind === 'decided' ? 'done' : 'missed', saidOf(outcome));
      },
    ),

    'POST undo': onAsked(
      'rate',
      z.object({ task: TaskId, decision: short }),
      async (asked, { task, decision }) => {
        const outcome = await deps.decisions.undo(asked, { ref: asked.ref, task }, decision);
        const isUndone = outcome.kind === 'undone' || outcome.kind === 'undone before';
        return done(asked, task, isUndone ? 'done' : 'missed', textOf(undoAnswer(outcome)));
      },
    ),

    'POST assign': onAsked(
      'rate',
      z.object({ task: TaskId, seen: short, to: MemberId.optional() }),
      async (asked, { to, ...wanted }) => {
        if (to && !(await deps.assigning.canHave(asked.ref, to)))
          return done(asked, wanted.task, 'missed', memberMayNotRate);
        const { isChanged, outcome } = await deps.assigning.change(asked, asked.ref, wanted, to);
        return isChanged ? done(asked, wanted.task, 'done') : done(asked, wanted.task, 'missed', outcome);
      },
    ),

    'GET members': onAsked('rate', z.object({}), async ({ ref, workspace }): Promise<desk.Members> => {
      const [owners, { grants }, subscriptions] = await Promise.all([
        people.access.ownersOf(ref),
        people.grants.of(ref),
        deps.channels.subscriptions.ofAccount(ref),
      ]);
      const places = subscriptions.map(({ channel }) => ({ kind: 'channel', id: channel }) as const);
      const found = [...grants.map(({ to }) => to), ...places].map(async (to) =>
        to.kind === 'member' ? [to.id] : people.slack.members(workspace, to.id, { isFresh: false }),
      );
      // Channels may have thousands of members: Slack is asked about a few of those whose names are not known yet.
      let left = mostLookedUp;
      const named = [...new Set([...owners, ...(await Promise.all(found)).flat()])].map(async (member) => {
        const known = await people.slack.known(workspace, member);
        const isAsked = known === undefined && left-- > 0;
        const person = isAsked ? await people.slack.person(workspace, member, { isFresh: false }) : known;
        return person?.name && !person.isBot && !person.isDeactivated ? [{ member, name: person.name }] : [];
      });
      return (await Promise.all(named)).flat().sort((one, next) => one.name.localeCompare(next.name));
    }),

    'POST note': onAsked(
      'note',
      z.object({ task: TaskId, id, text: long }),
      async (asked, { task, ...note }) => {
        const given = { id: `desk-${asked.member}-${note.id}`, text: note.text.trim() };
        const problem = await deps.leaveNote(asked, asked.ref, task, given);
        return done(asked, task, problem === undefined ? 'done' : 'missed', problem);
      },
    ),

    'POST typed': onAsked(
      'rate',
      z.object({ task: TaskId, round, verdict: z.enum(['NOK', 'REVISE']), text: long }),
      async ({ ref, member }, { task: about, round: of, ...typed }) => {
        const task = await tasks.get(ref, about);
        // One that arrives after the rating must not be offered again.
        if (task !== undefined && isOpen(task))
          await keepText(deps, ref, { task: about, round: of, member }, { ...typed, form: clock.now() });
        return {};
      },
    ),
  } satisfies Record<string, Entry<Asked, unknown>>;
}
