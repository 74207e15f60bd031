import { randomUUID } from 'node:crypto';
import {
  decidedIn,
  type FocusDecision,
  type FocusFilter,
  type FocusSession,
  movedOn,
  newFocus,
  undone,
  withoutLast,
} from '../../domain/focus.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import {
  AccountId,
  type AccountRef,
  type ChannelId,
  needsComment,
  type Verdict,
  type WorkerId,
} from '../../domain/terms.ts';
import type { Message } from '../../slack/blocks.ts';
import type {
  Actor,
  Authorized,
  Click,
  Closing,
  Entry,
  Feature,
  OpenView,
  Submission,
  SubmissionAnswer,
  Unchecked,
} from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import type { FeatureContext } from '../shared/context.ts';
import type { Decisions, DecisionTarget } from '../shared/decisions.ts';
import { noFilter, parseFilter } from './filter.ts';
import { createPacedViews } from './paced-views.ts';
import { asFocusView, decodeFocus, type FocusState } from './state.ts';
import {
  backButton,
  excludeView,
  excludingWorker,
  expiredView,
  leftQueue,
  payingBonus,
  summaryMessage,
  undoneElsewhere,
  undoneText,
  waitingView,
} from './summary.view.ts';
import { createWalk, type Standing, type WalkDeps } from './walk.ts';

type Deps = WalkDeps &
  Pick<FeatureContext, 'claimOnce' | 'messengerOf' | 'rateLimiter' | 'routing'> & {
    /** What decides, as a card's buttons do. */
    readonly decisions: Decisions;
    /** Puts a worker on the exclude list. Returns what came of it, in mrkdwn. */
    readonly excludeWorker: (ref: AccountRef, actor: Actor, worker: WorkerId) => Promise<string>;
  };

/** The action id of every button that starts a review. Its value is the account, or none. */
export const startAction = 'focus.start';

/** Somebody who can be shown a modal. */
type Starter = Authorized & { readonly triggerId: string; readonly channel?: ChannelId };

/** What somebody does in a view of a review that shows where the review is. */
interface Step {
  readonly ref: AccountRef;
  readonly session: FocusSession;
  readonly state: FocusState;
  /** The task that the view shows. */
  readonly target: DecisionTarget;
  /** What was said to the person; it is shown above the next task. */
  readonly notices: Message[];
}

