import { type AssignedNotice, assignedCounts, levelOf } from '../../domain/assigned-notice.ts';
import { isOpen } from '../../domain/task.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { LiveMessageKind } from '../../kit/live-message.ts';
import type { Modules } from '../../kit/modules.ts';
import { messageTag } from '../../slack/message-tags.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { AssignmentNews } from '../../store/assignments.ts';
import { noticeMessage } from './assignments.view.ts';

type Deps = Modules & {
  readonly reminderPaceMs: number;
  /** Returns whether a member may have tasks: only they are told. */
  readonly canHave: (ref: AccountRef, member: MemberId) => Promise<boolean>;
};

/** Delay before a new assignment is announced (ms), so that several share one message. */
export const waitMs = 2_000;

/** An assignment to announce, and who made it. */
interface Told extends AssignmentNews {
  readonly by: MemberId;
}

/**
 * Creates the notices to members about their tasks: one direct message each. A new message is posted when something was
 * assigned to them, and when one of their tasks reaches 48, 24 or 6 hours before its deadline; the previous message then
 * says so. Its counts are refreshed after each poll, and again before posting.
 */
export function createNotices(deps: Deps) {
  const { slack, tasks, clock } = deps;

  /** Returns the assignments to announce that are still valid. Removes the others. */
  async function currentNews(ref: AccountRef): Promise<Told[]> {
    const current: Told[] = [];
    const over: AssignmentNews[] = [];
    for (const one of await tasks.assignments.news(ref)) {
      const task = await tasks.get(ref, one.task);
      if (task?.assignment?.to !== one.to || !isOpen(task)) over.push(one);
      // A member who assigns one task may continue with others.
      else if (task.assignment.at <= clock.now() - waitMs) current.push({ ...one, by: task.assignment.by });
    }
    await tasks.assignments.newsTold(ref, over);
    return current;
  }

  /** Recounts a member's tasks. Returns the content of their notice. */
  async function count(
    ref: AccountRef,
    member: MemberId,
    all: readonly Told[],
  ): Promise<{ record: AssignedNotice | undefined; changed: boolean }> {
    const before = await slack.assignedNotices.get(ref, member);
    const news = all.filter(({ to }) => to === member);
    const counts = assignedCounts(await tasks.assignments.allOf(ref, member), clock.now());
    const event = {
      type: 'counted',
      member,
      channel: before?.channel ?? (await slack.messengerOf(ref.workspace).directChannel(member)),
      counts,
      news,
      at: clock.now(),
      paceMs: deps.reminderPaceMs,
    } as const;
    return slack.assignedNotices.apply(ref, member, event);
  }

  /** Returns the members to count for: those with new assignments, near deadlines, or an existing message. */
  async function concerned(ref: AccountRef, news: readonly Told[]): Promise<Set<MemberId>> {
    const found = new Set((await slack.assignedNotices.shown(ref)).map(({ member }) => member));
    for (const member of await tasks.assignments.assignees(ref)) {
      if (found.has(member)) continue;
      const isNew = news.some(({ to }) => to === member);
      const counts = assignedCounts(await tasks.assignments.allOf(ref, member), clock.now());
      if ((isNew || levelOf(counts) > 0) && (await deps.canHave(ref, member))) found.add(member);
    }
    return found;
  }

  /** Counts members' tasks. */
  async function refresh(ref: AccountRef): Promise<void> {
    const news = await currentNews(ref);
    const waiting = new Set<number>();
    for (const member of await concerned(ref, news)) {
      const counted = await count(ref, member, news).catch((error: unknown) => {
        if (!(error instanceof SlackError)) throw error;
        deps.log.warn({ ...ref, member, code: error.code }, 'member not told of their tasks');
        return error.kind === 'refused' ? 'unreachable' : undefined;
      });
      if (counted === 'unreachable') continue;
      const record = counted?.record;
      for (const { number, to } of news)
        if (to === member && (record?.toldUpTo ?? 0) < number) waiting.add(number);
    }
    await tasks.assignments.newsTold(
      ref,
      news.filter(({ number }) => !waiting.has(number)),
    );
  }

  const recount = async (ref: AccountRef, member: MemberId) => count(ref, member, await currentNews(ref));

  return {
    refresh,
    kind: {
      ...noticeKind(deps),
      count: recount,
      // The message is final; the next one is posted anew, so that the member is notified.
      async afterRender(ref, { card, member, state }) {
        if (card.state !== 'posted' || state === 'some') return undefined;
        await slack.assignedNotices.apply(ref, member, { type: 'card-gone', messageRef: card });
        // The previous message announces this one.
        if (state === 'renewed') await recount(ref, member);
        return undefined;
      },
    } satisfies LiveMessageKind<AssignedNotice, MemberId>,
    jobs: { 'count-assigned': (ref: Payload<'count-assigned'>) => refresh(ref) },
  };
}

/** Returns the message kind that mirrors a member's notice. */
function noticeKind({ slack }: Modules): LiveMessageKind<AssignedNotice, MemberId> {
  return {
    records: slack.assignedNotices,
    channelFor: async (_, { channel }) => channel,
    tagFor: ({ account }, _, { at }) => messageTag('assigned', account, { begun: at }),
    render: (ref, content) => noticeMessage(ref.account, content),
  };
}
