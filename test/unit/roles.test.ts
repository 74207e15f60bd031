import { beforeEach, expect, test } from 'vitest';
import { roles } from '../../src/domain/permissions.ts';
import type { Grantee } from '../../src/domain/rights.ts';
import type { ChannelId, MemberId } from '../../src/domain/terms.ts';
import { createRoles } from '../../src/features/people/roles.ts';
import {
  changedText,
  changeValue,
  lastOwner,
  noApps,
  nobodyChosen,
  settingsState,
} from '../../src/features/people/roles.view.ts';
import { createSharedAccount } from '../../src/features/people/shared-account.ts';
import { personOf } from '../../src/slack/members.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

const redis = redisPerFile();
const { workspace } = ref;
const [ann, ben] = ['U1', 'U2'].map((id) => asId<MemberId>(id)) as [MemberId, MemberId];
const byAnn = { by: ann, how: 'form' } as const;
const to = (id: MemberId): Grantee => ({ kind: 'member', id });

/** What is shown and told, and the jobs that are queued. */
let shown: string[];
let told: string[];
let queued: string[];
beforeEach(() => {
  [shown, told, queued] = [[], [], []];
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
  const actor = { workspace, member: ann, how: 'click', authorize: async () => ref } as const;
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
          role: { role: { selected_option: { value: 'viewer' } } },
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
  expect([await alone.roles(), queued]).toEqual([['U1 owner'], []]);
  const both = await begin(ann, ben);
  await both.withdraws(ann);
  expect(shown.at(-1)).toContain(changedText({ type: 'withdrawn', from: to(ann) }));
  expect([await both.roles(), queued]).toEqual([['U2 owner'], ['release']]);
});

test('a role is given to people, not to apps or to nobody', async () => {
  const { adds, roles: given } = await begin(ann);
  expect(await adds([])).toEqual({ errors: { members: nobodyChosen } });
  expect(await adds(['U2', 'UBOT'])).toEqual({ errors: { members: noApps } });
  expect(await given()).toEqual(['U1 owner']);
  await adds(['U2']);
  expect(await given()).toEqual(['U1 owner', `U2 ${roles[0]}`]);
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
