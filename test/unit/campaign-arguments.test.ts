import { expect, test } from 'vitest';
import { campaign } from '../../gallery/samples/campaigns.ts';
import { daysSpan } from '../../src/domain/task.ts';
import { looksLikeCodes, parseRestartArguments } from '../../src/features/campaigns/change.ts';
import { campaignFormState, countryOptions, isAsShown } from '../../src/features/campaigns/change.view.ts';
import {
  currentCountries,
  parseCountries,
  searchCountries,
  validateCountries,
} from '../../src/features/campaigns/countries.ts';
import { parseWholeNumber } from '../../src/features/campaigns/create-fields.ts';
import { parseFilter } from '../../src/features/campaigns/list.view.ts';
import { campaignValue } from '../../src/features/campaigns/words.ts';

test.each([
  ['', undefined],
  ['all', undefined],
  ['running', 'RUNNING'],
  ['  PAUSED_ADMIN ', 'PAUSED_ADMIN'],
  ['paused admin', 'PAUSED_ADMIN'],
  ['Paused by the system', 'PAUSED_SYSTEM'],
  ['archive', 'ARCHIVE'],
])('/campaign list [status]: %j', (text, status) => {
  expect(parseFilter(text)).toBe(status);
});

test('an unknown status names the nearest and all there are', () => {
  expect(() => parseFilter('runing')).toThrow(/no status “runing”.*`\/campaign list running`.*`finished`/);
  expect(() => parseFilter('<!channel>')).toThrow(/“&lt;!channel&gt;”/);
});

test.each([
  ['a1', { campaign: 'a1' }],
  ['a1 20', { campaign: 'a1', positions: 20 }],
  ['12 20', { campaign: '12', positions: 20 }],
  ['12', { campaign: '12' }],
  ['"Shelf 7"', { campaign: '"Shelf 7"' }],
  ['coffee shelf', { campaign: 'coffee shelf' }],
  ['coffee shelf +5', { campaign: 'coffee shelf', positions: 5 }],
])('/campaign restart <id> <positions>: %j', (text, expected) => {
  expect(parseRestartArguments(text)).toEqual(expected);
});

test.each(['a1 0', 'a1 -3', 'a1 2.5', 'a1 1,000', 'coffee 0'])(
  '/campaign restart <id> <positions>: %j is told what is wanted',
  (text) => {
    expect(() => parseRestartArguments(text)).toThrow(/Nothing was restarted.*whole number above 0/);
  },
);

test('codes behind a campaign are recognized at once, however many there are', () => {
  const many = 'US,'.repeat(32);
  expect([`${many}GB`, `-IN;${many}`, `${many}gb`].map((one) => looksLikeCodes.test(one))).toEqual([
    true,
    true,
    false,
  ]);
});

test('positions are whole numbers above 0', () => {
  expect(['1', ' 20 ', '+3', '999999999'].map(parseWholeNumber)).toEqual([1, 20, 3, 999_999_999]);
  expect(['', '0', '-1', '1e3', '1.0', '٣', '9999999999'].map(parseWholeNumber)).toEqual(
    Array(7).fill(undefined),
  );
});

test.each([
  ['US GB -IN', '-', { include: ['US', 'GB'], exclude: ['IN'] }],
  ['us, gb; –in −fr', '-', { include: ['US', 'GB'], exclude: ['IN', 'FR'] }],
  ['US !IN -FR', '!', { include: ['US'], exclude: ['IN', 'FR'] }],
  ['US US -IN -IN', '-', { include: ['US'], exclude: ['IN'] }],
  ['US not:in', 'not:', { include: ['US'], exclude: ['IN'] }],
  ['US -IN', '', { include: ['US'], exclude: ['IN'] }],
  ['', '-', { include: [], exclude: [] }],
])('/campaign retarget <id> [US GB -IN …]: %j with the mark %j', (words, mark, expected) => {
  expect(parseCountries(words, mark)).toEqual(expected);
});

const wrong = (include: string[], exclude: string[] = []) => validateCountries({ include, exclude });

