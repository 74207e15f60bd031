import type { Decision, Task } from '../../domain/task.ts';
import type { AccountRef, TaskId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { cardOf } from '../../kit/on.ts';
import type { Authorized, Click } from '../../slack/feature.ts';
import { link } from '../../slack/mrkdwn.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { cannotUndo, undoneByColleague } from './decide.view.ts';
import { createFoundCards } from './found-cards.ts';
import { authorizeOrLater } from './requests.ts';
import type { TypedTextKeeper } from './typed-text.ts';

export type UndoDeps = Modules & {
  readonly typedText: TypedTextKeeper;
};

/** Creates the undo of decisions that are not sent yet. */
export function createUndo(deps: UndoDeps) {
  const { campaigns, clock, tasks } = deps;
  const foundCards = createFoundCards(deps);

  /** Stores a decision's reason for its maker, to be offered in the next form about the task. */
  async function keepComment(
    ref: AccountRef,
    { id: task, round }: Task,
    { by: member, verdict, comment: text }: Decision,
  ): Promise<void> {
    if (text === '') return;
    await deps.typedText.undone(ref, { task, round, member }, { verdict, text });
  }

  /** Notifies the decider that somebody else has undone their decision. */
  async function tellColleague(
    ref: AccountRef,
    task: Task,
    { by, of, verdict }: NonNullable<Task['undoneBy']>,
  ): Promise<void> {
    const messenger = deps.slack.messengerOf(ref.workspace);
    const address = await deps.slack.cards.linkTo(ref, task);
    const title = await campaigns.titleOf(ref, task.campaign);
    await messenger
      .direct(of, undoneByColleague({ by, verdict, title, card: address && link(address, 'its card') }))
      .catch((error: unknown) => {
        // The card says it too.
        if (!(error instanceof SlackError)) throw error;
      });
  }

  /** @param shown the decision that the person saw; absent: the one that stands */
  async function undoOf(actor: Authorized, ref: AccountRef, id: TaskId, shown?: string): Promise<void> {
    const task = await tasks.get(ref, id);
    const decision = shown ?? task?.decision?.id;
    // Delivered twice: that decision is already undone, whatever was decided since.
    if (task === undefined || decision === undefined || task.undone?.includes(decision)) return;
    const standing = task.decision?.id === decision ? task.decision : undefined;
    if (standing !== undefined && standing.by !== actor.member)
      await actor.authorize({ account: ref.account, also: 'undo' });
    if (standing !== undefined) await keepComment(ref, task, standing);
    const by = { member: actor.member, at: clock.now() };
    const outcome = await tasks.apply(ref, task.id, { type: 'undone', decision, by });
    const { undoneBy: other } = outcome.kind === 'done' ? outcome.task : {};
    if (other?.at === by.at) await tellColleague(ref, task, other);
    await Promise.all([
      outcome.kind !== 'done' && actor.answer(cannotUndo(outcome.task ?? task)),
      deps.slack.cards.clicked(ref, task),
    ]);
  }

  return {
    of: undoOf,

    /** Undoes the decision that a card shows. */
    async clicked(click: Click): Promise<void> {
      const card = cardOf(click);
      // Their own decision is taken back by whoever made it, also while Slack cannot be asked who they are.
      const { ref } = await authorizeOrLater(click, { account: card.account });
      const task = await tasks.get(ref, card.task);
      if (task && click.message) await foundCards.clicked(ref, task, click.message, card.round);
      await undoOf(click, ref, card.task, card.decision);
    },
  };
}
