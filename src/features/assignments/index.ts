import type { ModalView } from '@slack/types';
import { isOpen, type Task } from '../../domain/task.ts';
import { type AccountRef, MemberId, type TaskId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCard, onForm } from '../../kit/on.ts';
import { notice } from '../../slack/blocks.ts';
import type { Actor, Feature } from '../../slack/feature.ts';
import { picked } from '../../slack/form-values.ts';
import { goneText, happenedText } from '../../ui/task.view.ts';
import {
  assignModal,
  assignState,
  changedText,
  memberMayNotRate,
  overtakenText,
} from './assignments.view.ts';
import { createNotices, waitMs } from './notices.ts';

type Deps = Modules & {
  readonly reminderPaceMs: number;
  /** Returns the modal with the assignment buttons, for the current task. */
  readonly detailsOf: (ref: AccountRef, task: Task, member: MemberId, outcome: string) => Promise<ModalView>;
};

/** The task to change, and the assignment that was shown. */
interface Wanted {
  readonly task: TaskId;
  readonly seen: string;
}

/** Creates assignments: take a task, assign it, release it. They are not binding: the first decision wins. */
export function createAssignmentsFeature(deps: Deps) {
  const { jobs, tasks, clock, people } = deps;
  /** Returns whether a task can be assigned to a member: to one who may rate. */
  const canHave = (ref: AccountRef, member: MemberId) =>
    people.access.has({ workspace: ref.workspace, team: ref.workspace, member }, ref, 'rate');
  const notices = createNotices({ ...deps, canHave });

  /** Changes a task's assignment. Returns the current task, and the outcome text. */
  async function change(
    { member, how }: Pick<Actor, 'member' | 'how'>,
    ref: AccountRef,
    { task: id, seen }: Wanted,
    to?: MemberId,
  ): Promise<{ readonly task: Task | undefined; readonly isChanged?: true; readonly outcome: string }> {
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
      if (to !== undefined && to !== member)
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
  const changes = (toOf: (member: MemberId) => MemberId | undefined) =>
    onCard(deps, 'rate', async (click) => {
      const { ref, member, value: seen } = click;
      const { task, isChanged, outcome } = await change(
        click,
        ref,
        { task: click.task.id, seen },
        toOf(member),
      );
      if (task !== undefined && click.view !== undefined)
        return click.show(await deps.detailsOf(ref, task, member, outcome), outcome);
      if (!isChanged) await click.answer(notice(outcome));
    });
  const take = changes((member) => member);

  const submit = onForm(assignState, 'rate', async (submission) => {
    const { ref, state } = submission;
    const { above, ...wanted } = state;
    const to = MemberId.optional().parse(picked(submission.values, 'member'));
    if (to === undefined || !(await canHave(ref, to))) return { errors: { member: memberMayNotRate } };
    return {
      async afterwards() {
        const { task, outcome } = await change(submission, ref, wanted, to);
        if (task === undefined || above === undefined) return submission.answer(notice(outcome));
        const shown = await deps.detailsOf(ref, task, submission.member, outcome);
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
    canHave,
    message: notices.kind,
    jobs: notices.jobs,
    afterPoll: notices.refresh,
  };
}
