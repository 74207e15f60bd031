import { beforeEach, expect, test } from 'vitest';
import { type ApprovalRequest, subjectOf } from '../../src/domain/approval.ts';
import type { Role } from '../../src/domain/permissions.ts';
import type { Grantee, RoleRequest } from '../../src/domain/rights.ts';
import type { ChannelId, MemberId } from '../../src/domain/terms.ts';
import { createApprovalsFeature } from '../../src/features/people/approvals.ts';
import { createRoles } from '../../src/features/people/roles.ts';
import {
  changeValue,
  lastOwner,
  noApps,
  nobodyChosen,
  saved,
  settingsState,
} from '../../src/features/people/roles.view.ts';
import { createSharedAccount } from '../../src/features/people/shared-account.ts';
import type { RoleInAccount } from '../../src/kit/access.ts';
import { personOf } from '../../src/slack/members.ts';
import { createRoleRequestMessages } from '../../src/store/messages.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

const redis = redisPerFile();
const { workspace } = ref;
const [ann, ben, dan] = [asId<MemberId>('U01ANN'), asId<MemberId>('U02BEN'), asId<MemberId>('U04DAN')];
const byAnn = { by: ann, how: 'form' } as const;
const to = (id: MemberId): Grantee => ({ kind: 'member', id });

/** What is shown and told, and the jobs that are queued. */
let shown: string[];
let told: string[];
let queued: string[];
/** The process dies after the change, before its message is queued. */
let dies: boolean;
beforeEach(() => {
  [shown, told, queued] = [[], [], []];
  dies = false;
});

/** The settings of an account that nobody has connected: its owners are those whom they name. */
async function begin(...owners: MemberId[]) {
  const modules = testModules(
    redis(),
    { slack: { homes: { all: async () => undefined } } },
    {
      jobs: { add: async (name: string) => void queued.push(name) } as never,
      messengerOf: () =>
        ({
          updateModal: async (_: string, view: object) => void shown.push(JSON.stringify(view)),
          person: async (id: string) => personOf({ team_id: 'T1', is_bot: id === 'UBOT' }),
          direct: async (member: string) => void told.push(member),
        }) as never,
    },
  );
  const { grants } = modules.people;
  for (const id of owners)
    await grants.change(
      ref,
      { type: 'granted', grant: { to: to(id), role: 'owner', by: ann, at: 1 } },
      byAnn,
    );
  const { feature, jobs } = createRoles(modules);
  const show = async (_: unknown, text: string) => void shown.push(text);
  const actor = { workspace, member: ann, how: 'click', show, authorize: async () => ref } as const;
  const state = settingsState.encode({ account: ref.account, page: 0 });
  return {
    withdraws: (id: MemberId) =>
      feature.clicks?.['rights.withdraw']?.run({
        ...actor,
        value: changeValue.encode({ type: 'withdrawn', from: to(id) }),
        view: { id: 'V', state },
      } as never),
    adds: (members: readonly string[]) =>
      feature.submissions?.['rights.give']?.run({
        ...actor,
        state,
        values: {
          members: { members: { selected_users: members } },
          role: { role: { selected_option: { value: 'manager' } } },
        },
      } as never),
    tellsShared: () => jobs['tell-shared']({ ...ref, channel: asId<ChannelId>('C1') }),
    roles: async () => (await grants.of(ref)).grants.map((one) => `${one.to.id} ${one.role}`),
  };
}

test('the last owner keeps that role; of two, one can lose it, and what was held for somebody may go on', async () => {
  const alone = await begin(ann);
  await alone.withdraws(ann);
  expect(shown.at(-1)).toContain(lastOwner);
  const answer = (await alone.adds([ann])) as { afterwards: () => Promise<void> };
  await answer.afterwards();
  expect(shown.at(-1)).toBe(lastOwner);
  expect([await alone.roles(), queued]).toEqual([[`${ann} owner`], []]);
  const both = await begin(ann, ben);
  await both.withdraws(ann);
  expect(shown.at(-1)).toContain(saved);
  expect([await both.roles(), queued]).toEqual([[`${ben} owner`], ['release']]);
});

