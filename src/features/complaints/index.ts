import { isDecided, lookOutcomes } from '../../domain/complaint.ts';
import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId, TaskId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Click, Feature, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { chosen, typed } from '../../slack/form-values.ts';
import { doneBy } from '../shared/audited-act.ts';
import { lookAgainAction, lookAgainValue } from '../shared/complaint.view.ts';
import { shownAbout } from '../shared/complaints.ts';
import type { FeatureContext } from '../shared/context.ts';
import {
  chooseOutcome,
  lookEndedModal,
  lookedAlready,
  lookedModal,
  lookForm,
  lookModal,
  lookState,
  noReason,
  notDecided,
  outcomeInput,
  ownDecision,
  reasonInput,
  taskGone,
} from './look.view.ts';

type Deps = Pick<
  FeatureContext,
  | 'announcements'
  | 'audit'
  | 'campaigns'
  | 'correctionUrl'
  | 'findIndex'
  | 'jobs'
  | 'messengerOf'
  | 'now'
  | 'tasks'
>;

/** Creates *Look again*: a reviewer other than the decider checks a task with a complaint, and records the outcome. */
export function createComplaints(deps: Deps): Feature {
  const { announcements, audit, jobs, messengerOf, tasks } = deps;

  /** Returns a task if a member may check it again. Throws a UserError that says why not. */
  async function taskFor(ref: AccountRef, id: TaskId, member: MemberId): Promise<Task> {
    const task = await tasks.get(ref, id);
    if (task === undefined) throw new UserError(taskGone);
    if (!isDecided(task)) throw new UserError(notDecided);
    if (task.decision?.by === member && task.decision.state === 'applied') throw new UserError(ownDecision);
    return task;
  }

  async function open(click: Click): Promise<void> {
    const { account, message, task: id } = lookAgainValue.decode(click.value);
    const ref = await click.authorize({ account });
    const task = await taskFor(ref, id, click.member);
    const record = await announcements.get(ref, message);
    const look = record?.lookedAgain?.find((one) => one.task === id);
    if (look !== undefined) throw new UserError(lookedAlready(look.by, look.outcome));
    const { tasks: linked } = await shownAbout(deps, ref, { tasks: [task.id] });
    const [first] = linked;
    if (first === undefined) throw new UserError(taskGone);
    const state = lookState.encode({ account, message, task: id });
    const view = lookModal({ state, linked: first, subject: record?.subject ?? '' });
    const messenger = messengerOf(click.workspace);
    if (click.view === undefined) await messenger.openModal(click.triggerId, view);
    else await messenger.pushModal(click.triggerId, view);
  }

  async function record(submission: Submission): Promise<SubmissionAnswer> {
    const { account, message, task: id } = lookState.decode(submission.state);
    const ref = await submission.authorize({ account });
    const given = chosen(submission.values, outcomeInput);
    const outcome = lookOutcomes.find((one) => one === given);
    if (outcome === undefined) return { errors: { [outcomeInput]: chooseOutcome } };
    const reason = typed(submission.values, reasonInput);
    if (reason === '') return { errors: { [reasonInput]: noReason } };
    const { member } = submission;
    let task: Task;
    try {
      task = await taskFor(ref, id, member);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { update: lookEndedModal(error.message) };
    }
    const step = audit.writer.step(ref, {
      what: 'look again',
      ...doneBy(submission),
      message,
      task: id,
      campaign: task.campaign,
      ...(task.worker.id === '' ? {} : { worker: task.worker.id }),
      ...(task.decision === undefined ? {} : { member: task.decision.by }),
      rating: task.rating,
      after: outcome === 'right' ? 'rating is right' : 'rating is wrong',
      comment: reason,
    });
    const look = { task: id, by: member, at: deps.now(), outcome };
    const { record: after, changed } = await announcements.apply(
      ref,
      message,
      { type: 'looked-again', look },
      step,
    );
    const stored = after?.lookedAgain?.find((one) => one.task === id);
    if (stored === undefined) return { update: lookEndedModal(taskGone) };
    // The same form submitted twice gets the same answer twice.
    if (!changed && stored.by !== member)
      return { update: lookEndedModal(lookedAlready(stored.by, stored.outcome)) };
    return {
      update: lookedModal(task, stored.outcome, deps.correctionUrl),
      afterwards: () => jobs.add('announce', { ...ref, message }),
    };
  }

  return {
    clicks: { [lookAgainAction]: { needs: 'rate', run: open } },
    submissions: { [lookForm]: { needs: 'rate', run: record } },
  };
}
