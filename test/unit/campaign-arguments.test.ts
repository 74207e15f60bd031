import { describe, expect, test } from 'vitest';
import type { CampaignId } from '../../src/domain/terms.ts';
import { bar } from '../../src/features/campaigns/figures.ts';
import { readStatus } from '../../src/features/campaigns/list.ts';
import { readArguments, readPositions } from '../../src/features/campaigns/restart.ts';
import { currentCountries, problemsOf, readCountries } from '../../src/features/campaigns/targeting.ts';
import { campaignValue, type FormState, formState, pageValue } from '../../src/features/campaigns/values.ts';
import { asId } from '../harness/ids.ts';
import { campaign } from './campaign-samples.ts';

describe('/campaign list [status]', () => {
  test.each([
    ['', undefined],
    ['all', undefined],
    ['running', 'RUNNING'],
    ['  PAUSED_ADMIN ', 'PAUSED_ADMIN'],
    ['paused admin', 'PAUSED_ADMIN'],
    ['Paused by the system', 'PAUSED_SYSTEM'],
  ])('%j', (text, status) => {
    expect(readStatus(text)).toBe(status);
  });

  test('an unknown status names the nearest and all there are', () => {
    expect(() => readStatus('runing')).toThrow(/no status “runing”.*`\/campaign list running`.*`finished`/);
    expect(() => readStatus('<!channel>')).toThrow(/“&lt;!channel&gt;”/);
  });
});

describe('/campaign restart <id> <positions>', () => {
  const ids = new Set(['a1', '12', 'Shelf 7']);
  const isId = async (text: string) => ids.has(text);

  test.each([
    ['a1', { which: 'a1' }],
    ['a1 20', { which: 'a1', positions: 20 }],
    ['12 20', { which: '12', positions: 20 }],
    ['12', { which: '12' }],
    ['Shelf 7', { which: 'Shelf 7' }],
    ['coffee shelf', { which: 'coffee shelf' }],
    ['coffee shelf +5', { which: 'coffee shelf', positions: 5 }],
  ])('%j', async (text, expected) => {
    expect(await readArguments(text, isId)).toEqual(expected);
  });

  test.each(['a1 0', 'a1 -3', 'a1 2.5', 'a1 1,000', 'a1 many', 'coffee 0'])(
    '%j is told what is wanted',
    async (text) => {
      await expect(readArguments(text, isId)).rejects.toThrow(/Nothing was restarted.*whole number above 0/);
    },
  );

  test('positions are whole numbers above 0', () => {
    expect(['1', ' 20 ', '+3', '999999999'].map(readPositions)).toEqual([1, 20, 3, 999_999_999]);
    expect(['', '0', '-1', '1e3', '1.0', '٣', '9999999999'].map(readPositions)).toEqual(
      Array(7).fill(undefined),
    );
  });
});

describe('/campaign retarget <id> [US GB -IN …]', () => {
  test.each([
    ['US GB -IN', '-', { include: ['US', 'GB'], exclude: ['IN'] }],
    ['us, gb; –in −fr', '-', { include: ['US', 'GB'], exclude: ['IN', 'FR'] }],
    ['US !IN -FR', '!', { include: ['US'], exclude: ['IN', 'FR'] }],
    ['US US -IN -IN', '-', { include: ['US'], exclude: ['IN'] }],
    ['', '-', { include: [], exclude: [] }],
  ])('%j with the mark %j', (words, mark, expected) => {
    expect(readCountries(words, mark)).toEqual(expected);
  });

  test('the rules are checked before anything is sent, each on its own side', () => {
    expect(problemsOf({ include: ['US'], exclude: ['GB'] })).toEqual({});
    expect(problemsOf({ include: [], exclude: [] })).toEqual({
      include: 'No country is included. Include at least one.',
    });
    expect(problemsOf({ include: ['US', 'UK'], exclude: [] }).include).toBe(
      'UK is no country code. Did you mean GB (United Kingdom)?',
    );
    expect(problemsOf({ include: ['GERMANY'], exclude: [] }).include).toContain('Did you mean DE (Germany)?');
    expect(problemsOf({ include: ['US'], exclude: ['XX', 'YY'] }).exclude).toContain(
      'XX, YY are no country codes.',
    );
    expect(problemsOf({ include: ['US', 'GB'], exclude: ['GB'] }).exclude).toContain(
      'United Kingdom (GB) cannot be included and excluded at once.',
    );
    const eleven = 'AT BE CH DE DK ES FI FR IE IT LU'.split(' ');
    expect(problemsOf({ include: ['US'], exclude: eleven }).exclude).toBe(
      '11 countries are excluded. Exclude 10 at the most.',
    );
    expect(problemsOf({ include: ['US'], exclude: eleven.slice(1) })).toEqual({});
  });

  test('what a campaign has now is taken over only when it is a list of codes', () => {
    expect(currentCountries(campaign({ targetedCountries: 'US, GB', excludedCountries: 'IN' }))).toEqual({
      include: ['US', 'GB'],
      exclude: ['IN'],
    });
    expect(currentCountries(campaign({ targetedCountries: 'europe1', excludedCountries: '' }))).toEqual({
      include: [],
      exclude: [],
    });
  });
});

test('buttons and forms carry what they are given, and refuse what is not theirs', () => {
  const target = { campaign: asId<CampaignId>('12e5'), positions: 4 };
  expect(campaignValue.decode(campaignValue.encode(target))).toEqual(target);
  expect(pageValue.decode(pageValue.encode({ filter: { status: 'RUNNING' }, page: 3 }))).toEqual({
    filter: { status: 'RUNNING' },
    page: 3,
  });
  const form: FormState = { campaign: asId('c'), channel: asId('C01'), attempt: 2 };
  expect(formState.decode(formState.encode(form))).toEqual(form);
  for (const text of ['', 'c1', '{}', '{"campaign":""}', '{"page":-1}', 'null']) {
    expect(() => campaignValue.decode(text)).toThrow(/older version/);
    expect(() => pageValue.decode(text)).toThrow(/older version/);
  }
});

test('a bar has its width whatever the shares, and shows what is there', () => {
  for (const values of [
    [1, 0, 0],
    [1, 1, 1],
    [1_000_000, 1, 1],
    [0, 0, 1],
    [5, 7, 11],
    [1, 999, 1],
  ]) {
    const marks = ['a', 'b', 'c'];
    const drawn = bar(
      values.map((value, index) => ({ value, mark: marks[index] ?? '' })),
      24,
    );
    expect(drawn).toHaveLength(24);
    values.forEach((value, index) => {
      expect(drawn.includes(marks[index] ?? '')).toBe(value > 0);
    });
  }
  expect(bar([{ value: 0, mark: 'a' }], 24)).toBe('');
});
