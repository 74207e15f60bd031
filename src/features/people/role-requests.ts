import { isAtLeast, leastRole } from '../../domain/permissions.ts';
import { isSameGrantee, type RoleRequest } from '../../domain/rights.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobEnd } from '../../jobs/queue.ts';
import { requestKind } from '../../kit/live-message.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton } from '../../kit/on.ts';
import { ownersOrAdmins } from '../../kit/spending.ts';
import { notice } from '../../slack/blocks.ts';
import type { Click, Entries, Unchecked } from '../../slack/feature.ts';
import { askValue } from './public.ts';
import {
  alreadyAnswered,
  answeredBy,
  askedBefore,
  askedMessage,
  askerMessage,
  mayNow,
  nobodyToAsk,
  ownerMessage,
  roleRequestValue,
} from './role-requests.view.ts';

/** Maximum number of owners asked. */
const maxAsked = 10;

/** Returns the kind of messages that ask owners for a role, and tell whoever asked the answer. */
export function roleRequestMessage({ people, slack }: Modules) {
  return requestKind(slack, people.roleRequests.messages, (_, { member, request }) =>
    request.asked?.includes(member) ? ownerMessage(request) : askerMessage(request),
  );
}

/** Creates the role requests: a refused member asks, an owner grants or declines, and both are told. */
export function createRequests(deps: Modules) {
  const { people, audit } = deps;
  const { messages } = people.roleRequests;

  /** Asks the owners; at most once per person, account, role and hour. */
  async function ask(click: Unchecked<Click>): Promise<void> {
    const { workspace, member } = click;
    const { account, capability } = askValue.decode(click.value);
    const ref = { workspace, account };
    const answer = (text: string) => click.show(notice(text), text);
    const { refusal } = await people.access.roleIn(click, ref, { enough: leastRole(capability) });
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
    const request = {
      id: click.id,
      account,
      member,
      isGuest: refusal === 'guest',
      capability,
      at: deps.clock.now(),
      ...(owners ? { asked: owners.slice(0, maxAsked) } : {}),
    };
    const step = audit.step({ workspace }, { what: 'ask for role', ...doneBy(click), account, after: role });
    await people.roleRequests.put(workspace, request.id, request, step);
    await deps.jobs.add('ask-owners', { workspace, request: click.id });
    const message = askedMessage(request.asked);
    await click.show(message, message.text);
  }

  /** Asks the owners, once they are found. */
  async function askOwners({ workspace, request: id }: Payload<'ask-owners'>): Promise<JobEnd> {
    let request = await people.roleRequests.get(workspace, id);
    if (request === undefined) return undefined;
    const ref = { workspace, account: request.account };
    if (request.asked === undefined) {
      const found = await ownersOrAdmins(deps, ref);
      if (found.members === undefined) return { again: found.waitMs };
      request = await people.roleRequests.asked(workspace, id, found.members.slice(0, maxAsked));
      if (request?.asked === undefined) return undefined;
    }
    if (request.asked.length === 0) return messages.tell(ref, request, [request.member]);
    await messages.tell(ref, request, request.asked);
    // An owner may have answered before the others were asked.
    const latest = await people.roleRequests.get(workspace, id);
    if (latest?.answer !== undefined) await messages.goOn(ref, latest, request.asked);
    return undefined;
  }

  /** Gives the requester the role, unless they have it or a higher one. Harmless when repeated. */
  async function grantRole(
    ref: AccountRef,
    { member, capability, isGuest }: RoleRequest,
    by: MemberId,
  ): Promise<void> {
    const actor = { by, how: 'click' } as const;
    if (isGuest) await people.grants.change(ref, { type: 'guests', allowed: true }, actor);
    const to = { kind: 'member', id: member } as const;
    const role = leastRole(capability);
    const had = (await people.grants.of(ref)).grants.find((one) => isSameGrantee(one.to, to))?.role;
    const grant = { to, role, by, at: deps.clock.now() };
    if (had === undefined || !isAtLeast(had, role))
      await people.grants.change(ref, { type: 'granted', grant }, actor);
    await deps.slack.homes.atOnce(ref.workspace, member);
  }

  /**
   * Answers a request. The first answer is stored and then carried out, so that an interrupted one is carried out by the next
   * press, whichever button that is. Who comes second is told the first answer; the requester is told once.
   */
  const answer = (isGranted: boolean) =>
    onButton(roleRequestValue, 'settings', async (click) => {
      const { ref, workspace, member: by } = click;
      const { account, request: id } = click.value;
      const asked = await people.roleRequests.get(workspace, id);
      if (asked === undefined) return click.answer(notice(alreadyAnswered));
      const { member, capability } = asked;
      const declined = { account, member, before: leastRole(capability), ...doneBy(click) };
      // A grant writes its own entry.
      const step = isGranted ? undefined : audit.step({ workspace }, { what: 'decline role', ...declined });
      const request = await people.roleRequests.answer(workspace, id, { by, isGranted }, step);
      if (request?.answer === undefined) return click.answer(notice(alreadyAnswered));
      const first = request.answer;
      if (first.isGranted && !request.isDone) await grantRole(ref, request, first.by);
      await messages.goOn(ref, request, request.asked ?? []);
      await messages.tell(ref, request, [member]);
      await people.roleRequests.done(workspace, id);
      const isOwn = first.by === by && first.isGranted === isGranted;
      if (request.isDone || !isOwn) await click.answer(notice(answeredBy(first.by, first.isGranted)));
    });

  return {
    clicks: {
      'rights.ask': { needs: 'anyone', run: ask },
      'rights.grant': answer(true),
      'rights.decline': answer(false),
    } as const satisfies Entries<Click>,
    jobs: { 'ask-owners': askOwners },
  };
}
