import fc from 'fast-check';
import { expect, test } from 'vitest';
import { campaign } from '../../gallery/samples/campaigns.ts';
import { task } from '../../gallery/samples/tasks.ts';
import {
  applyDailySummaryEvent,
  countedFrom,
  type DailyContent,
  type DailySummary,
  type DailySummaryEvent,
  lastDailyTime,
  longestSpanMs,
  type SettledDecision,
} from '../../src/domain/daily-summary.ts';
import { money } from '../../src/domain/money.ts';
import type { CampaignId, ChannelId, MemberId } from '../../src/domain/terms.ts';
import { dailyContent } from '../../src/features/daily/content.ts';
import { channelZone, createDaily } from '../../src/features/daily/index.ts';
import { createReviewCounts } from '../../src/store/decisions.ts';
import { asId, ref } from '../harness/ids.ts';
import { testModules } from '../harness/modules.ts';
import { redisPerFile } from '../harness/redis-per-file.ts';
import { writeChange } from '../harness/written.ts';
import { forAll, forAllAsync } from './properties.ts';

const hour = 3_600_000;
const day = 24 * hour;
const channel = asId<ChannelId>('C1');
const at = (text: string) => Date.parse(text);

const contentOf = (from: number, until: number): DailyContent => ({
  from,
  until,
  ratings: { OK: 1, NOK: 0, REVISE: 0 },
  reviewers: [],
  paid: '1',
  bonuses: '0',
  unpriced: 0,
  reasons: [],
});

test('the time of a daily summary is the last one that was, in the zone of whoever subscribed the channel', () => {
  const berlin = (now: string) => lastDailyTime(at(now), 'Europe/Berlin');
  const due = (day: string, hour: string) => ({ day, at: at(`${day}T${hour}:00:00Z`) });
  expect(berlin('2026-11-22T16:59:59Z')).toMatchObject(due('2026-11-21', '17'));
  expect(berlin('2026-11-22T17:00:00Z')).toMatchObject(due('2026-11-22', '17'));
  // The day before has 25 hours.
  const dayBefore = at('2026-10-24T16:00:00Z');
  expect(berlin('2026-10-25T18:00:00Z')).toMatchObject({ ...due('2026-10-25', '17'), dayBefore });
});

test('a day is summed up some seconds after its time, when late ratings are stored', async () => {
  let now = 0;
  const modules = testModules(redis(), {}, { now: () => now });
  const { afterPoll } = createDaily(modules);
  for (const [second, expected] of [
    [4, '2026-11-19'],
    [6, '2026-11-20'],
  ] as const) {
    now = at(`2026-11-20T18:00:0${second}Z`);
    await afterPoll(ref, [{ account: ref.account, channel, at: 1, started: true }]);
    expect(await modules.slack.dailySummaries.get(ref, channel)).toMatchObject({ day: expected });
  }
});

test('the time of a daily summary is on another day each day, whatever the zone and its clock changes', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia'] as const;
  const zone = fc.constantFrom(...zones);
  const moment = fc.integer({ min: at('2025-01-01T00:00:00Z'), max: at('2027-12-31T00:00:00Z') });
  forAll(zone, moment, (zone, now) => {
    const due = lastDailyTime(now, zone);
    expect(due.at).toBeLessThanOrEqual(now);
    expect(now - due.at).toBeLessThanOrEqual(day + 2 * hour);
    expect(due.dayBefore).toBeLessThan(due.at);
    const later = lastDailyTime(now + day + 2 * hour, zone);
    expect(later.day > due.day).toBe(true);
  });
});

test('the record of a channel deals with each day once, in whatever order and how often processes find it due', () => {
  const days = ['2026-11-20', '2026-11-21', '2026-11-22'];
  const anyDay = fc.record({ day: fc.constantFrom(...days), isSkipped: fc.boolean(), posts: fc.boolean() });
  const twice = days.flatMap((day) => [0, 1].map(() => ({ day, isSkipped: false, posts: true })));
  forAll({ examples: [[twice]] }, fc.array(anyDay, { maxLength: 20 }), (found) => {
    let record: DailySummary | undefined;
    const posted: string[] = [];
    const apply = (event: DailySummaryEvent) => {
      const next = applyDailySummaryEvent(record, event);
      record = next ?? record;
      return next !== undefined;
    };
    for (const { day: one, isSkipped, posts } of found) {
      const until = at(`${one}T18:00:00Z`);
      const dueEvent = { type: 'due', channel, day: one, content: contentOf(until - day, until) } as const;
      apply(isSkipped ? { type: 'skipped', channel, day: one, until } : dueEvent);
      if (!posts || record?.card.state !== 'wanted') continue;
      apply({ type: 'posting', channel, at: until });
      if (apply({ type: 'posted', messageRef: { channel, ts: `${posted.length}.1` } }))
        posted.push(record.day);
    }
    expect(posted).toEqual([...new Set(posted)].toSorted());
  });
});

