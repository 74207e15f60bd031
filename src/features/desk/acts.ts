import type * as desk from '@proofdesk/desk/protocol';
import { z } from 'zod';
import { assignmentVersion } from '../../domain/assignment.ts';
import { chunksOf } from '../../domain/collections.ts';
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
import type { Modules } from '../../kit/modules.ts';
import { createWaitingTasks, noFilter } from '../../kit/waiting-tasks.ts';
import type { Actor, Authorized, Entry } from '../../slack/feature.ts';
import { goneText } from '../../ui/task.view.ts';
import { type Assigning, memberMayNotRate } from '../assignments/public.ts';
import {
  answerOf,
  type DecisionForms,
  type Decisions,
  type FormOutcome,
  keepText,
  undoAnswer,
} from '../decide/public.ts';
import { DeskRefusal } from './refusals.ts';
import type { Shapes } from './shape.ts';
import type { Words } from './words.ts';

/** The most tasks of the queue; and of one request for rows, of one press, and of those held ahead. */
const mostQueued = 10_000;
const [mostRows, mostRated, mostAhead] = [200, 100, 20];
const ratedAtOnce = 10;
const mostMembers = 20;
/** Channels may have thousands of members: no more of them are looked up. */
const mostLookedUp = 100;

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
}

/** Returns the entry of a request. @param schema what it has to say */
export function onAsked<Schema extends z.ZodType>(
  needs: Capability | { readonly needs: Capability; readonly also: readonly Capability[] },
  schema: Schema,
  run: (asked: Authorized & { readonly ref: AccountRef }, given: z.output<Schema>) => Promise<unknown>,
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

const short = z.string().max(300);
const id = z.string().regex(/^[\w-]{1,64}$/);
const round = z.int().positive();
const none = z.object({});

/** Creates what the page can ask for and do, by method and path below `/desk/api`. */
export function createDeskActs(deps: DeskActDeps, shapes: Shapes, words: Words) {
  const { clock, people, tasks } = deps;
  const waiting = createWaitingTasks(deps);

  const done = async (
    asked: Authorized & { readonly ref: AccountRef },
    task: TaskId,
    outcome: Omit<desk.Outcome, 'task' | 'row'>,
  ): Promise<desk.Outcome> => ({
    task,
    ...outcome,
    ...(await shapes.rowNow(asked, asked.ref, task)),
  });

  /** Returns what became of a decision, in words. */
  async function decided(actor: Actor, outcome: FormOutcome): Promise<Omit<desk.Outcome, 'task' | 'row'>> {
    if (outcome.kind === 'refused') return { kind: 'refused', sentence: outcome.sentence };
    if (outcome.kind === 'undone')
      return { kind: 'missed', sentence: 'This rating was undone in the meantime.' };
    if (outcome.kind === 'missed' && outcome.lost !== undefined && outcome.lost.task.round !== outcome.round)
      return {
        kind: 'missed',
        sentence: 'The worker has resubmitted this task, so nothing was sent. Look at it again.',
      };
    // The page still has the text.
    const said = answerOf(outcome.kind === 'missed' ? { ...outcome, text: '' } : outcome);
    const sentence = said && (await words.saying(actor, said));
    return { kind: outcome.kind === 'decided' ? 'done' : 'missed', ...(sentence ? { sentence } : {}) };
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
    const { ref } = asked;
    const one = async ({ id: given, task, round: seen }: (typeof all)[number]): Promise<desk.Outcome> => {
      const outcome = await deps.forms.decide(
        {
          ...asked,
          id: `desk ${asked.member} ${given}`,
          ref,
          state: {
            account: ref.account,
            task,
            round: seen,
            verdict,
            // An OK has no text that could be offered again.
            ...(needsComment(verdict) ? { form: clock.now() } : {}),
            isOfMany: all.length > 1,
          },
        },
        { text: comment.trim(), chosen: reason },
      );
      return done(asked, task, await decided(asked, outcome));
    };
    const outcomes: desk.Outcome[] = [];
    for (const some of chunksOf(all, ratedAtOnce)) outcomes.push(...(await Promise.all(some.map(one))));
    return outcomes satisfies desk.Rated;
  });

  const undo = onAsked(
    { needs: 'rate', also: ['undo'] },
    z.object({ task: TaskId, decision: z.string().min(1).max(200) }),
    async (asked, { task, decision }) => {
      const outcome = await deps.decisions.undo(asked, { ref: asked.ref, task }, decision);
      const said = undoAnswer(outcome);
      const isUndone = outcome.kind === 'undone' || outcome.kind === 'undone before';
      return done(asked, task, {
        kind: isUndone ? 'done' : 'missed',
        ...(said ? { sentence: await words.saying(asked, said) } : {}),
      });
    },
  );

  /** Changes whose a task is, unless it is somebody else's than was shown. */
  const assigning = <Schema extends z.ZodType<{ task: TaskId; seen: string; to?: MemberId | undefined }>>(
    schema: Schema,
    isTake: boolean,
  ) =>
    onAsked('rate', schema, async (asked, { task: about, seen, to: wanted }) => {
      const { ref, member } = asked;
      const to = isTake ? { member } : wanted && { member: wanted };
      if (to !== undefined && !isTake && !(await deps.assigning.canHave(ref, to)))
        return done(asked, about, { kind: 'refused', sentence: memberMayNotRate });
      const task = await tasks.get(ref, about);
      if (task === undefined) return done(asked, about, { kind: 'missed', sentence: goneText });
      const isAsSeen = ((await shapes.assigneeOf(ref, task)) ?? '') === seen;
      const version = isAsSeen ? assignmentVersion(task.assignment) : 'another';
      const { isChanged, outcome } = await deps.assigning.change(
        asked,
        ref,
        { task: about, seen: version },
        to,
      );
      if (isChanged) return done(asked, about, { kind: 'done' });
      return done(asked, about, { kind: 'missed', sentence: await words.inWords(asked, outcome) });
    });

  const look = onAsked(
    'rate',
    z.object({ tab: id, task: TaskId.optional(), ahead: z.array(TaskId).max(mostAhead) }),
    async ({ ref, member }, { tab, task, ahead }): Promise<desk.Looked> => {
      const owner = `desk-${member}-${tab}`;
      const before = await tasks.focusSessions.get(ref, owner);
      const wanted = [...new Set([...(task === undefined ? [] : [task]), ...ahead])];
      const release = [before?.current ?? [], before?.ahead ?? []]
        .flat()
        .filter((one) => !wanted.includes(one));
      const { held } = await tasks.leases.take(ref, owner, { count: 0, keep: wanted, release });
      await tasks.focusSessions.put(ref, {
        ...newFocus({ id: owner, member, filter: noFilter }),
        ...(task === undefined ? {} : { current: task }),
        ahead: held.filter((one) => one !== task),
      });
      const others = await shapes.holders(ref, member, wanted);
      const named = [...others].map(
        async ([one, { by }]) => [one, await words.nameOf(ref.workspace, by)] as const,
      );
      return { others: Object.fromEntries(await Promise.all(named)) };
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
    async ({ ref, member }, { campaign, worker, country, text, mine }): Promise<desk.Queue> => {
      const filter: FocusFilter = {
        ...(campaign ? { campaigns: [campaign] } : {}),
        ...(worker ? { worker } : {}),
        ...(country ? { country } : {}),
        ...(text ? { text } : {}),
        ...(mine ? { mine: true } : {}),
        label: '',
      };
      const all = await waiting.inOrder(ref, member, filter);
      return { tasks: all.slice(0, mostQueued), more: Math.max(0, all.length - mostQueued) };
    },
  );

  /** Returns the members who may have a role in an account: those who were given one, and those of its channels. */
  async function candidates(ref: AccountRef): Promise<MemberId[]> {
    const { workspace } = ref;
    const [{ grants }, owners, channels] = await Promise.all([
      people.grants.of(ref),
      people.access.ownersOf(ref),
      deps.channels.subscriptions.ofAccount(ref),
    ]);
    const groups = grants.flatMap(({ to }) => (to.kind === 'member' ? [] : [to]));
    const subscribed = channels.map(({ channel }) => ({ kind: 'channel', id: channel }) as const);
    const found = await Promise.all(
      [...groups, ...subscribed].map((group) => people.slack.members(workspace, group, { isFresh: false })),
    );
    const named = grants.flatMap(({ to }) => (to.kind === 'member' ? [to.id] : []));
    return [...new Set([...named, ...owners, ...found.flat()])].slice(0, mostLookedUp);
  }

  const members = onAsked(
    'rate',
    z.object({ q: short.optional() }),
    async ({ ref }, { q = '' }): Promise<desk.Members> => {
      const found: { member: MemberId; name: string }[] = [];
      for (const some of chunksOf(await candidates(ref), ratedAtOnce)) {
        const named = some.map(async (member) => ({ member, name: (await shapes.rater(ref, member)) ?? '' }));
        const wanted = q.trim().toLowerCase();
        found.push(
          ...(await Promise.all(named)).filter(
            ({ name }) => name !== '' && name.toLowerCase().includes(wanted),
          ),
        );
      }
      return found.sort((one, next) => one.name.localeCompare(next.name)).slice(0, mostMembers);
    },
  );

  const typed = onAsked(
    'rate',
    z.object({ task: TaskId, round, verdict: z.enum(['NOK', 'REVISE']), text: z.string().max(10_000) }),
    async ({ ref, member }, { task: about, round: of, verdict, text }) => {
      const task = await tasks.get(ref, about);
      // One that arrives after the rating must not be offered again.
      if (task !== undefined && isOpen(task) && task.round === of)
        await keepText(
          deps,
          ref,
          { task: about, round: of, member },
          { verdict, text, form: clock.now(), from: 'typed' },
        );
      return {};
    },
  );

  return {
    'GET me': onAsked('rate', none, async ({ ref, ...reader }): Promise<desk.Me> => {
      const [name, waitingIn, warnings] = await Promise.all([
        words.nameOf(ref.workspace, reader.member),
        shapes.waitingCampaigns(ref),
        shapes.warnings(reader, ref),
      ]);
      return {
        member: reader.member,
        name,
        now: clock.now(),
        undoSeconds: clock.undoSeconds,
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
    'POST take': assigning(z.object({ task: TaskId, seen: short }), true),
    'POST assign': assigning(z.object({ task: TaskId, seen: short, to: MemberId.optional() }), false),
    'POST note': onAsked(
      'note',
      z.object({ task: TaskId, id, text: z.string().max(10_000) }),
      async (asked, note) => {
        const given = { id: `desk-${asked.member}-${note.id}`, text: note.text.trim() };
        const sentence = await deps.leaveNote(asked, asked.ref, note.task, given);
        return done(
          asked,
          note.task,
          sentence === undefined ? { kind: 'done' } : { kind: 'refused', sentence },
        );
      },
    ),
    'POST typed': typed,
  } satisfies Record<string, Entry<Asked, unknown>>;
}