test('a role is given to people, not to apps or to nobody', async () => {
  const { adds, roles: given } = await begin(ann);
  expect(await adds([])).toEqual({ errors: { members: nobodyChosen } });
  expect(await adds([ben, 'UBOT'])).toEqual({ errors: { members: noApps } });
  expect(await given()).toEqual([`${ann} owner`]);
  await adds([ben]);
  expect(await given()).toEqual([`${ann} owner`, `${ben} manager`]);
});

test('the owners are told once that messages wait because a channel is shared', async () => {
  const { tellsShared } = await begin(ann, ben);
  await tellsShared();
  await tellsShared();
  expect(told).toEqual([ann, ben]);
});

test('the channels of the environment are applied when they are new; what people have chosen since stays', async () => {
  const modules = testModules(redis());
  const { inbox, subscriptions } = modules.channels;
  const starts = async (reviewChannel: string, inboxChannel: string) => {
    const config = {
      marketplace: { apiKey: 'key' },
      reviewChannel: asId<ChannelId>(reviewChannel),
      inboxChannel: asId<ChannelId>(inboxChannel),
    };
    await createSharedAccount(config, { ...modules, redis: redis(), workspace }).connect();
    const account = (await modules.people.accounts.shared(workspace)) ?? ref;
    const [review] = await subscriptions.ofAccount(account);
    return { account, are: [review?.channel, (await inbox.get(account))?.channel] };
  };
  expect((await starts('C1', 'C2')).are).toEqual(['C1', 'C2']);
  const { account, are } = await starts('C1', 'C3');
  expect(are).toEqual(['C1', 'C3']);
  const chosen = { by: ann, at: 1 };
  const here = { account: account.account, channel: asId<ChannelId>('C8'), started: true };
  await subscriptions.put(workspace, { ...here, ...chosen });
  await inbox.choose(account, { channel: asId('C9'), ...chosen }, { how: 'form' });
  expect((await starts('C1', 'C3')).are).toEqual(['C8', 'C9']);
  expect((await starts('C5', 'C4')).are).toEqual(['C5', 'C9']);
});

const request: RoleRequest = {
  ...{ id: 'r1', account: ref.account, member: dan, capability: 'rate', at: 1 },
  asked: [ann, ben],
};
const answered: RoleRequest = { ...request, answer: { by: ann, isGranted: true } };

const unchecked: RoleInAccount = { role: undefined, refusal: 'unchecked' };
const as = (role?: Role): RoleInAccount => ({ role });
const waits = { again: 30_000 };

const messagesOf = () =>
  createRoleRequestMessages(redis(), undefined, Date.now, async (_, id) => {
    if (dies) throw new Error('died');
    queued.push(id);
  });
const posted = (member: MemberId) =>
  messagesOf().apply(ref, `r1 ${member}`, {
    type: 'posted',
    messageRef: { channel: asId<ChannelId>('D1'), ts: '1' },
  });
const [ofAnn, ofBen] = [`r1 ${ann}`, `r1 ${ben}`];

test('a member who was told of a request is not told again', async () => {
  await messagesOf().tell(ref, request, [ann, ben]);
  expect(queued).toEqual([ofAnn, ofBen]);
  const lease = await messagesOf().acquireRenderLease(ref, ofAnn, 1_000);
  expect(await lease?.markRendered(1)).toBe(true);
  await messagesOf().tell(ref, request, [ann]);
  expect(queued).toHaveLength(2);
});

test('a message whose process died before it was queued is queued when its request goes on', async () => {
  dies = true;
  await expect(messagesOf().tell(ref, request, [ann])).rejects.toThrow('died');
  dies = false;
  await messagesOf().tell(ref, request, [ann]);
  expect(queued).toEqual([ofAnn]);
  await posted(ann);
  dies = true;
  await expect(messagesOf().goOn(ref, answered, [ann])).rejects.toThrow('died');
  dies = false;
  await messagesOf().goOn(ref, answered, [ann]);
  expect(queued).toEqual([ofAnn, ofAnn]);
});

test('nobody is asked what has been answered, and no message goes back to the question', async () => {
  const messages = messagesOf();
  await messages.tell(ref, request, [ann, ben]);
  await posted(ann);
  await messages.goOn(ref, answered, [ann, ben]);
  expect((await messages.get(ref, ofBen))?.card.state).toBe('gone');
  await messages.goOn(ref, request, [ann]);
  expect((await messages.get(ref, ofAnn))?.request).toEqual(answered);
});

