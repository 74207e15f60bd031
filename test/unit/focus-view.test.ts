import type { ModalView } from '@slack/types';
import { describe, expect, test } from 'vitest';
import { intent, noComment } from '../../gallery/samples/comments.ts';
import { account } from '../../gallery/samples/people.ts';
import { sixPictures, task } from '../../gallery/samples/tasks.ts';
import type { Task } from '../../src/domain/task.ts';
import { wholeTaskView } from '../../src/features/bulk/whole.view.ts';
import { extrasModal, reasonModal } from '../../src/features/decide/decide.view.ts';
import { picturesView } from '../../src/features/focus/files.view.ts';
import { focusView } from '../../src/features/focus/focus.view.ts';
import { excludeView } from '../../src/features/focus/summary.view.ts';
import { framed } from '../../src/features/shared/focus-frame.ts';

const state = { account, session: 's', step: 3, task: task().id, round: 1 };
const record = { counts: { OK: 1, NOK: 0, REVISE: 0, NOTRATED: 1, NOTREVIEWED: 0 }, campaigns: 1 };
const viewOf = (shown: Task, more: { isLoading?: boolean; isRefused?: () => boolean } = {}) =>
  focusView({
    state,
    task: shown,
    campaignTitle: 'A shelf',
    record,
    left: 2,
    decided: 0,
    label: '',
    notices: [],
    ...more,
  });
const textOf = (view: ModalView) => JSON.stringify(view.blocks);
const picturesOf = ({ blocks }: ModalView) => blocks.filter(({ type }) => type === 'image');
const saying = (slot: string) => task({ proof: { slots: [slot], files: [] } });

test('no form of a review has an input of one line, from which Enter would pay by mistake', () => {
  const forms = [
    reasonModal(intent('NOK'), task(), 'A shelf', noComment),
    extrasModal(intent('OK'), task(), 'A shelf', { payment: undefined, comment: noComment }),
    extrasModal(intent('OK'), task(), 'A shelf', {
      payment: undefined,
      comment: noComment,
      filled: { bonus: '0.05', favorite: 'none' },
    }),
  ];
  const views = [
    viewOf(task()),
    excludeView(state, task()),
    ...forms.map((form) => framed(form, 'focus.form', state)),
  ];
  const inputs = views.flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'input'));
  const texts = inputs.flatMap((block) =>
    'element' in block && block.element?.type === 'plain_text_input' ? [block.element] : [],
  );
  expect(texts).toHaveLength(5);
  for (const element of texts) expect(element).toMatchObject({ multiline: true });
});

test('the form of an OK with extras shows the proof that it pays for above its inputs', () => {
  const form = extrasModal(intent('OK'), saying('A shelf of tea'), 'A shelf', {
    payment: undefined,
    comment: noComment,
  });
  const first = form.blocks.findIndex(({ type }) => type === 'input');
  expect(JSON.stringify(form.blocks.slice(0, first))).toContain('A shelf of tea');
});

describe('pictures of a task in a review', () => {
  test('are counted where they are not shown, also those that Slack has refused, which is said', () => {
    const view = viewOf(sixPictures);
    expect(picturesOf(view)).toHaveLength(3);
    expect(textOf(view)).toContain('"3 more pictures"');
    expect(textOf(view)).not.toContain('could not be shown');
    const refused = viewOf(sixPictures, { isRefused: () => true });
    expect(picturesOf(refused)).toEqual([]);
    expect(textOf(refused)).toContain('"6 pictures"');
    expect(textOf(refused)).toContain('could not be shown here');
    expect(textOf(viewOf({ ...sixPictures, pictures: [] }))).toContain('"6 pictures"');
    // Those that are on their way are no pictures that are missing.
    expect(textOf(viewOf(sixPictures, { isLoading: true }))).not.toContain('more pictures');
  });

  test('are shown together, in their order; what is missing then is said', () => {
    const pictures = [5, 6, 1, 2, 3, 4].map((index) => ({ index, file: `F${index}` }));
    const all = picturesView({ ...sixPictures, pictures });
    expect(picturesOf(all)).toMatchObject(
      [1, 2, 3, 4, 5, 6].map((index) => ({ slack_file: { id: `F${index}` } })),
    );
    expect(textOf(all)).not.toContain('could not be shown');
    const some = picturesView({ ...sixPictures, pictures: pictures.slice(2) });
    expect(textOf(some)).toContain('2 pictures could not be shown here');
    expect(picturesView({ ...task(), pictures: [] }).blocks).toHaveLength(1);
  });

  test('are all there where a selection shows all of a task, or it says how many are not', () => {
    const pictures = [1, 2, 3, 4, 5, 6].map((index) => ({ index, file: `F${index}` }));
    const whole = wholeTaskView({ task: { ...sixPictures, pictures }, campaignTitle: 'A shelf' });
    expect(picturesOf(whole)).toHaveLength(6);
    expect(textOf(whole)).not.toContain('could not be shown');
    const refused = wholeTaskView({ task: sixPictures, campaignTitle: 'A shelf', isRefused: () => true });
    expect(textOf(refused)).toContain('6 pictures could not be shown here');
  });
});

test('links of a proof are text in a review, and offered behind a button that says where they lead', () => {
  const view = viewOf(saying('https://bank.example@evil.example/login'));
  expect(textOf(view)).toContain('"focus.links"');
  expect(textOf(view)).not.toMatch(/"url"|<https/);
  expect(textOf(viewOf(saying('no link')))).not.toContain('focus.links');
});
