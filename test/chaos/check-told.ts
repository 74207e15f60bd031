import { groupBy } from '../../src/domain/group.ts';
import { dailyNameOf } from './channel-view.ts';
import type { Evidence, Pause } from './evidence.ts';

/** The texts that announce a paused campaign. */
const pauseTexts: Readonly<Record<Pause['status'], string>> = {
  PAUSED: 'is paused',
  PAUSED_ADMIN: 'was paused by an administrator',
};

/** Returns pauses announced more often than they happened. Resuming is not announced, but must be seen before the next. */
export function campaignsToldAgain({
  marketplace,
  pauses,
  view,
}: Pick<Evidence, 'marketplace' | 'pauses' | 'view'>): string[] {
  const text = [...view.campaignNotices.values()].map((notice) => notice.text).join('\n');
  const titles = new Map(marketplace.campaigns.map(({ campaign_id: id, title }) => [id, title]));
  return [...groupBy(pauses, ({ campaign, status }) => `*${titles.get(campaign)}* ${pauseTexts[status]}`)]
    .map(([line, times]) => ({ line, times: times.length, told: text.split(line).length - 1 }))
    .filter(({ times, told }) => told > times)
    .map(({ line, times, told }) => `said ${told} times, happened ${times} times: ${line}`);
}

/** How late a summary may come while nothing fails (ms). */
const dailyWithinMs = 20_000;

/** Returns missing daily summaries of existing channels, unless Redis may have lost that one was due. */
export function dailiesMissing({
  dailies,
  losses,
  view,
}: Pick<Evidence, 'dailies' | 'losses' | 'view'>): string[] {
  const there = new Set(view.channels.map(({ id }) => id));
  const told = new Set(view.unique.values());
  return dailies
    .filter(({ channel, at }) => there.has(channel) && Date.now() > at + dailyWithinMs)
    .map(({ channel, at, askedAt }) => ({
      name: dailyNameOf(channel, new Date(at).toISOString().slice(0, 10)),
      askedAt,
    }))
    .filter(
      ({ name, askedAt }) =>
        !told.has(name) && !losses.some(({ from, to }) => from <= askedAt && askedAt <= to),
    )
    .map(({ name }) => `${name} was never posted`);
}
