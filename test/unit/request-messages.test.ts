import { beforeEach, expect, test } from 'vitest';
import type { ApprovalRequest } from '../../src/domain/approval.ts';
import type { Role } from '../../src/domain/permissions.ts';
import type { RoleRequest } from '../../src/domain/rights.ts';
import type { ChannelId, MemberId } from '../../src/domain/terms.ts';
import { createApprovalsFeature } from '../../src/features/people/approvals.ts';
import type { RoleInAccount } from '../../src/kit/access.ts';
import { createRoleRequestMessages } from '../../src/store/messages.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';

const [ann, ben, dan] = [asId<MemberId>('U01ANN'), asId<MemberId>('U02BEN'), asId<MemberId>('U04DAN')];
const redis = redisPerFile();
const request: RoleRequest = {
  ...{ id: 'r1', account: ref.account, member: dan, isGuest: false, capability: 'rate', at: 1 },
  asked: [ann, ben],
};
const answered: RoleRequest = { ...request, answer: { by: ann, isGranted: true } };

const unchecked: RoleInAccount = { role: undefined, refusal: 'unchecked' };
const as = (role?: Role): RoleInAccount => ({ role });
const waits = { again: 30_000 };

let queued: string[];
/** The process dies after the change, before its message is queued. */
let dies: boolean;
beforeEach(() => {
  queued = [];
  dies = false;
});

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
const approved: ApprovalRequest = { ...asked, stage: { state: 'approved', by: ann } };

test.each<[string, object, RoleInAccount, RoleInAccount, unknown?]>([
  ['is carried out', {}, as('viewer'), as('manager')],
  ['waits until the rights of its asker are known', {}, unchecked, as('owner'), waits],
  ['waits until those of its approver are known', {}, as('owner'), unchecked, waits],
  ['is over when its asker has no role', {}, as(), as('owner')],
  ['is over when its approver has lost the right', {}, as('owner'), as('reviewer')],
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
  const restart = {
    current: async () => ({ ...asked.act, ...now }),
    claim: () => undefined,
    perform: async (_: unknown, __: unknown, id: string) => {
      done.push(id);
      return { kind: 'done', sentence: '' };
    },
  };
  const { approvals } = modules.people;
  await approvals.add(ref, approved, modules.audit.step(ref, { what: 'ask approval', by: dan }));
  const { jobs } = createApprovalsFeature({ ...modules, acts: { restart } as never });
  expect(await jobs.approval({ ...ref, subject: 'restart c1', request: 'p1' })).toEqual(end);
  expect(done).toEqual(name === 'is carried out' ? ['p1'] : []);
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