test('the record of a channel waits for a post without an answer, and makes one that was never posted part of the next', () => {
  const [first, second] = [at('2026-11-20T18:00:00Z'), at('2026-11-21T18:00:00Z')];
  const due = { type: 'due', channel, day: '2026-11-20', content: contentOf(first - day, first) } as const;
  const wanted = applyDailySummaryEvent(undefined, due);
  expect(countedFrom(wanted, { at: second, dayBefore: first })).toBe(first - day);
  const posting = applyDailySummaryEvent(wanted, { type: 'posting', channel, at: first });
  const next = { ...due, day: '2026-11-21', content: contentOf(first, second) } as const;
  expect(applyDailySummaryEvent(posting, next)).toBeUndefined();
  expect(applyDailySummaryEvent(wanted, next)).toMatchObject({ day: '2026-11-21', revision: 2 });
});

test('the record of a channel counts from where the one before ended, also after an outage, but not for longer than a week', () => {
  const until = at('2026-11-10T18:00:00Z');
  const before = applyDailySummaryEvent(undefined, { type: 'skipped', channel, day: '2026-11-10', until });
  const due = (days: number) => ({ at: until + days * day, dayBefore: until + (days - 1) * day });
  expect(countedFrom(undefined, due(1))).toBe(until);
  expect(countedFrom(before, due(3))).toBe(until);
  expect(countedFrom(before, due(30))).toBe(until + 30 * day - longestSpanMs);
});

const redis = redisPerFile();

const [ann, ben] = [asId<MemberId>('U2'), asId<MemberId>('U1')];
const shelf = asId<CampaignId>('c with spaces');
async function settle({ at: ratedAt, bonus, reason, ...given }: SettledDecision): Promise<void> {
  const decision = {
    ...{ id: 'd', comment: '', attempts: 1, by: given.by, verdict: given.verdict, at: ratedAt },
    ...(bonus === undefined ? {} : { bonus }),
    ...(reason === undefined ? {} : { reason }),
  };
  const known = { campaign: given.campaign };
  const before = task({ ...known, decision: { ...decision, state: 'sending' } });
  const applied = { ...decision, state: 'applied' } as const;
  const after = task({ ...known, decision: applied, ratedAt, rating: given.verdict });
  await writeChange(redis(), ref, before, after);
}

test('what is counted is each rating once, by whom, what it paid and why it was refused', async () => {
  const now = at('2026-11-22T12:00:00Z');
  const given = { at: now, campaign: shelf };
  await settle({ ...given, by: ben, verdict: 'NOK', reason: 'start:blurred' });
  for (let n = 0; n < 2; n += 1) await settle({ ...given, by: ben, verdict: 'REVISE' });
  await settle({ ...given, campaign: asId('unknown'), by: ann, verdict: 'OK' });
  for (let n = 0; n < 3; n += 1) await settle({ ...given, by: ann, verdict: 'OK', bonus: '0.00005' });
  await settle({ at: now - 2 * day, campaign: shelf, by: ann, verdict: 'OK' });
  const counts = await createReviewCounts(redis()).between(ref, now - day, now + hour);
  const content = dailyContent(
    { from: now - day, until: now + hour },
    counts,
    (campaign) => (campaign === shelf ? '0.05000' : undefined),
    (reason) => (reason === 'start:blurred' ? 'Photo is blurred' : undefined),
  );
  expect(content).toEqual({
    ...{ from: now - day, until: now + hour },
    ratings: { OK: 4, NOK: 1, REVISE: 2 },
    reviewers: [
      { member: ann, ratings: { OK: 4, NOK: 0, REVISE: 0 } },
      { member: ben, ratings: { OK: 0, NOK: 1, REVISE: 2 } },
    ],
    paid: '0.15',
    bonuses: '0.00015',
    unpriced: 1,
    reasons: [
      { verdict: 'REVISE', tasks: 2 },
      { verdict: 'NOK', name: 'Photo is blurred', tasks: 1 },
    ],
  });
  expect(await redis().ttl((await redis().keys('*reviewed*'))[0] ?? '')).toBeGreaterThan(8 * 86_400);
});