/** Creates focus review: one modal in which a person goes through the tasks that wait. */
export function createFocus(deps: Deps): Feature {
  const { decisions, focusSessions, taskLeases, tasks } = deps;
  const walk = createWalk(deps);
  const views = createPacedViews(deps);

  /** Opens a review. @param filterOf says which tasks it goes through */
  async function start(
    starter: Starter,
    account: AccountId | undefined,
    filterOf: (ref: AccountRef) => Promise<FocusFilter>,
  ): Promise<void> {
    const { workspace, member, channel, triggerId } = starter;
    const ref = await starter.authorize(account === undefined ? {} : { account });
    const before = await focusSessions.latest(ref, member);
    // Whoever begins again has left what they looked at.
    if (before !== undefined) await taskLeases.releaseAll(ref, before.id);
    const filter = await filterOf(ref);
    const id = randomUUID();
    const session = newFocus({ id, member, filter, ...(channel ? { channel } : {}) }, before);
    await focusSessions.create(ref, session);
    const standing = await walk.hold(ref, session, { count: 1 });
    const { view, isLoading } = await walk.show(ref, standing);
    const viewId = await views.open(workspace, triggerId, view);
    await prepareNext(ref, standing.session, { workspace, viewId, isLoading });
  }

  /** Loads what comes next, and what is still missing of the task that is shown. */
  async function prepareNext(
    ref: AccountRef,
    { id, step }: FocusSession,
    { workspace, viewId, isLoading }: { workspace: Actor['workspace']; viewId: string; isLoading: boolean },
  ): Promise<void> {
    const standing = await walk.prefetch(ref, id);
    if (!isLoading || standing === undefined) return;
    const shown = await walk.show(ref, standing);
    const now = await focusSessions.get(ref, id);
    if (now?.step === step) await views.update(workspace, { viewId }, shown.view);
  }

  /**
   * Returns what a person does in a view, if that is where their review is. Otherwise, or when nobody knows the review any
   * more, the view is out of date.
   */
  async function stepOf(
    input: Authorized & OpenView,
  ): Promise<Step | 'expired' | { standing: Standing; ref: AccountRef }> {
    const state = decodeFocus(input.state);
    const ref = await input.authorize({ account: state.account });
    const session = await focusSessions.get(ref, state.session);
    if (session === undefined || session.member !== input.member) return 'expired';
    const { task, round = 1 } = state;
    const isCurrent = session.step === state.step && session.current === task;
    if (!isCurrent || task === undefined)
      return { ref, standing: await walk.hold(ref, session, { count: 1 }) };
    return { ref, session, state, target: { ref, task, round }, notices: [] };
  }

  /** Answers a submission of a view that is out of date: nothing is decided, and where the review is is shown. */
  async function outOfDate(
    found: 'expired' | { standing: Standing; ref: AccountRef },
  ): Promise<SubmissionAnswer> {
    if (found === 'expired') return { update: expiredView() };
    // Slack may have refused the view that was to be shown, for one of its pictures.
    return { update: (await walk.show(found.ref, found.standing)).view(false) };
  }

  /** Returns the id of what is decided in a step: the same when it is delivered twice, or by a process that has died. */
  const decisionId = ({ session, step }: FocusState, verdict: Verdict) =>
    `focus-${session}-${step}-${verdict}`;

  /** Returns the person, whose answers are shown above the next task. */
  function listening<T extends Actor>(actor: T, { notices }: Step): T {
    return { ...actor, answer: async (message: Message) => void notices.push(message) };
  }

  /** Returns what became of the task that was shown: decided in this step, set aside, or decided elsewhere. */
  async function outcomeOf({ ref, state, target }: Step): Promise<FocusDecision | 'skipped' | 'gone'> {
    const task = await tasks.get(ref, target.task);
    if (task === undefined) return 'gone';
    const { decision } = task;
    if (decision && decision.id === decisionId(state, decision.verdict))
      return { task: task.id, decision: decision.id, verdict: decision.verdict };
    return isOpen(task) && task.round === target.round ? 'skipped' : 'gone';
  }

  /** Moves on from the task of a step. Returns where the review stands then. */
  async function moveOn(step: Step, outcome: FocusDecision | 'skipped' | 'gone'): Promise<Standing> {
    const { ref, state, target, session } = step;
    const moved = await focusSessions.change(ref, session.id, (one) =>
      one.step === state.step ? movedOn(one, outcome) : undefined,
    );
    await deps.faults('focus review moved on, nothing shown');
    return walk.hold(ref, moved.session ?? session, { count: 1, release: [target.task] });
  }

  /** Answers a submission with the next task; what follows that is loaded afterwards. */
  async function answerWithNext(submission: Submission, step: Step): Promise<SubmissionAnswer> {
    await deps.faults('decided in focus review, not moved on');
    const outcome = await outcomeOf(step);
    if (outcome === 'gone' && step.notices.length === 0) step.notices.push(notice(leftQueue));
    const standing = await moveOn(step, outcome);
    const { view, isLoading } = await walk.show(step.ref, standing, step.notices);
    const { workspace, id: viewId } = submission;
    return {
      update: view(true),
      afterwards: () => prepareNext(step.ref, standing.session, { workspace, viewId, isLoading }),
    };
  }

  /** Shows the next task after something that took longer than an answer may. */
  async function showNext({ workspace }: Actor, viewId: string, step: Step, hash?: string): Promise<void> {
    const standing = await moveOn(step, await outcomeOf(step));
    const { view, isLoading } = await walk.show(step.ref, standing, step.notices);
    await views.update(workspace, { viewId, ...(hash ? { hash } : {}) }, view);
    await prepareNext(step.ref, standing.session, { workspace, viewId, isLoading });
  }

  async function submitOk(submission: Submission): Promise<SubmissionAnswer> {
    const step = await stepOf(submission);
    if (!isStep(step)) return outOfDate(step);
    await decisions.accept(listening(submission, step), step.target, decisionId(step.state, 'OK'));
    return answerWithNext(submission, step);
  }

  /** Passes a form on to the feature whose form it is. */
  function submitForm(
    submit: (submission: Submission) => Promise<SubmissionAnswer | undefined>,
    callbackId: string,
    verdictOf: (values: Submission) => Verdict,
  ) {
    return async (submission: Submission): Promise<SubmissionAnswer> => {
      const step = await stepOf(submission);
      if (!isStep(step)) return outOfDate(step);
      const id = decisionId(step.state, verdictOf(submission));
      const answer = await submit(listening({ ...submission, id }, step));
      if (answer?.errors) return answer;
      if (answer?.update) return { update: formView(answer.update, callbackId, step) };
      const { afterwards } = answer ?? {};
      if (afterwards === undefined) return answerWithNext(submission, step);
      return {
        update: waitingView(step.state, payingBonus),
        async afterwards() {
          await afterwards();
          await showNext(submission, submission.id, step);
        },
      };
    };
  }

  function formView(form: NonNullable<SubmissionAnswer['update']>, callbackId: string, { state }: Step) {
    const view = asFocusView(form, callbackId, state);
    return { ...view, blocks: [...view.blocks, backButton()] };
  }

  /** Runs a click in a view of the review. One in a view that is out of date does nothing: another one is on its way. */
  function inStep(run: (click: Click & { readonly view: OpenView }, step: Step) => Promise<void>) {
    return async (click: Click): Promise<void> => {
      const { view } = click;
      if (view === undefined) return;
      const step = await stepOf({ ...click, ...view });
      if (step === 'expired') {
        await views.update(click.workspace, { viewId: view.id, hash: view.hash }, () => expiredView());
      } else if (isStep(step)) await run({ ...click, view }, step);
    };
  }

  /** Opens the form that asks for the reason, or for the extras, in place of the task. */
  function openForm(verdict: Verdict) {
    const callbackId = needsComment(verdict) ? 'focus.reason' : 'focus.extras';
    return inStep(async (click, step) => {
      const { session, ref, state, target } = step;
      await walk.hold(ref, session, { count: 1 });
      const id = decisionId(state, verdict);
      const form = await decisions.form(listening(click, step), target, verdict, id);
      if (form === undefined) return showNext(click, click.view.id, step, click.view.hash);
      const { id: viewId, hash } = click.view;
      await views.update(click.workspace, { viewId, hash }, () => formView(form, callbackId, step));
    });
  }

  const skip = inStep(async (click, step) => {
    const standing = await moveOn(step, 'skipped');
    await redraw(click, step.ref, standing);
  });

  const back = inStep(async (click, { ref, session }) => {
    await redraw(click, ref, await walk.hold(ref, session, { count: 1 }));
  });

  /** Shows where a review stands, in place of the view that was clicked in. */
  async function redraw(
    { workspace, view: open }: Click & { readonly view: OpenView },
    ref: AccountRef,
    standing: Standing,
    notices: readonly Message[] = [],
  ): Promise<void> {
    const { view, isLoading } = await walk.show(ref, standing, notices);
    await views.update(workspace, { viewId: open.id, hash: open.hash }, view);
    await prepareNext(ref, standing.session, { workspace, viewId: open.id, isLoading });
  }

  /** Takes the latest decision back, and shows its task again. */
  async function undo(click: Click): Promise<void> {
    const { view } = click;
    if (view === undefined) return;
    const state = decodeFocus(view.state);
    const ref = await click.authorize({ account: state.account });
    const session = await focusSessions.get(ref, state.session);
    const last = session?.decided.at(-1);
    // Clicked twice: the first click has undone it.
    if (session === undefined || session.step !== state.step || last?.decision !== click.value) return;
    const notices: Message[] = [];
    const actor = { ...click, answer: async (message: Message) => void notices.push(message) };
    await decisions.undo(actor, ref, last.task, last.decision);
    const task = await tasks.get(ref, last.task);
    const isUndone = task?.undone?.includes(last.decision) === true && isOpen(task);
    const { session: changed = session } = await focusSessions.change(ref, session.id, (one) => {
      if (one.step !== state.step) return undefined;
      return isUndone ? undone(one) : withoutLast(one);
    });
    const standing = await walk.hold(ref, changed, { count: 1 });
    const isShown = standing.session.current === last.task;
    if (isUndone) notices.unshift(notice(isShown ? undoneText(last) : undoneElsewhere));
    await redraw({ ...click, view }, ref, standing, notices);
  }

  /** Goes on at the end of a queue: with what was skipped, or what has come since. */
  async function again(click: Click): Promise<void> {
    const { view } = click;
    if (view === undefined) return;
    const state = decodeFocus(view.state);
    const ref = await click.authorize({ account: state.account });
    const { session, isChanged } = await focusSessions.change(ref, state.session, (one) => {
      if (one.step !== state.step) return undefined;
      const { ended: _, ...rest } = one;
      return { ...rest, step: one.step + 1, skipped: click.value === 'skipped' ? [] : one.skipped };
    });
    if (session === undefined || !isChanged) return;
    const filled = await walk.fill(ref, session);
    await redraw({ ...click, view }, ref, await walk.hold(ref, filled, { count: 1 }));
  }

  const openExclude = inStep(async (click, { ref, session, state, target }) => {
    const standing = await walk.hold(ref, session, { count: 1 });
    const task = await tasks.get(ref, target.task);
    if (task === undefined) return redraw(click, ref, standing);
    const { id: viewId, hash } = click.view;
    await views.update(click.workspace, { viewId, hash }, () => excludeView(state, task));
  });

  async function submitExclude(submission: Submission): Promise<SubmissionAnswer> {
    const step = await stepOf(submission);
    if (!isStep(step)) return outOfDate(step);
    const { ref, session, state, target } = step;
    const { workspace, id: viewId } = submission;
    return {
      update: waitingView(state, excludingWorker),
      async afterwards() {
        const task = await tasks.get(ref, target.task);
        const isFirst = await deps.claimOnce(workspace, `focus exclude ${session.id} ${state.step}`);
        if (task === undefined || !isFirst) return;
        const said = await deps.excludeWorker(ref, submission, task.worker.id);
        const standing = await walk.hold(ref, session, { count: 1 });
        const { view } = await walk.show(ref, standing, [notice(said)]);
        await views.update(workspace, { viewId }, view);
      },
    };
  }

  /** Ends a review whose modal was closed: its tasks are free at once, and the person is told what they did. */
  async function close(closing: Unchecked<Closing>): Promise<void> {
    const { workspace, member } = closing;
    const state = decodeFocus(closing.state);
    const ref = { workspace, account: state.account };
    const before = await focusSessions.get(ref, state.session);
    if (before?.member !== member) return;
    await taskLeases.releaseAll(ref, before.id);
    const { session, isChanged } = await focusSessions.change(ref, before.id, (one) =>
      one.ended ? undefined : { ...one, ended: true, ahead: [] },
    );
    if (session === undefined || !isChanged || decidedIn(session) === 0) return;
    const left = await tasks.count(ref, 'open');
    const { channel } = session;
    await deps.messengerOf(workspace).answer({ member, channel }, summaryMessage(session, left));
  }

  /** Returns the filter for the tasks whose cards go to a channel: those that its summary counts among them. */
  async function ofChannel(ref: AccountRef, channel: ChannelId): Promise<FocusFilter> {
    const listed = await deps.campaigns.all(ref);
    const own = [];
    for (const { id, tasksNotRated } of listed)
      if (tasksNotRated > 0 && (await deps.routing.forCampaign(ref, id)) === channel) own.push(id);
    const isAll = own.length === listed.filter(({ tasksNotRated }) => tasksNotRated > 0).length;
    return isAll ? noFilter : { ...noFilter, campaigns: own };
  }

  async function startFromButton(click: Click): Promise<void> {
    const account = click.value === 'none' ? undefined : AccountId.parse(click.value);
    const { channel } = click;
    const isInChannel = account !== undefined && channel !== undefined;
    await start(click, account, async (ref) => (isInChannel ? ofChannel(ref, channel) : noFilter));
  }

  const closings: Entry<Closing> = { needs: 'anyone', run: close };
  return {
    commands: [
      {
        command: '/review',
        word: '',
        usage: '[campaign or filter]',
        help: 'Goes through the waiting tasks one by one, what runs out first. Filters: part of a title or of the proof, `worker:…`, `country:…`, `waiting:2d`.',
        needs: 'rate',
        run: (command) =>
          start(command, undefined, async (ref) =>
            command.text.trim() === '' ? noFilter : parseFilter(command.text, await deps.campaigns.all(ref)),
          ),
      },
    ],
    shortcuts: {
      start_review: { needs: 'rate', run: (shortcut) => start(shortcut, undefined, async () => noFilter) },
    },
    clicks: {
      [startAction]: { needs: 'rate', run: startFromButton },
      'focus.revise': { needs: 'rate', run: openForm('REVISE') },
      'focus.nok': { needs: 'rate', run: openForm('NOK') },
      'focus.more.extras': { needs: 'rate', run: openForm('OK') },
      'focus.more.exclude': { needs: 'exclude', run: openExclude },
      'focus.skip': { needs: 'rate', run: skip },
      'focus.undo': { needs: 'rate', also: ['undo'], run: undo },
      'focus.back': { needs: 'rate', run: back },
      'focus.again': { needs: 'rate', run: again },
    },
    submissions: {
      'focus.task': { needs: 'rate', run: submitOk },
      'focus.reason': { needs: 'rate', run: submitForm(decisions.submitReason, 'focus.reason', reasonOf) },
      'focus.extras': {
        needs: 'rate',
        also: ['bonus'],
        run: submitForm(decisions.submitExtras, 'focus.extras', () => 'OK'),
      },
      'focus.exclude': { needs: 'exclude', run: submitExclude },
    },
    closings: {
      'focus.task': closings,
      'focus.reason': closings,
      'focus.extras': closings,
      'focus.exclude': closings,
      'focus.waiting': closings,
      'focus.done': closings,
    },
  };
}

function isStep(found: Step | 'expired' | { standing: Standing }): found is Step {
  return found !== 'expired' && 'target' in found;
}

/** Returns the verdict whose reason a form asks for. */
function reasonOf({ state }: Submission): Verdict {
  const { verdict } = JSON.parse(state) as { verdict?: Task['rating'] };
  return verdict === 'NOK' ? 'NOK' : 'REVISE';
}
