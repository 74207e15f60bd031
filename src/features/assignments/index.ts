import type { ModalView } from '@slack/types';
import type { Assignee } from '../../domain/assignment.ts';
import { chunksOf } from '../../domain/collections.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import { type AccountRef, MemberId, type TaskId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCard, onForm } from '../../kit/on.ts';
import { notice } from '../../slack/blocks.ts';
import type { Actor, Feature, Submission } from '../../slack/feature.ts';
import { chosen, picked } from '../../slack/form-values.ts';
import { goneText, happenedText } from '../../ui/task.view.ts';
import { noGroups, noGroupsText } from '../people/public.ts';
import {
  assignModal,
  assignState,
  changedText,
  chooseOne,
  groupMayNotRate,
  memberMayNotRate,
  overtakenText,
} from './assignments.view.ts';
import { createNotices, waitMs } from './notices.ts';

type Deps = Modules & {
  readonly reminderPaceMs: number;
  /** Returns the modal with the assignment buttons, for the current task. */
  readonly detailsOf: (
    ref: AccountRef,
    task: Task,
    member: MemberId,
    shown: { readonly outcome: string },
  ) => Promise<ModalView>;
};

/** The task to change, and the assignment that was shown. */
interface Wanted {
  readonly task: TaskId;
  readonly seen: string;
}

/** Creates assignments: take a task, assign it, release it. They are not binding: the first decision wins. */
export function createAssignmentsFeature(deps: Deps) {
  const { jobs, tasks, clock } = deps;
  const assignees = createAssignees(deps);
  const notices = createNotices({ ...deps, assignees });

  /** Changes a task's assignment. Returns the current task, and the outcome text. */
  async function change(
    { member, how }: Pick<Actor, 'member' | 'how'>,
    ref: AccountRef,
    { task: id, seen }: Wanted,
    to?: Assignee,
  ): Promise<{ readonly task: Task | undefined; readonly isChanged?: true; readonly outcome: string }> {
    const isOwn = to !== undefined && 'member' in to && to.member === member;
    const event = {
      type: 'assigned',
      ...(to ? { to } : {}),
      by: member,
      how,
      at: clock.now(),
      seen,
    } as const;
    const { kind, task } = await tasks.apply(ref, id, event);
    if (task === undefined) return { task, outcome: goneText };
    if (kind !== 'rejected') {
      await deps.slack.cards.clicked(ref, task);
      // Assignments made shortly after each other are counted together.
      const turn = Math.ceil((clock.now() + waitMs) / waitMs);
      if (to !== undefined && !isOwn)
        await jobs.add('count-assigned', ref, {
          delayMs: turn * waitMs - clock.now(),
          uniqueKey: `${ref.account} ${turn}`,
        });
      return { task, isChanged: true, outcome: changedText(to, member) };
    }
    const outcome = isOpen(task) ? overtakenText(task.assignment, member) : happenedText(task, member);
    return { task, outcome };
  }

  /** Runs a click. In the modal, its outcome is shown there; on a card, the card shows it unless nothing has changed. */
  const changes = (toOf: (member: MemberId) => Assignee | undefined) =>
    onCard(deps, 'rate', async (click) => {
      const { ref, member, value: seen } = click;
      const { task, isChanged, outcome } = await change(
        click,
        ref,
        { task: click.task.id, seen },
        toOf(member),
      );
      if (task !== undefined && click.view !== undefined)
        return click.show(await deps.detailsOf(ref, task, member, { outcome }), outcome);
      if (!isChanged) await click.answer(notice(outcome));
    });
  const take = changes((member) => ({ member }));

  const submit = onForm(assignState, 'rate', async (submission) => {
    const { ref, state } = submission;
    const { above, ...wanted } = state;
    const to = assigneeIn(submission);
    if (to === undefined) return { errors: { member: chooseOne } };
    if ('group' in to && to.group === noGroups) return { errors: { group: noGroupsText } };
    if (!(await assignees.canHave(ref, to)))
      return 'member' in to
        ? { errors: { member: memberMayNotRate } }
        : { errors: { group: groupMayNotRate } };
    return {
      async afterwards() {
        const { task, outcome } = await change(submission, ref, wanted, to);
        if (task === undefined || above === undefined) return submission.answer(notice(outcome));
        const shown = await deps.detailsOf(ref, task, submission.member, { outcome });
        await submission.show(shown, outcome, { view: above });
      },
    };
  });

  const feature: Feature = {
    clicks: {
      'assignment.take': take,
      'task.more.take': take,
      'task.more.release': changes(() => undefined),
      'assignment.open': onCard(deps, 'rate', ({ ref, task, value: seen, view, open }) =>
        open(assignModal(assignState.encode({ account: ref.account, task: task.id, seen, above: view?.id }))),
      ),
    },
    submissions: { 'assignment.assign': submit },
  };

  return {
    feature,
    change,
    canHave: assignees.canHave,
    message: notices.kind,
    jobs: notices.jobs,
    afterPoll: notices.refresh,
  };
}

/** Returns the assignee chosen in the form; undefined for none, or for both. */
function assigneeIn({ values }: Pick<Submission, 'values'>): Assignee | undefined {
  const member = picked(values, 'member');
  const group = chosen(values, 'group');
  if (member !== undefined && group !== undefined) return undefined;
  if (member !== undefined) return { member: MemberId.parse(member) };
  return group === undefined ? undefined : { group };
}

/**
 * Maximum size of a user group whose members are notified individually. Larger groups have the reminders of their
 * channel.
 */
export const toldOfGroup = 25;
const askedAtOnce = 10;

/** Creates the resolution of assignees to members; only those who may rate count. */
export function createAssignees({ people }: Modules) {
  const mayRate = (ref: AccountRef, member: MemberId) =>
    people.access.has({ workspace: ref.workspace, team: ref.workspace, member }, ref, 'rate');

  const membersOf = ({ workspace }: AccountRef, group: string) =>
    people.slack.members(workspace, { kind: 'group', id: group }, { isFresh: false });

  async function raters(ref: AccountRef, members: readonly MemberId[]): Promise<MemberId[]> {
    const found: MemberId[] = [];
    for (const some of chunksOf([...members], askedAtOnce)) {
      const may = await Promise.all(some.map((member) => mayRate(ref, member)));
      found.push(...some.filter((_, index) => may[index]));
    }
    return found;
  }

  return {
    /** Returns whether a task can be assigned to a member who may rate, or to a user group that contains one. */
    async canHave(ref: AccountRef, to: Assignee): Promise<boolean> {
      if ('member' in to) return mayRate(ref, to.member);
      for (const some of chunksOf([...(await membersOf(ref, to.group))], askedAtOnce))
        if ((await raters(ref, some)).length > 0) return true;
      return false;
    },

    /** Returns the members notified individually of an assignment. */
    async told(ref: AccountRef, to: Assignee): Promise<readonly MemberId[]> {
      if ('member' in to) return raters(ref, [to.member]);
      const members = await membersOf(ref, to.group);
      return members.length > toldOfGroup ? [] : raters(ref, members);
    },
  };
}