test('a day has what its channel got since it was subscribed, unless that is muted or has a channel of its own', async () => {
  const now = at('2026-11-20T18:00:06Z');
  const { channels, slack, ...rest } = testModules(redis(), {}, { now: () => now });
  const { afterPoll } = createDaily({ channels, slack, ...rest });
  await settle({ at: now - hour, campaign: shelf, by: ann, verdict: 'OK' });
  const here = (channel: string, more = {}) =>
    ({ account: ref.account, channel: asId<ChannelId>(channel), at: 1, started: true, ...more }) as const;
  const ratedIn = async (...own: ReturnType<typeof here>[]) => {
    await afterPoll(ref, own);
    const { content } = (await slack.dailySummaries.get(ref, own[0]?.channel ?? channel)) ?? {};
    return content && [content.ratings.OK, content.paid];
  };
  await rest.campaigns.store(ref, [campaign({ id: shelf, paymentPerTask: '0.05' })]);
  await channels.settings.set(ref.workspace, asId('C2'), { muted: ['daily'] }, { how: 'form' });
  expect(await ratedIn(here('C1'))).toEqual([1, '0.05']);
  expect(await ratedIn(here('C2'))).toBeUndefined();
  expect(await ratedIn(here('C3', { at: now }))).toBeUndefined();
  expect(await ratedIn(here('C4'), here('C5', { campaign: shelf }))).toBeUndefined();
});

test('what is counted is in one span of those that follow each other, wherever they are cut', async () => {
  const now = at('2026-11-22T00:00:00Z');
  const moments = Array.from({ length: 40 }, (_, index) => now - index * 1_234_567);
  for (const one of moments) await settle({ at: one, campaign: shelf, by: ann, verdict: 'OK' });
  const store = createReviewCounts(redis());
  await forAllAsync({ numRuns: 30 }, fc.integer({ min: now - day, max: now }), async (cut) => {
    const spans = [await store.between(ref, now - 2 * day, cut), await store.between(ref, cut, now + day)];
    const tasks = spans.flat().flatMap(({ ratings }) => ratings.map((one) => one.tasks));
    expect(tasks.reduce((a, b) => a + b, 0)).toBe(moments.length);
  });
});

test('the day of a channel is that of whoever has subscribed the account to it, if Slack knows their zone', async () => {
  const people = {
    slack: { person: async (_: unknown, by: string) => ({ zone: by === 'U1' ? 'Europe/Rome' : 'Moon' }) },
  };
  const modules = testModules(redis(), { people });
  const here = { account: ref.account, channel, at: 1, started: true };
  const zoneWith = (...some: object[]) => {
    const all = some.map((one) => ({ ...here, ...one }));
    return channelZone(modules, ref, channel, all);
  };
  expect(await zoneWith({ campaign: 'c', by: 'U2' }, { by: 'U1' })).toBe('Europe/Rome');
  expect(await zoneWith({ channel: 'C2', by: 'U1' }, { campaign: 'c', by: 'U2' })).toBe('UTC');
  expect(await zoneWith({})).toBe('UTC');
});

test('what is counted says nothing where nothing was reviewed', () => {
  const nothing = { campaign: shelf, ratings: [], reasons: [], bonuses: money(0) };
  const unknown = () => undefined;
  expect(dailyContent({ from: 0, until: 1 }, [nothing], unknown, unknown)).toBeUndefined();
  const same = [ann, ben].map((by) => ({ by, verdict: 'OK' as const, tasks: 1 }));
  const tied = dailyContent({ from: 0, until: 1 }, [{ ...nothing, ratings: same }], unknown, unknown);
  expect(tied?.reviewers.map(({ member }) => member)).toEqual([ben, ann]);
  // And of very much the most.
  const all = Array.from({ length: 60 }, (_, n) => ({ by: asId<MemberId>(`U${n}`), tasks: n + 1 }));
  const many = { ...nothing, ratings: all.map((one) => ({ ...one, verdict: 'NOK' as const })) };
  const reasons = all.map(({ tasks }) => ({ verdict: 'NOK' as const, reason: `r${tasks}`, tasks }));
  const most = dailyContent({ from: 0, until: 1 }, [{ ...many, reasons }], unknown, (reason) => reason);
  expect(most?.reviewers.map(({ member }) => member)).toEqual(
    all
      .map(({ by }) => by)
      .reverse()
      .slice(0, 50),
  );
  expect(most?.reasons.map(({ tasks }) => tasks)).toEqual([60, 59, 58, 57, 56, 55, 54, 53, 52, 51]);
});
