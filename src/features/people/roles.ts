import { isAtLeast, leastRole, roles } from '../../domain/permissions.ts';
import {
  type AccountRights,
  type Grantee,
  isSameGrantee,
  type RightsChange,
  type RoleRequest,
} from '../../domain/rights.ts';
import { type AccountRef, ChannelId, MemberId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { JobEnd } from '../../jobs/queue.ts';
import { requestKind } from '../../kit/live-message.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onCommand, onForm, onHome, onView, type ViewClick } from '../../kit/on.ts';
import { notice } from '../../slack/blocks.ts';
import type {
  Actor,
  ChannelEvent,
  Click,
  Entries,
  Feature,
  Opener,
  Submission,
  Unchecked,
} from '../../slack/feature.ts';
import { chosen, chosenUsers, picked } from '../../slack/form-values.ts';
import { ignoreSlackError } from '../../slack/slack-error.ts';
import { sharedIncident } from '../channels/public.ts';
import { askValue } from './public.ts';
import {
  addRoleModal,
  alreadyAnswered,
  answeredBy,
  askedBefore,
  askedText,
  askerMessage,
  changeValue,
  confirmedText,
  lastOwner,
  mayNow,
  noApps,
  nobodyChosen,
  ownerMessage,
  roleRequestValue,
  type SettingsContent,
  saved,
  settingsModal,
  settingsState,
  sharedChannelMessage,
  sharedChannelValue,
} from './roles.view.ts';
import { ownersOrAdmins } from './spending.ts';

/** Maximum number of owners told of a shared channel. */
const maxTold = 10;

/** Creates the roles: who may do what in an account, requests for roles, and keeping up with people's status in Slack. */
export function createRoles(deps: Modules) {
  const { people, slack, channels } = deps;
  const requests = createRequests(deps);

  async function contentOf(ref: AccountRef, page: number, outcome?: string): Promise<SettingsContent> {
    const [rights, { isShared }, ownersByKey, subscribed] = await Promise.all([
      people.grants.of(ref),
      people.accounts.owners(ref),
      people.access.ownersWithoutGrant(ref),
      channels.subscriptions.ofAccount(ref),
    ]);
    const cardChannels = [...new Set(subscribed.map(({ channel }) => channel))];
    const areShared = await Promise.all(
      cardChannels.map((channel) => channels.shared.isShared(ref.workspace, channel)),
    );
    return {
      account: ref.account,
      page,
      rights,
      isShared,
      ownersByKey,
      channels: cardChannels,
      sharedChannels: cardChannels.filter((_, index) => areShared[index]),
      outcome,
    };
  }

  const open = async ({ ref, open }: Opener & { readonly ref: AccountRef }) =>
    open(settingsModal(await contentOf(ref, 0)));

  async function showPage({ ref, workspace, view }: ViewClick<unknown>, page: number, outcome?: string) {
    const settings = settingsModal(await contentOf(ref, page, outcome));
    await slack.messengerOf(workspace).updateModal(view.id, settings);
  }

  /** Makes a change. Resolves to false if that would leave the account without an owner. */
  async function apply(
    ref: AccountRef,
    change: RightsChange,
    actor: Pick<Actor, 'member' | 'how'>,
  ): Promise<boolean> {
    const { isShared, members } = await people.accounts.owners(ref);
    let isAllowed = true;
    const hasOwner = ({ grants }: AccountRights) => {
      isAllowed = isShared || members.length > 0 || grants.some(({ role }) => role === 'owner');
      return isAllowed;
    };
    const { after } = await people.grants.change(ref, change, doneBy(actor), hasOwner);
    if (!isAllowed) return false;
    for (const channel of after.confirmedChannels)
      await deps.jobs.incidents.clear(ref.workspace, sharedIncident(ref, channel));
    await slack.homes.all(ref.workspace);
    // Decisions or messages held for a person or channel may now proceed.
    await deps.jobs.add('release', ref);
    return true;
  }

  /** A button that changes the rights, in the settings, which then show it. */
  const change = onView(settingsState, 'settings', async (click) => {
    const change = changeValue.decode(click.value);
    const isDone = await apply(click.ref, change, click);
    await showPage(click, click.state.page, isDone ? saved : lastOwner);
  });

  const turn = onView(settingsState, 'settings', (click) => showPage(click, Number(click.value)));

  const add = onForm(settingsState, 'settings', async (submission) => {
    const { ref, state, values, workspace, member: by } = submission;
    const role = roles.find((one) => one === chosen(values, 'role')) ?? 'viewer';
    const to = granteesIn(values);
    if (to.length === 0) return { errors: { members: nobodyChosen } };
    for (const { kind, id } of to)
      if (kind === 'member' && (await people.slack.person(workspace, id, { isFresh: false }))?.isBot)
        return { errors: { members: noApps } };
    let isDone = true;
    for (const one of to) {
      const grant = { to: one, role, by, at: deps.clock.now() };
      if (!(await apply(ref, { type: 'granted', grant }, submission))) isDone = false;
    }
    const { above = '', page } = state;
    return {
      async afterwards() {
        const outcome = isDone ? saved : lastOwner;
        const settings = settingsModal(await contentOf(ref, page, outcome));
        await submission.show(settings, outcome, { view: above });
      },
    };
  });

  /** Confirms a shared channel from its notice. */
  const confirmShared = onButton(sharedChannelValue, 'settings', async (click) => {
    const change = { type: 'channel-confirmed', channel: click.value.channel } as const;
    await apply(click.ref, change, click);
    const text = confirmedText(change.channel);
    await click.show(notice(text), text);
  });

  /** Tells the owners of an account, once, that its messages wait because a channel is shared. */
  async function tellShared({ channel, ...ref }: Payload<'tell-shared'>): Promise<JobEnd> {
    const { workspace, account } = ref;
    const owners = await ownersOrAdmins(deps, ref);
    if (owners.members === undefined) return { again: owners.waitMs };
    if (!(await deps.jobs.incidents.record(workspace, sharedIncident(ref, channel), 'shared'))) return;
    for (const owner of owners.members.slice(0, maxTold)) {
      await slack
        .messengerOf(workspace)
        .direct(owner, sharedChannelMessage(account, channel))
        .catch(ignoreSlackError);
    }
  }

  const membersChanged = ({ workspace, channel }: ChannelEvent) =>
    people.slack.forgetMembers(workspace, channel);

  const feature: Feature = {
    commands: [
      onCommand(
        {
          command: '/proofdesk',
          word: 'settings',
          usage: '',
          help: 'Shows and changes roles and spending limits.',
          needs: 'settings',
        },
        open,
      ),
    ],
    clicks: {
      ...requests.clicks,
      'rights.settings': onHome('settings', open),
      'rights.give': onView(settingsState, 'settings', ({ state, view, open }) =>
        open(addRoleModal(settingsState.encode({ ...state, above: view.id }))),
      ),
      'rights.page.previous': turn,
      'rights.page.next': turn,
      'rights.withdraw': change,
      'rights.channel': change,
      'rights.shared.post': confirmShared,
    },
    submissions: { 'rights.give': add },
    memberChanged: ({ workspace, member }) => people.slack.forgetPerson(workspace, member),
    channelEvents: {
      member_joined_channel: membersChanged,
      member_left_channel: membersChanged,
      async channel_shared(event) {
        const { workspace, channel } = event;
        channels.shared.forget(workspace, channel);
        await membersChanged(event);
        const subscribed = await channels.subscriptions.ofChannel(workspace, channel);
        // Notifies the owners immediately; posts wait without further action.
        for (const account of new Set(subscribed.map((one) => one.account)))
          await channels.shared.mayPost({ workspace, account }, channel);
      },
    },
  };

  return {
    feature,
    jobs: { ...requests.jobs, 'tell-shared': tellShared },
    message: roleRequestMessage(deps),
  };
}

/** Returns the grantees chosen in the form. */
function granteesIn(values: Submission['values']): Grantee[] {
  const channel = picked(values, 'channel');
  return [
    ...chosenUsers(values, 'members').map((id) => ({ kind: 'member', id: MemberId.parse(id) }) as const),
    ...(channel === undefined ? [] : [{ kind: 'channel', id: ChannelId.parse(channel) } as const]),
  ];
}

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
    if (await people.access.has(click, ref, capability)) return answer(mayNow);
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
    };
    const step = audit.step({ workspace }, { what: 'ask for role', ...doneBy(click), account, after: role });
    await people.roleRequests.put(workspace, request.id, request, step);
    await deps.jobs.add('ask-owners', { workspace, request: click.id });
    await answer(askedText);
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
    { member, capability }: RoleRequest,
    by: MemberId,
  ): Promise<void> {
    const actor = { by, how: 'click' } as const;
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
