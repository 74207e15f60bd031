import { describe, expect, test } from 'vitest';
import type { AccountId } from '../../src/domain/terms.ts';
import { employersMessage, exclusionResultText } from '../../src/features/worker-side/employers.view.ts';
import { employerListCodec, taskListCodec } from '../../src/features/worker-side/list-state.ts';
import { asId } from '../harness/ids.ts';
import { confirmsOf } from './confirms.ts';

const account = asId<AccountId>('0123456789abcdef');

describe('the worker side', () => {
  const list = { account, rating: 'OK', from: '2026-01-31', to: '2026-02-01', page: 5 } as const;

  test('an employer is excluded after a confirmation that says it is for good', () => {
    const employer = { userId: 'e1', username: 'tasty', country: 'France' };
    const { blocks } = employersMessage({ account, kind: 'included', page: 0 }, [employer]);
    expect(confirmsOf(blocks).get('worker.exclude.one e1')).toMatchObject({
      title: { text: 'Exclude this employer?' },
      text: {
        text: 'You will no longer be offered work from tasty (e1). Undoing this is only possible on the website: the API cannot take employers off the list.',
      },
      confirm: { text: 'Exclude' },
      deny: { text: 'Do not exclude' },
      style: 'danger',
    });
  });

  test('what came of excluding employers is told as far as it is known', () => {
    const asked = ['e1', 'e2'];
    expect(exclusionResultText({ requested: asked, listed: [], added: 0 })).toBe(
      ':warning: Not on the list: e1, e2. The marketplace knows no employers with these ids. Check them.',
    );
    expect(exclusionResultText({ requested: asked, listed: ['e1'], added: 'uncounted' })).toMatch(
      /^:white_check_mark: Now on your exclude list: e1\.\n:warning: Not on the list: e2\. .*knows no employers/,
    );
    // No answer: that they are not on the list does not say that they are unknown.
    expect(exclusionResultText({ requested: asked, listed: [], added: undefined })).toBe(
      ':warning: Not on the list: e1, e2. The marketplace gave no clear answer, so they may still be added. Check the list in a minute, and try again if they are missing.',
    );
    expect(exclusionResultText({ requested: asked, listed: asked, added: undefined })).toBe(
      ':white_check_mark: Now on your exclude list: e1, e2.',
    );
    // Without the list, only the number is known.
    const unlisted = (added: number | 'uncounted' | undefined) =>
      exclusionResultText({ requested: asked, listed: undefined, added });
    expect(unlisted(2)).toBe(':white_check_mark: Now on your exclude list: e1, e2.');
    expect(unlisted(1)).toMatch(
      /added 1 of these 2 to your exclude list: e1, e2\..*cannot be loaded right now/,
    );
    expect(unlisted(0)).toMatch(/^:warning: The marketplace added nobody for e1, e2/);
    expect(unlisted('uncounted')).toMatch(/^:white_check_mark: The marketplace accepted these/);
    expect(unlisted(undefined)).toMatch(
      /^:warning: It is unclear whether these were excluded: e1, e2\..*try again if they are missing\.$/,
    );
  });

  test('reads its state back from block ids', () => {
    expect(taskListCodec.decode(taskListCodec.encode('worker.filter', list))).toEqual(list);
    expect(taskListCodec.decode('nonsense')).toBeUndefined();
    expect(taskListCodec.decode('worker.filter/a1/ALL/x/2026-13-01/y')).toEqual({ account: 'a1', page: 0 });
    expect(taskListCodec.update(list, { rating: 'ALL', from: '' })).toEqual({
      account,
      to: list.to,
      page: 0,
    });
    expect(taskListCodec.update(list, { page: '3' })).toEqual({ ...list, page: 3 });
    expect(taskListCodec.update(list, { page: 'x' })).toEqual({ ...list, page: 0 });
    const employers = { account, kind: 'included', page: 2 } as const;
    expect(employerListCodec.decode(employerListCodec.encode('worker.lists', employers))).toEqual(employers);
  });
});
