import type { MessageRef } from '../../domain/live-message.ts';
import { isAtLeast, leastRole } from '../../domain/permissions.ts';
import { isSameGrantee } from '../../domain/rights.ts';
import { type AccountRef, ChannelId, type MemberId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobEnd } from '../../jobs/runner.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { ownersOrAdmins } from '../../kit/spending.ts';
import { answerInPlace } from '../../slack/answers.ts';
import type { Click, Unchecked } from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { RoleRequest } from '../../store/rights.ts';
import { askValue } from './public.ts';
import {
  alreadyAnswered,
  answeredBy,
  answeredRequest,
  askedBefore,
  askedMessage,
  mayNow,
  nobodyToAsk,
  requestAnswer,
  roleRequestMessage,
} from './request.view.ts';

type Answer = NonNullable<RoleRequest['answer']>;

/** Maximum number of owners asked. */
const maxAsked = 10;

/** Creates the role requests: a refused member asks, an owner grants or declines, and both are told. */
export function createRequests(deps: Modules) {
  const { people, audit, slack } = deps;

  /** Asks the owners; at most once per person, account, role and hour. */
  async function ask(click: Unchecked<Click>): Promise<void> {
    const { workspace, member } = click;
    const { account, capability } = askValue.decode(click.value);
    const ref = { workspace, account };
    const answer = (text: string) => answerInPlace(click, notice(text), text);
    const { refusal } = await people.access.standing(click, ref, { enough: leastRole(capability) });
    // Other refusals cannot be lifted by a grant; the member is told why.
    if (refusal !== undefined && refusal !== 'guest') {
      await people.access.authorize(click, [capability], { account });
      return;
    }
    if (await people.access.has(click, ref, capability)) return answer(mayNow);
    const { members: owners } = await ownersOrAdmins(deps, ref);
    if (owners?.length === 0) return answer(nobodyToAsk);
    const role = leastRole(capability);
    if (!(await deps.jobs.claimOnce(workspace, `ask ${account} ${member} ${role}`)))
      return answer(askedBefore);
    const asked = { account, member, isGuest: refusal === 'guest', capability, at: deps.clock.now() };
    // Stored before anybody is asked, because they may answer at once.
    const step = audit.step({ workspace }, { what: 'ask for role', ...doneBy(click), account, after: role });
    const request = { ...asked, messages: [] };
    await people.roleRequests.put(workspace, click.id, request, step);
    if (owners === undefined) await deps.jobs.add('ask-owners', { workspace, request: click.id });
    else await askOwners(workspace, click.id, request, owners);
    const message = askedMessage(owners?.slice(0, maxAsked));
    await answerInPlace(click, message, message.text);
  }

  async function askOwners(
    workspace: Click['workspace'],
    id: string,
    asked: RoleRequest,
    owners: readonly MemberId[],
  ): Promise<void> {
    const messages: MessageRef[] = [];
    for (const owner of owners.slice(0, maxAsked)) {
      const sent = await tell(owner, () =>
        slack.messengerOf(workspace).post(ChannelId.parse(owner), roleRequestMessage(asked, id)),
      );
      if (sent) messages.push(sent);
    }
    const stored = await people.roleRequests.asked(workspace, id, messages);
    // An owner may have answered before the others' messages were stored.
    if (stored?.answer !== undefined) await showAnswer(workspace, stored, stored.answer);
  }

  /** Asks the owners once they are found. */
  async function askWhenFound({ workspace, request: id }: Payload<'ask-owners'>): Promise<JobEnd> {
    const asked = await people.roleRequests.get(workspace, id);
    if (asked === undefined || asked.messages.length > 0) return;
    const { account, member } = asked;
    const found = await ownersOrAdmins(deps, { workspace, account });
    if (found.members === undefined) return { again: found.waitMs };
    if (found.members.length > 0) return askOwners(workspace, id, asked, found.members);
    await tell(member, () => slack.messengerOf(workspace).direct(member, notice(nobodyToAsk)));
  }

  /** Notifies a recipient; a refusal by Slack blocks nothing else. */
  async function tell<T>(recipient: string, send: () => Promise<T>): Promise<T | undefined> {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      deps.log.warn({ recipient, reason: messageOf(error) }, 'not told of a request for a role');
      return undefined;
    }
  }

  /** Shows the answer in all messages in which owners were asked. */
  async function showAnswer(
    workspace: Click['workspace'],
    request: RoleRequest,
    { by, isGranted }: Answer,
  ): Promise<void> {
    const done = answeredRequest(request, by, isGranted);
    for (const message of request.messages)
      await tell(message.channel, () => slack.messengerOf(workspace).update(message, done));
  }

  /** Gives the requester the role, unless they have it or a higher one. Harmless when repeated. */
  async function grantRole(
    ref: AccountRef,
    { member, capability, isGuest }: RoleRequest,
    by: MemberId,
  ): Promise<void> {
    const actor = { by, how: 'click' } as const;
    if (isGuest) await deps.people.grants.change(ref, { type: 'guests', allowed: true }, actor);
    const to = { kind: 'member', id: member } as const;
    const role = leastRole(capability);
    const had = (await deps.people.grants.of(ref)).grants.find((one) => isSameGrantee(one.to, to))?.role;
    const grant = { to, role, by, at: deps.clock.now() };
    if (had === undefined || !isAtLeast(had, role))
      await deps.people.grants.change(ref, { type: 'granted', grant }, actor);
    await deps.slack.homes.atOnce(ref.workspace, member);
  }

  /**
   * Answers a request. The first answer is stored and then carried out, so that an interrupted one is carried out by the next
   * press, whichever button that is. Who comes second is told the first answer; the requester is told once.
   */
  const answer = (isGranted: boolean) => async (click: Click) => {
    const { workspace, value: id } = click;
    const asked = await people.roleRequests.get(workspace, id);
    if (asked === undefined) return click.answer(notice(alreadyAnswered));
    const ref = await click.authorize({ account: asked.account });
    const { account, member, capability } = asked;
    const declined = {
      what: 'decline role',
      ...doneBy(click),
      account,
      member,
      before: leastRole(capability),
    } as const;
    // A grant writes its own entry.
    const step = isGranted ? undefined : audit.step({ workspace }, declined);
    const request = await people.roleRequests.answer(workspace, id, { by: click.member, isGranted }, step);
    if (request?.answer === undefined) return click.answer(notice(alreadyAnswered));
    const first = request.answer;
    if (first.isGranted && !request.isDone) await grantRole(ref, request, first.by);
    // Also when it is done: Slack may have refused an update.
    await showAnswer(workspace, request, first);
    if (await people.roleRequests.done(workspace, id))
      await tell(member, () =>
        slack.messengerOf(workspace).direct(member, requestAnswer(request, first.by, first.isGranted)),
      );
    const isOwn = first.by === click.member && first.isGranted === isGranted;
    if (request.isDone || !isOwn) await click.answer(notice(answeredBy(first.by, first.isGranted)));
  };

  return { ask, grant: answer(true), decline: answer(false), jobs: { 'ask-owners': askWhenFound } };
}