const asked: ApprovalRequest = {
  ...{ id: 'p1', total: '1', by: dan, at: Date.now(), until: Date.now() + 600_000, asked: [ann] },
  act: { kind: 'restart', campaign: asId('c1'), title: '', positions: 1, payment: '1', before: 0 },
  reason: { kind: 'role', role: 'reviewer' },
  stage: { state: 'waiting' },
};
const bonus: ApprovalRequest['act'] = {
  ...{ kind: 'bonus', campaign: asId('c1'), title: '', task: asId('t1'), round: 1, worker: '' },
  ...{ bonus: '1', comment: '' },
};
const approved: ApprovalRequest = { ...asked, stage: { state: 'approved', by: ann } };

test.each<[string, object, RoleInAccount, RoleInAccount, unknown?]>([
  ['is carried out', {}, as('viewer'), as('manager')],
  ['is carried out once it arrives', {}, as('owner'), as('owner'), waits],
  ['waits until the rights of its asker are known', {}, unchecked, as('owner'), waits],
  ['waits until those of its approver are known', {}, as('owner'), unchecked, waits],
  ['is over when its asker has no role', {}, as(), as('owner')],
  ['is over when its approver has lost the right', {}, as('owner'), as('reviewer')],
  ['is over when its asker may not rate any more', bonus, as('viewer'), as('owner')],
  ['is over when it is not possible any more', { canceled: 'It runs.' }, as('owner'), as('owner')],
])('what was approved %s', async (name, now, ofAsker, ofApprover, end) => {
  const homes: string[] = [];
  const roleIn = async ({ member }: { member: MemberId }) => (member === dan ? ofAsker : ofApprover);
  const modules = testModules(
    redis(),
    { people: { access: { roleIn } }, slack: { homes: { all: async () => void homes.push('drawn') } } },
    { jobs: { add: async () => undefined } as never },
  );
  const done: string[] = [];
  const act = 'kind' in now ? bonus : asked.act;
  const performed = {
    current: async () => ({ ...act, ...now }),
    claim: () => undefined,
    perform: async (_: unknown, __: unknown, id: string) => {
      done.push(id);
      return { kind: name === 'is carried out' ? 'done' : 'unanswered', sentence: '' };
    },
  };
  const { approvals } = modules.people;
  const step = modules.audit.step(ref, { what: 'ask approval', by: dan });
  await approvals.add(ref, { ...approved, act }, step);
  const acts = { restart: performed, bonus: performed } as never;
  const { jobs } = createApprovalsFeature({ ...modules, acts });
  expect(await jobs.approval({ ...ref, subject: subjectOf(act), request: 'p1' })).toEqual(end);
  expect(done).toEqual(name.startsWith('is carried out') ? ['p1'] : []);
  expect(homes).toEqual(end === undefined ? ['drawn'] : []);
  expect(await approvals.all(ref)).toHaveLength(end === undefined ? 0 : 1);
});

test('a request for approval is continued by polls until its managers were asked, and then by their answer', async () => {
  let continued = 0;
  const add = async (name: string) => {
    if (name === 'approval') continued += 1;
  };
  const modules = testModules(redis(), {}, { jobs: { add } as never });
  const { approvals } = modules.people;
  const { messages } = approvals;
  await approvals.add(ref, asked, modules.audit.step(ref, { what: 'ask approval', by: dan }));
  const { afterPoll } = createApprovalsFeature({ ...modules, acts: {} as never });
  const polls = async () => {
    continued = 0;
    await afterPoll(ref);
    return continued;
  };
  expect(await polls()).toBe(1);
  await messages.tell(ref, asked, [ann]);
  expect(await polls()).toBe(1);
  const messageRef = { channel: asId<ChannelId>('D1'), ts: '1' };
  await messages.apply(ref, messages.idOf(asked, ann), { type: 'posted', messageRef });
  expect(await polls()).toBe(0);
  await approvals.swap(ref, asked, approved);
  expect(await polls()).toBe(1);
});
