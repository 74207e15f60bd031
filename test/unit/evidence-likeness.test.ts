import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  comparedTask,
  countryCode,
  hashOfUserAgent,
  postingsOf,
  quickestTwentieth,
  quickTravel,
  sharedBy,
} from '../../src/domain/evidence/likeness.ts';
import { networkOf } from '../../src/domain/worker.ts';
import { type Told, toldTask } from '../harness/compared-task.ts';
import { forAll } from './properties.ts';

const minute = 60_000;
const nothingCommon = { isCommon: () => false };
const shared = (one: Told, other: Told, context: Partial<Parameters<typeof sharedBy>[2]> = {}) =>
  sharedBy(comparedTask(toldTask(one)), comparedTask(toldTask(other)), { ...nothingCommon, ...context });

const greece = { country: 'Greece', at: 0 };

test('a traveler is told within an hour, with both countries', () => {
  const told = { countries: ['EG', 'GR'], minutes: 4 };
  expect(quickTravel(greece, { country: 'EG', at: 4 * minute })).toEqual(told);
  expect(quickTravel({ country: 'Egypt', at: 4 * minute }, greece)).toEqual(told);
  expect(quickTravel(greece, { country: 'Egypt', at: 61 * minute })).toBeUndefined();
});

test('a traveler can be where nobody knows', () => {
  for (const country of ['Atlantis', '', 'ZZ', '  ', '12'])
    expect(quickTravel(greece, { country, at: minute })).toBeUndefined();
  expect(quickTravel(greece, { country: 'Japan' })).toBeUndefined();
});

test('a traveler is in one country, by whichever of its names and codes', () => {
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  for (const code of ['AE', 'CI', 'CW', 'DE', 'GB', 'KR', 'RS', 'RU', 'TR', 'US', 'XK'])
    expect(countryCode(names.of(code) ?? '')).toBe(code);
  for (const [one, other] of [
    ['UK', 'Great Britain'],
    ['Turkey', 'Türkiye'],
    ['usa', 'United States'],
  ] as const)
    expect(quickTravel({ country: one, at: 0 }, { country: other, at: minute })).toBeUndefined();
});

test('networks are the first 24 bits of an IPv4 address, the first 48 of an IPv6 one', () => {
  expect(networkOf(' 203.0.113.7 ')).toEqual({ address: '203.0.113.7', network: '203.0.113.0/24' });
  expect(networkOf('::ffff:203.0.113.7')).toEqual(networkOf('203.0.113.7'));
  const six = { address: '2001:db8:1:0:0:0:0:7', network: '2001:db8:1::/48' };
  expect(networkOf('2001:db8:1::7')).toEqual(six);
  for (const other of ['', 'unknown', '1.2.3', '1.2.3.4.5', '1.2.3.999'])
    expect(networkOf(other)).toBeUndefined();
});

test('networks are shown of different workers only, the address before its network', () => {
  const at = { ip: '203.0.113.7', worker: 'w1' };
  expect(shared(at, { ip: '203.0.113.7', worker: 'w2' })?.kinds).toEqual(['same-address']);
  expect(shared(at, { ip: '203.0.113.9', worker: 'w2' })?.kinds).toEqual(['same-network']);
  expect(shared(at, { ip: '203.0.114.7', worker: 'w2' })).toBeUndefined();
  expect(shared(at, { ip: '203.0.113.7', worker: 'w1' })).toBeUndefined();
});

const browser = hashOfUserAgent('Mozilla/5.0 (rare)');

test('browsers and codes are evidence unless they are common', () => {
  const [one, other] = [
    { browser: browser ?? '', worker: 'w1', slots: ['code WAY-5518-RV'] },
    { browser: browser ?? '', worker: 'w2', slots: ['way 5518 rv? no: WAY-5518-RV'] },
  ];
  expect(shared(one, other)?.kinds).toEqual(['same-code', 'same-browser']);
  expect(shared(one, other, { isCommon: (kind) => kind === 'browser' })?.kinds).toEqual(['same-code']);
  expect(shared(one, other, { isCommon: () => true })).toBeUndefined();
});

test('no text of a browser is stored', () => {
  expect(browser).toMatch(/^[0-9a-z]+$/);
  expect(hashOfUserAgent('Mozilla/5.0 (other)')).not.toBe(browser);
  expect(hashOfUserAgent('  ')).toBeUndefined();
});

const times = Array.from({ length: 40 }, (_, index) => (index + 1) * minute);

test('the pace is told once enough is known: the quickest twentieth', () => {
  expect(quickestTwentieth(times)).toBe(3 * minute);
  expect(quickestTwentieth(times.slice(0, 19))).toBeUndefined();
});

test('the pace tells of two tasks of one worker in one campaign', () => {
  const context = { ...nothingCommon, quickest: 3 * minute };
  const pace = { ms: minute, quickest: 3 * minute };
  expect(shared({ at: 0 }, { at: minute }, context)).toEqual({ kinds: ['pace'], pace });
  expect(shared({ at: 0 }, { at: 3 * minute }, context)).toBeUndefined();
  expect(shared({ at: 0 }, { at: minute, worker: 'w2' }, context)).toBeUndefined();
  expect(shared({ at: 0 }, { at: minute, campaign: 'c2' }, context)).toBeUndefined();
  expect(shared({ at: 0 }, { at: minute })).toBeUndefined();
});

test('tasks that have anything in common have a place in the index in common', () => {
  const some = fc.record({
    worker: fc.constantFrom('w1', 'w2', 'w3'),
    ip: fc.constantFrom('', '203.0.113.7', '203.0.113.8', '2001:db8::1'),
    country: fc.constantFrom('GR', 'EG', 'KE'),
    browser: fc.constantFrom('b1', 'b2'),
    at: fc.constantFrom(0, minute),
    slots: fc.array(
      fc.constantFrom(
        'code WAY-5518-RV',
        'Way-5518-rv it is',
        'https://a.example/1',
        'see HTTPS://a.example/1/ for a photo of the shelf',
        'The chart shows rent twice. After a restart of the app it was correct.',
        'the CHART shows rent twice, after a restart of the app it was correct',
      ),
      { maxLength: 3 },
    ),
  });
  forAll({ numRuns: 500 }, some, some, (a, b) => {
    const context = { ...nothingCommon, quickest: 3 * minute };
    const [one, other] = [comparedTask(toldTask(a)), comparedTask(toldTask({ ...b, id: 't2' }))];
    const found = sharedBy(one, other, context);
    expect(sharedBy(other, one, context)).toEqual(found);
    const places = new Set(postingsOf(one).map(({ place }) => place));
    if (found) expect(postingsOf(other).some(({ place }) => places.has(place))).toBe(true);
  });
});
