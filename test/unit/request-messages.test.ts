import { beforeEach, expect, test } from 'vitest';
import type { RoleRequest } from '../../src/domain/rights.ts';
import type { AccountRef, ChannelId, MemberId } from '../../src/domain/terms.ts';
import { createRoleRequestMessages } from '../../src/store/messages.ts';
import { emptyRedis } from '../harness/empty-redis.ts';
import { asId } from '../harness/ids.ts';

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const [ann, ben, dan] = [asId<MemberId>('U01ANN'), asId<MemberId>('U02BEN'), asId<MemberId>('U04DAN')];
const redis = emptyRedis();
const request: RoleRequest = {
  ...{ id: 'r1', account: ref.account, member: dan, isGuest: false, capability: 'rate', at: 1 },
  asked: [ann, ben],
};
const answered: RoleRequest = { ...request, answer: { by: ann, isGranted: true } };

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
