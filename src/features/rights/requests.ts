import type { MessageRef } from '../../domain/live-message.ts';
import { leastRole } from '../../domain/permissions.ts';
import { ChannelId, type MemberId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { answerInPlace } from '../../slack/answers.ts';
import type { Click, Unchecked } from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { askValue } from '../shared/ask-button.ts';
import { doneBy } from '../shared/audited-act.ts';
import type { FeatureContext } from '../shared/context.ts';
import {
  alreadyAnswered,
  answeredRequest,
  askedBefore,
  askedMessage,
  mayNow,
  nobodyToAsk,
  requestAnswer,
  roleRequestMessage,
} from './request.view.ts';

export type RequestDeps = Pick<
  FeatureContext,
  | 'access'
  | 'audit'
  | 'claimOnce'
  | 'grants'
  | 'logger'
  | 'messengerOf'
  | 'now'
  | 'roleRequests'
  | 'subscriptions'
> & {
  /** Runs when a member's role has changed. */
  readonly onRoleChange: (workspace: Click['workspace'], member: MemberId) => Promise<void>;
};

/** Maximum number of owners asked. */
const maxAsked = 10;

/** Creates the role requests: a refused member asks, an owner grants or declines, and both are told. */
export function createRequests(deps: RequestDeps) {
  const { access, audit, messengerOf, roleRequests } = deps;

  /** Asks the owners; at most once per person, account and hour. */
  async function ask(click: Unchecked<Click>): Promise<void> {
    const { workspace, member } = click;
    const { account, capability } = askValue.decode(click.value);
    const ref = { workspace, account };
    const answer = (text: string) => answerInPlace(click, notice(text), text);
    const { refusal } = await access.standing(click, ref, { enough: leastRole(capability) });
    // Other refusals cannot be lifted by a grant; the member is told why.
    if (refusal !== undefined && refusal !== 'guest') {
      await access.authorize(click, [capability], { account });
      return;
    }
    if (await access.has(click, ref, capability)) return answer(mayNow);
    const known = await access.ownersOf(ref);
    const owners = (known.length > 0 ? known : await messengerOf(workspace).admins()).slice(0, maxAsked);
    if (owners.length === 0) return answer(nobodyToAsk);
    if (!(await deps.claimOnce(workspace, `ask ${account} ${member}`))) return answer(askedBefore);
    const asked = { account, member, isGuest: refusal === 'guest', capability, at: deps.now() };
    // Stored before anybody is asked, because they may answer at once.
    const role = leastRole(capability);
    const step = audit.writer.step(
      { workspace },
      { what: 'ask for role', ...doneBy(click), account, after: role },
    );
    await roleRequests.put(workspace, click.id, { ...asked, messages: [] }, step);
    const messages: MessageRef[] = [];
    for (const owner of owners) {
      const sent = await tell(owner, () =>
        messengerOf(workspace).post(ChannelId.parse(owner), roleRequestMessage(asked, click.id)),
      );
      if (sent) messages.push(sent);
    }
    await roleRequests.replace(workspace, click.id, { ...asked, messages });
    const message = askedMessage(owners);
    await answerInPlace(click, message, message.text);
  }

  /** Notifies a recipient; a refusal by Slack blocks nothing else. */
  async function tell<T>(recipient: string, send: () => Promise<T>): Promise<T | undefined> {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      deps.logger.warn({ recipient, reason: messageOf(error) }, 'not told of a request for a role');
      return undefined;
    }
  }

  const answer = (isGranted: boolean) => async (click: Click) => {
    const { workspace, value: id } = click;
    const standing = await roleRequests.get(workspace, id);
    if (standing === undefined) return click.answer(notice(alreadyAnswered));
    const ref = await click.authorize({ account: standing.account });
    const role = leastRole(standing.capability);
    const { account, member } = standing;
    const declined = { what: 'decline role', ...doneBy(click), account, member, before: role } as const;
    // A grant writes its own entry.
    const step = isGranted ? undefined : audit.writer.step({ workspace }, declined);
    const request = await roleRequests.take(workspace, id, step);
    if (request === undefined) return click.answer(notice(alreadyAnswered));
    if (isGranted) {
      const grant = { to: { kind: 'member', id: member }, role, by: click.member, at: deps.now() } as const;
      if (request.isGuest) await deps.grants.change(ref, { type: 'guests', allowed: true }, doneBy(click));
      await deps.grants.change(ref, { type: 'granted', grant }, doneBy(click));
      await deps.onRoleChange(workspace, member);
    }
    const messenger = messengerOf(workspace);
    const done = answeredRequest(request, click.member, isGranted);
    for (const message of request.messages)
      await tell(message.channel, () => messenger.update(message, done));
    await tell(member, () => messenger.direct(member, requestAnswer(request, click.member, isGranted)));
  };

  return { ask, grant: answer(true), decline: answer(false) };
}
