import { randomUUID } from 'node:crypto';
import { decidedIn, type FocusFilter, newFocus } from '../../domain/focus.ts';
import { isOpen } from '../../domain/task.ts';
import { AccountId, type AccountRef, type ChannelId, type TaskId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Click, Closing, Entry, Feature, Opener, Shortcut, Unchecked } from '../../slack/feature.ts';
import { cardOfBlocks } from '../../slack/message-tags.ts';
import { user } from '../../slack/mrkdwn.ts';
import { happenedText } from '../../ui/task.view.ts';
import { type ActDeps, createActs } from './acts.ts';
import { summaryMessage } from './focus.view.ts';
import {
  decodeFocus,
  decodeReviewStart,
  filterHelp,
  filterOfCampaign,
  filterOfChannel,
  filterTyped,
  mineOnly,
  noFilter,
} from './public.ts';
import { createSteps } from './walk.ts';

const noCard =
  'This message isn’t a task card. Choose *Review this* on a card, or start a review with `/review`.';
const taskUnknown = 'Proofdesk can’t find this task right now. Try again in a minute.';

/** A member who can be shown a modal. */
type Starter = Opener & { readonly channel?: ChannelId };

/** Creates focus review: a modal in which a person goes through the waiting tasks. */
export function createFocus(deps: ActDeps): Feature {
  const { tasks } = deps;
  const steps = createSteps(deps);
  const { walk } = steps;
  const acts = createActs(deps, steps);

  /**
   * Opens a review.
   * @param filterOf returns the filter of its tasks
   * @param first the task it begins with: a UserError says why when it cannot be reviewed
   */
  async function start(
    starter: Starter,
    account: AccountId | undefined,
    filterOf: (ref: AccountRef) => Promise<FocusFilter>,
    first?: TaskId,
  ): Promise<void> {
    const { workspace, member, channel } = starter;
    const ref = await starter.authorize(account === undefined ? {} : { account });
    if (first !== undefined) await requireOpen(ref, first, starter);
    const filter = await filterOf(ref);
    const before = await tasks.focusSessions.latest(ref, member);
    // Starting again abandons the previous review's tasks.
    if (before !== undefined) await tasks.leases.releaseAll(ref, before.id);
    const id = randomUUID();
    const begun = newFocus({ id, member, filter, ...(channel ? { channel } : {}) }, before);
    await tasks.focusSessions.create(ref, first === undefined ? begun : { ...begun, current: first });
    const session = await walk.fill(ref, begun);
    const position = await walk.hold(ref, session);
    if (first !== undefined && position.session.current !== first) {
      await tasks.leases.releaseAll(ref, id);
      throw await whyTaken(ref, first, starter);
    }
    const shown = await walk.show(ref, position);
    const viewId = await steps.views.open(starter, shown.view);
    await steps.prepareNext(ref, position.session, shown, { workspace, viewId });
  }

  /** Ends a review whose modal was closed: releases its leases at once, and tells the person what they did. */
  async function close(closing: Unchecked<Closing>): Promise<void> {
    const { workspace, member } = closing;
    const state = decodeFocus(closing.state);
    const ref = { workspace, account: state.account };
    const before = await tasks.focusSessions.get(ref, state.session);
    if (before?.member !== member) return;
    const { left } = await walk.hold(ref, before);
    const { session, isChanged } = await tasks.focusSessions.change(ref, before.id, (one) =>
      one.ended ? undefined : { ...one, ended: true, ahead: [] },
    );
    // Loading in progress sees that the review has ended, and leases nothing.
    await tasks.leases.releaseAll(ref, before.id);
    await deps.slack.homes.atOnce(workspace, member);
    if (session === undefined || !isChanged || decidedIn(session) === 0) return;
    const { channel } = session;
    await deps.slack
      .messengerOf(workspace)
      .answer({ member, channel }, summaryMessage(ref.account, session, left));
  }

  /** Throws a UserError if a task cannot be reviewed, with the reason, such as who has decided what. */
  async function requireOpen(
    ref: AccountRef,
    id: TaskId,
    { member }: Pick<Starter, 'member'>,
  ): Promise<void> {
    const task = await tasks.get(ref, id);
    if (task === undefined) throw new UserError(taskUnknown);
    if (!isOpen(task)) throw new UserError(`${happenedText(task, member)} There is nothing to review.`);
  }

  /** Returns why a review could not lease a task. */
  async function whyTaken(ref: AccountRef, task: TaskId, starter: Starter): Promise<UserError> {
    await requireOpen(ref, task, starter);
    const owner = await tasks.leases.ownerOf(ref, task);
    const review = owner === undefined ? undefined : await tasks.focusSessions.get(ref, owner);
    const who = review === undefined ? 'A colleague' : user(review.member);
    return new UserError(
      `${who} is reviewing this task right now. It is free again once they rate it, skip it or end their review.`,
    );
  }

  /** Opens a review at the task of a card; it continues with the waiting tasks. */
  async function startAtCard(shortcut: Shortcut): Promise<void> {
    const { message } = shortcut;
    const card = message && cardOfBlocks(message.blocks);
    if (message === undefined || card === undefined) throw new UserError(noCard);
    const { account, task } = card;
    await start({ ...shortcut, channel: message.channel }, account, async () => noFilter, task);
  }

  async function startFromButton(click: Click): Promise<void> {
    const { account, campaign } = decodeReviewStart(click.value);
    const { channel } = click;
    await start(click, account, async (ref) => {
      if (campaign !== undefined) return filterOfCampaign(deps, ref, campaign);
      return account !== undefined && channel !== undefined ? filterOfChannel(deps, ref, channel) : noFilter;
    });
  }

  const closings: Entry<Closing> = { needs: 'anyone', run: close };
  return {
    commands: [
      {
        command: '/review',
        word: '',
        usage: '[campaign or filter]',
        help: `Goes through waiting tasks one by one, the most urgent first. ${filterHelp}`,
        needs: 'rate',
        run: (command) => start(command, undefined, (ref) => filterTyped(deps, ref, command.text)),
      },
    ],
    shortcuts: {
      start_review: { needs: 'rate', run: (shortcut) => start(shortcut, undefined, async () => noFilter) },
      review_this: { needs: 'rate', run: startAtCard },
    },
    clicks: {
      'focus.start': { needs: 'rate', run: startFromButton },
      'focus.mine': {
        needs: 'rate',
        run: (click) => start(click, AccountId.parse(click.value), async () => mineOnly),
      },
      'focus.continue': {
        needs: 'rate',
        run: (click) =>
          start(
            click,
            AccountId.parse(click.value),
            async (ref) => (await tasks.focusSessions.latest(ref, click.member))?.filter ?? noFilter,
          ),
      },
      'focus.ok': { needs: 'rate', run: acts.clickOk },
      'focus.revise': { needs: 'rate', run: acts.openForm('REVISE') },
      'focus.nok': { needs: 'rate', run: acts.openForm('NOK') },
      'focus.more.extras': { needs: 'rate', run: acts.openForm('OK') },
      'focus.more.worker': { needs: 'see', run: acts.openWorker },
      'focus.more.files': { needs: 'rate', run: acts.listFiles },
      // Posts in the card's thread.
      'focus.files': { needs: 'rate', run: acts.openFiles },
      'focus.pictures': { needs: 'see', run: acts.openPictures },
      'focus.links': { needs: 'see', run: acts.openLinks },
      'focus.instructions': { needs: 'see', run: acts.openInstructions },
      'focus.more.notes': { needs: 'note', run: acts.openNotes },
      'focus.skip': { needs: 'rate', run: acts.skip },
      'focus.undo': { needs: 'rate', also: ['undo'], run: acts.undo },
      'focus.back': { needs: 'rate', run: acts.back },
      'focus.again': { needs: 'rate', run: acts.again },
      'focus.skipped': { needs: 'rate', run: acts.again },
    },
    submissions: {
      'focus.task': { needs: 'rate', run: acts.submitOk },
      'focus.reason': { needs: 'rate', run: acts.submitReason },
      'focus.extras': {
        needs: 'rate',
        also: ['bonus'],
        run: acts.submitExtras,
      },
    },
    closings: {
      'focus.task': closings,
      'focus.reason': closings,
      'focus.extras': closings,
      'focus.done': closings,
    },
  };
}
