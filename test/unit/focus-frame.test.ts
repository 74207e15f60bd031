import { expect, test } from 'vitest';
import type { WorkspaceId } from '../../src/domain/terms.ts';
import { framed, inFrame } from '../../src/kit/focus-frame.ts';
import { modal, section } from '../../src/slack/blocks.ts';
import type { Click, OpenView } from '../../src/slack/feature.ts';
import { asId } from '../harness/ids.ts';

const workspace = asId<WorkspaceId>('T1');
const focus = { account: asId('acc'), session: 's', step: 3, task: asId('t1'), round: 1 } as never;
const blocks = [section('About')];
const form = modal({ callbackId: 'task.reason', title: 'Reason', state: '{"own":1}', blocks });
const click = { workspace } as Click;
const openIn = (state: string, callbackId: string) =>
  ({ id: 'V1', hash: 'h', state, callbackId }) as OpenView;

test('a form keeps the frame that it has while it is open, and is not updated while Slack limits that', async () => {
  const shown: unknown[] = [];
  const replace = async (_: Click, __: OpenView, view: unknown) => void shown.push(view);
  const yes = inFrame({ replace }, { acquire: async () => 0 });
  const no = inFrame({ replace }, { acquire: async () => 600 });

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
