import { Forbidden } from '../../domain/forbidden.ts';
import type { Capability } from '../../domain/permissions.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import type { AccountRef, MemberId, Verdict } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { cardOf } from '../../kit/on.ts';
import type { Message } from '../../slack/blocks.ts';
import { notice } from '../../slack/blocks.ts';
import type { AccessRequest, Actor, Authorized, Click, Submission } from '../../slack/feature.ts';
import { commentIn } from '../../ui/comment-input.view.ts';
import { goneText, oldRound, tooLate, withOwnText } from '../../ui/task.view.ts';
import { aboutOf, type OpenRequest, typedFormOf } from './comment-form.ts';
import { createFoundCards } from './found-cards.ts';
import { decodeIntent, encodeIntent, type Intent } from './intent.ts';
import type { TypedTextKeeper } from './typed-text.ts';

/** The requested decision, and its account. */
export type DecisionRequest = Pick<OpenRequest, 'ref' | 'intent'>;

type Deps = Modules & {
  readonly typedText: TypedTextKeeper;
};

/**
 * Creates the parsing of clicks and submissions into requests that can still be carried out; otherwise the member is
 * told why not.
 */
export function createRequests(deps: Deps) {
  const { tasks, typedText } = deps;
  const lostRace = createLostRace(deps);
  const foundCards = createFoundCards(deps);

  /** Tells a member why nothing was decided. Returns the text they wrote, and stores it. */
  async function tellTooLate(
    { member, answer }: Pick<Actor, 'member' | 'answer'>,
    { ref, intent }: DecisionRequest,
    task: Task | undefined,
    text: string,
  ): Promise<void> {
    const { round, verdict: wanted } = intent;
    const form = typedFormOf(intent);
    if (form !== undefined && text !== '')
      await typedText.late(ref, aboutOf(intent, member), { ...form, text });
    await answer(await lostRace(ref, { member, task, round, wanted, text }));
  }

  /**
   * Adds the task to a request if it can be decided on; otherwise tells the member why not.
   * @param id the decision's id, so that a redelivered click or submission gets no second answer
   * @param text what the member wrote, to be returned
   */
  async function checkOpen(
    actor: Actor,
    request: DecisionRequest,
    id: string,
    text = '',
  ): Promise<OpenRequest | undefined> {
    const { ref, intent } = request;
    const { channel, ts, round } = intent;
    const known = await tasks.get(ref, intent.task);
    const task =
      known && channel && ts ? await foundCards.clicked(ref, known, { channel, ts }, round) : known;
    if (task === undefined) {
      await tellTooLate(actor, request, task, text);
      return undefined;
    }
    if (task.round !== intent.round) {
      await tellTooLate(actor, request, task, text);
      return undefined;
    }
    if (!isOpen(task)) {
      if (task.decision?.id !== id) await tellTooLate(actor, request, task, text);
      // The clicked card may be outdated, though usually it only was at the time of the click.
      if (await tasks.needsRender(ref, task.id)) await deps.slack.cards.clicked(ref, task);
      return undefined;
    }
    return { ...request, task, member: actor.member };
  }

  /** Returns the `answer` function for a submission, posting in its card's channel, since a modal has none. */
  function inChannel({ workspace, member, answer }: Actor, { channel }: Intent): Actor['answer'] {
    if (channel === undefined) return answer;
    return (message) => deps.slack.messengerOf(workspace).answer({ member, channel }, message);
  }

  return {
    checkOpen,
    inChannel,
    tellTooLate,

    /** Returns a submission whose answers are posted in its card's channel. */
    inItsChannel(submission: Submission): Submission {
      const intent = decodeIntent(submission.state);
      return intent ? { ...submission, answer: inChannel(submission, intent) } : submission;
    },

    /** Returns the request of a click on a card, after checking access and that the task can be decided on. */
    async clicked(click: Click, verdict: Verdict, extras = false): Promise<OpenRequest | undefined> {
      const { account, task, round } = cardOf(click);
      const intent: Intent = {
        kind: 'decide',
        account,
        task,
        round,
        verdict,
        ...(extras ? { extras } : {}),
        ...(click.message ? click.message : {}),
      };
      const asked = { account, intent: encodeIntent(intent) };
      // A form cannot be opened anyway while Slack does not answer.
      if (verdict !== 'OK' || extras)
        return checkOpen(click, { ref: await click.authorize(asked), intent }, click.id);
      const { ref, unchecked } = await authorizeOrLater(click, asked);
      const request = await checkOpen(click, { ref, intent }, click.id);
      return request && unchecked ? { ...request, unchecked } : request;
    },

    /** Returns the request of a submitted modal, if it can still be carried out. */
    async submitted(
      submission: Submission,
      also?: Capability,
      text = commentIn(submission.values).text,
    ): Promise<OpenRequest | undefined> {
      const intent = decodeIntent(submission.state);
      if (intent === undefined) return undefined;
      const { account } = intent;
      // A bonus the member may not pay becomes an approval request.
      const isAsking = also === 'bonus';
      const ref: AccountRef = await submission.authorize({
        account,
        also,
        isAsking,
        intent: encodeIntent(intent),
      });
      return checkOpen(submission, { ref, intent }, submission.id, text);
    },
  };
}

/**
 * Returns the account of an action. While Slack cannot be asked whether the person has the right, it is `unchecked`, and has
 * to be checked before anything is sent.
 */
export async function authorizeOrLater(
  { authorize }: Pick<Authorized, 'authorize'>,
  asked: AccessRequest,
): Promise<{ readonly ref: AccountRef; readonly unchecked?: true }> {
  try {
    return { ref: await authorize(asked) };
  } catch (error) {
    const ref = error instanceof Forbidden && error.refused.refusal === 'unchecked' && error.refused.ref;
    if (!ref) throw error;
    return { ref, unchecked: true };
  }
}

/** An attempt that came too late. */
interface LostRace {
  readonly member: MemberId;
  /** The current task; undefined if unknown. */
  readonly task: Task | undefined;
  readonly round: number;
  readonly wanted: Verdict;
  /** The text they wrote, to be returned; '' for none. */
  readonly text: string;
}

/**
 * Creates the answer to anybody who was too late, wherever they decided: the task with a link to its card, who decided
 * what and when, and the person's own text.
 */
function createLostRace({ campaigns, slack }: Modules) {
  return async (ref: AccountRef, { member, task, round, wanted, text }: LostRace): Promise<Message> => {
    if (task === undefined) return withOwnText(notice(goneText), text);
    const [title, card] = await Promise.all([
      campaigns.titleOf(ref, task.campaign),
      slack.cards.linkTo(ref, task),
    ]);
    const lost = { task, title, card };
    return withOwnText(task.round === round ? tooLate(lost, member, wanted) : oldRound(lost), text);
  };
}
