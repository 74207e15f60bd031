import { expect, test } from 'vitest';
import { maxComment, startingReasons } from '../../src/domain/reason.ts';
import type { MemberId, TaskId } from '../../src/domain/terms.ts';
import { reasonMissing } from '../../src/features/decide/comment.view.ts';
import { createCommentForm } from '../../src/features/decide/comment-form.ts';
import { intents } from '../../src/features/decide/decide.view.ts';
import { createDecisions } from '../../src/features/decide/decisions.ts';
import { encodeFocus } from '../../src/features/focus/public.ts';
import { asId, ref } from '../harness/ids.ts';
import { idle, testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { waitingRow } from '../harness/waiting-row.ts';

const redis = redisPerFile();
const task = asId<TaskId>('t1');
const ann = asId<MemberId>('U1');
const { id: dark = '', text: darkText = '' } = startingReasons[1] ?? {};

/** Ann's form for a REVISE of a task, with what she wrote and chose in it. */
async function begin(text = '', chosen?: string, shown: object = {}) {
  const told = { renewed: [] as unknown[], shown: [] as object[] };
  const modules = testModules(redis(), { slack: { cards: idle } }, { now: () => 5_000 });
  const { slack, tasks } = modules;
  await tasks.apply(ref, task, waitingRow(task));
  const leases = { ...tasks.leases, renew: async (...of: unknown[]) => void told.renewed.push(of) };
  const messengerOf = () => ({ updateModal: async (_: string, view: object) => told.shown.push(view) });
  const replaced = { ...modules, slack: { ...slack, messengerOf }, tasks: { ...tasks, leases } } as never;
  const state = { account: ref.account, task, round: 1, verdict: 'REVISE' as const, form: 1, ...shown };
  const values = {
    'comment.3': { typed: { value: text } },
    'reason.3': { choose: { selected_option: chosen === undefined ? null : { value: chosen } } },
  };
  const by = { ref, workspace: ref.workspace, team: ref.workspace, member: ann, how: 'form', id: 'd1' };
  const form = { ...by, callbackId: 'task.reason', state, values } as never;
  const forms = createCommentForm(replaced, createDecisions(modules));
  const made = async () => (await tasks.get(ref, task))?.decision;
  return { by, form, forms, made, state, told, values };
}

/** What stands in the inputs of a form, and what it says it was filled with. */
function inputsIn(view: { blocks?: object[]; private_metadata?: string }) {
  const inputs = (view.blocks ?? []) as { block_id?: string; element?: Record<string, unknown> }[];
  const comment = inputs.find(({ block_id = '' }) => block_id.startsWith('comment.'));
  const { filled, reason } = intents.decode(view.private_metadata ?? '');
  return [comment?.block_id, comment?.element?.initial_value, filled, reason];
}

const shown = { filled: 3, reason: dark };

test.each([
  ['typed', [' Too dark. '], ['Too dark.', undefined]],
  ['saved, and edited', [`${darkText} Hurry.`, dark, shown], [`${darkText} Hurry.`, dark]],
  ['saved, and replaced by other words', ['Wrong shop', dark, shown], ['Wrong shop', undefined]],
  ['saved, and sent before Slack shows its text', ['', dark], [darkText, dark]],
  ['as long as can be', ['x'.repeat(maxComment)], ['x'.repeat(maxComment), undefined]],
] as const)('a reason that is %s is sent as it stands', async (_, given, sent) => {
  const { form, forms, made } = await begin(...(given as [string, string, object]));
  const outcome = await forms.submit(form);
  const decision = await made();
  expect(outcome).toMatchObject({ kind: 'decided', decision: { id: 'd1', verdict: 'REVISE' } });
  expect([decision?.comment, decision?.reason]).toEqual(sent);
});

test.each([
  ['', reasonMissing],
  ['x'.repeat(maxComment + 1), expect.stringContaining('has 3,001 characters. It can have 3,000 at most')],
])('a reason that is missing or too long is told beside its input', async (text, problem) => {
  const { form, forms, made } = await begin(text, undefined, { filled: 3 });
  expect(await forms.submit(form)).toEqual({ kind: 'errors', errors: { 'comment.3': problem } });
  expect(await made()).toBeUndefined();
});

test('a saved reason that is chosen beside other words is shown with them before it is sent, and kept; who chooses or types is not away', async () => {
  const { by, form, forms, made, state, told, values } = await begin('Hello.', dark, { filled: 3 });
  const both = `Hello.\n\n${darkText}`;
  const outcome = await forms.submit(form);
  expect(inputsIn(outcome.kind === 'form' ? outcome.view : {})).toEqual(['comment.4', both, 4, dark]);
  expect(await made()).toBeUndefined();
  const view = {
    id: 'V1',
    hash: 'h',
    callbackId: '',
    state: encodeFocus({ account: ref.account, session: 's1', step: 1 }),
    values,
  };
  const click = { ...by, state, view, ts: '1.2' };
  await forms.typed({ ...click, value: 'Hello.' } as never);
  await forms.choose({ ...click, value: dark, ts: '1.3' } as never);
  expect(told.renewed).toEqual([
    [ref, 's1'],
    [ref, 's1'],
  ]);
  const again = await forms.open({ ...by, state: { ...state, verdict: 'NOK', filled: 0 } } as never);
  expect(inputsIn(again.kind === 'form' ? again.view : {})).toEqual(['comment.0', both, 0, undefined]);
});
