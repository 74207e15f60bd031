import { expect, test } from 'vitest';
import type { WorkspaceId } from '../../src/domain/terms.ts';
import { framed, inFrame } from '../../src/features/shared/focus-frame.ts';
import { createViewBudget } from '../../src/features/shared/view-budget.ts';
import { modal, section } from '../../src/slack/blocks.ts';
import type { Click, OpenView } from '../../src/slack/feature.ts';
import { createRateLimiter, defaultRateLimits } from '../../src/store/rate-limiter.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const workspace = asId<WorkspaceId>('T1');
const focus = { account: asId('acc'), session: 's', step: 3, task: asId('t1'), round: 1 } as never;
const form = modal({
  callbackId: 'task.reason',
  title: 'Reason',
  state: '{"own":1}',
  blocks: [section('About')],
});
const click = { workspace } as Click;
const openIn = (state: string, callbackId: string) =>
  ({ id: 'V1', hash: 'h', state, callbackId }) as OpenView;

test('ten reviewers at once keep to the limit of views.update: what they can do without is left out', async () => {
  const clock = { now: 60_000_000 };
  const [here, there] = [redis.first, redis.second].map((one) =>
    createViewBudget(createRateLimiter(one, defaultRateLimits, () => clock.now)),
  ) as [ReturnType<typeof createViewBudget>, ReturnType<typeof createViewBudget>];
  const made: boolean[] = [];
  for (let count = 0; count < 100; count++) {
    clock.now += 500;
    made.push(await (count % 2 === 0 ? here : there).mayUpdate(workspace));
  }
  expect(made.filter((one) => one)).toHaveLength(70);
  clock.now += 120_000;
  expect(await here.mayUpdate(workspace)).toBe(true);
});

test('a form keeps the frame that it has while it is open', async () => {
  const shown: unknown[] = [];
  const replace = async (_: Click, __: OpenView, view: unknown) => void shown.push(view);
  const yes = inFrame({ replace }, { mayUpdate: async () => true });
  const no = inFrame({ replace }, { mayUpdate: async () => false });

  await no.replace(click, openIn('{"own":1}', 'task.reason'), form);
  expect(shown).toEqual([form]);

  const frame = framed(form, 'focus.reason', focus);
  expect(frame).toMatchObject({
    callback_id: 'focus.reason',
    notify_on_close: true,
    close: { text: 'End review' },
  });
  expect(JSON.parse(frame.private_metadata ?? '')).toEqual({ own: 1, focus });
  await no.replace(click, openIn(frame.private_metadata ?? '', 'focus.reason'), form);
  expect(shown).toHaveLength(1);
  await yes.replace(click, openIn(frame.private_metadata ?? '', 'focus.reason'), form);
  expect(shown[1]).toEqual(frame);
});
