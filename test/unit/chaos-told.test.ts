import { describe, expect, test } from 'vitest';
import { dailyNameOf } from '../chaos/channel-view.ts';
import { campaignsToldAgain, dailiesMissing } from '../chaos/check-told.ts';

describe('what the bot says by itself', () => {
  const told = (times: number, ...texts: string[]) =>
    campaignsToldAgain({
      marketplace: { campaigns: [{ campaign_id: 'c1', title: 'Shared 1' }] },
      pauses: Array(times).fill({ campaign: 'c1', status: 'PAUSED' }),
      view: { campaignNotices: new Map(texts.map((text, at) => [String(at), { text }])) },
    } as never);
  const paused = ':double_vertical_bar: *Shared 1* is paused: 1 OK';

  test('a campaign is said to be paused as often as it was, at the most', () => {
    expect(told(1, paused)).toEqual([]);
    expect(told(2, `${paused}\n${paused}`)).toEqual([]);
    // A short pause may be left unsaid, and another campaign is another one.
    expect(told(2, paused, ':double_vertical_bar: *Shared 11* is paused: 1 OK')).toEqual([]);
  });

  test('and not once more, in whichever message', () => {
    expect(told(1, paused, paused)).toEqual(['said 2 times, happened 1 times: *Shared 1* is paused']);
  });

  const at = Date.UTC(2026, 0, 23, 18, 1);
  const missing = (losses: { from: number; to: number }[], channels = ['C1'], unique: string[] = []) =>
    dailiesMissing({
      dailies: [{ channel: 'C1', at, askedAt: at - 30_000 }],
      losses,
      view: { channels: channels.map((id) => ({ id })), unique: new Map(unique.map((name) => [name, name])) },
    } as never);

  test('a daily summary that was due is missing when it was not posted', () => {
    expect(missing([])).toEqual(['summary of 2026-01-23 in C1 was never posted']);
    expect(missing([], ['C1'], [dailyNameOf('C1', '2026-01-23')])).toEqual([]);
  });

  test('but not where its channel is gone, or Redis may have lost that it was asked for', () => {
    expect(missing([], ['C2'])).toEqual([]);
    expect(missing([{ from: at - 40_000, to: at - 20_000 }])).toEqual([]);
    expect(missing([{ from: at - 60_000, to: at - 40_000 }])).toHaveLength(1);
    expect(missing([{ from: at - 20_000, to: at + 5_000 }])).toHaveLength(1);
  });
});