test('the rules of a retarget are checked before anything is sent, each on its own side', () => {
  expect(wrong(['US'], ['GB'])).toEqual({});
  expect(wrong([])).toEqual({ include: 'No country is included. Include at least one.' });
  expect(wrong(['US', 'UK']).include).toBe('Not a country code: UK. Did you mean GB (United Kingdom)?');
  expect(wrong(['GERMANY']).include).toContain('Did you mean DE (Germany)?');
  expect(wrong(['US'], ['X1', 'YYY', 'C', 'D', 'E', 'F'])).toEqual({
    exclude: 'Not a country code: X1, YYY, C, D, E. Use two-letter codes, such as US.',
  });
  const both = 'cannot be both included and excluded. Remove';
  expect(wrong(['US', 'GB'], ['GB'])).toEqual({
    exclude: `United Kingdom (GB) ${both} it from one of the two.`,
  });
  expect(wrong(['US', 'GB'], ['GB', 'US'])).toEqual({
    exclude: `United Kingdom (GB), United States (US) ${both} them from one of the two.`,
  });
  const eleven = 'AT BE CH DE DK ES FI FR IE IT LU'.split(' ');
  expect(wrong(['US'], eleven).exclude).toBe('11 countries are excluded. Exclude at most 10.');
  expect(wrong(['US'], eleven.slice(1))).toEqual({});
});

test('a well-formed code that our list lacks is no problem', () => {
  expect(wrong(['US', 'XK'], ['XX'])).toEqual({});
  expect(wrong(['XK'], ['XK']).exclude).toContain('XK cannot be both included and');
  expect(wrong(['X', 'XKX', 'XK']).include).toContain('Not a country code: X, XKX.');
});

test('at most 100 countries are offered, by name or code', () => {
  const offered = (typed: string) => countryOptions(typed).map(({ value }) => value);
  expect(offered('')).toHaveLength(100);
  expect(countryOptions('germ')[0]).toMatchObject({ value: 'DE', text: { text: 'Germany (DE)' } });
  expect(offered('').slice(0, 3)).toEqual(['AF', 'AX', 'AL']);
  expect(['GB', "cote d'i", ' xk ', 'kingdom'].map(offered)).toEqual([['GB'], ['CI'], ['XK'], ['GB']]);
  expect(offered('in').slice(0, 3)).toEqual(['IN', 'ID', 'AR']);
  expect(countryOptions('qq').map(({ text }) => text.text)).toEqual(['QQ (not in our list)']);
  expect(offered('zzzz')).toEqual([]);
  expect(offered('uk')).not.toContain('UK');
});

test('what a campaign has now is taken over only when it is a list of codes', () => {
  const now = (targetedCountries: string, excludedCountries = '') =>
    currentCountries(campaign({ targetedCountries, excludedCountries }));
  expect(now('US, GB', 'IN')).toEqual({ include: ['US', 'GB'], exclude: ['IN'] });
  expect(now('US, XK', 'EU')).toEqual({ include: ['US', 'XK'], exclude: [] });
  const opened = campaign({ targetedCountries: 'US,GB', excludedCountries: 'IN' });
  const chosen = [
    { include: ['GB', 'US'], exclude: ['IN'] },
    { include: ['GB', 'US', 'IN'], exclude: [] },
  ];
  expect(chosen.map((countries) => isAsShown(opened, countries))).toEqual([true, false]);
  // Described in words, or more than a select can show: a change replaces all of them, so none is taken over silently.
  const tooMany = searchCountries('').slice(0, 101);
  for (const targeted of ['europe1', tooMany.map(({ code }) => code).join()])
    expect(now(targeted)).toEqual({ include: [], exclude: [] });
});

test('a span of days goes from the first to the last second in the marketplace’s zone', () => {
  expect(daysSpan('2026-01-31', '2026-02-01', 'America/New_York')).toEqual({
    from: new Date('2026-01-31T05:00:00Z'),
    to: new Date('2026-02-02T04:59:59Z'),
  });
  expect(daysSpan(undefined, '2026-02-31', 'UTC')).toEqual({});
});

test('buttons and forms refuse what is not theirs', () => {
  for (const text of ['', 'c1', '{}', '{"campaign":""}', '{"page":-1}', 'null']) {
    expect(() => campaignValue.decode(text)).toThrow(/^This button is out of date/);
    expect(() => campaignFormState.decode(text)).toThrow(/^This form is out of date.* Start again/);
  }
});
