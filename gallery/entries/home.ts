import { homeView } from '../../src/features/home/home.view.ts';
import { rolesText } from '../../src/features/rights/settings.view.ts';
import { entriesOf } from '../entry.ts';
import { account, reviewChannel } from '../samples/people.ts';
import { hostile } from '../samples/texts.ts';
import { ago, day, hour, now } from '../samples/times.ts';

const channelGone = (code: string, waiting: number, isReplaced = false) =>
  ({ kind: 'channel', channel: reviewChannel, code, since: ago(day), waiting, isReplaced }) as const;

const recordsLost = (code: string) =>
  ({ kind: 'lost', since: ago(hour), waiting: 0, account, code, decisions: 3 }) as const;

export const home = [
  ...entriesOf('Home', homeView, {
    'Not connected': () => homeView(undefined, now),
    'Own key, tasks wait': () =>
      homeView({ isOwn: true, waiting: { tasks: 1_234, campaigns: 12, oldest: ago(2 * day) } }, now),
    'Shared account, one task waits': () =>
      homeView({ isOwn: false, waiting: { tasks: 1, campaigns: 1 } }, now),
    'A reviewer': () =>
      homeView({ isOwn: false, role: 'a reviewer', waiting: { tasks: 3, campaigns: 1 } }, now),
    'An owner': () =>
      homeView(
        {
          isOwn: false,
          role: 'an owner',
          roles: rolesText({
            rights: { grants: [], guests: false, confirmedChannels: [] },
            isShared: true,
            ownersByKey: [],
            channels: [reviewChannel],
            account,
          }),
          waiting: { tasks: 3, campaigns: 1 },
        },
        now,
      ),
    'Nothing waits': () => homeView({ isOwn: true, waiting: { tasks: 0, campaigns: 0 } }, now),
    'The marketplace cannot be reached': () =>
      homeView({ isOwn: true, waiting: { tasks: 7, campaigns: 2, lastSeen: ago(hour) } }, now),
    'Channels, a key and results need attention': () =>
      homeView(
        {
          isOwn: true,
          waiting: { tasks: 40, campaigns: 3 },
          needsAttention: [
            { kind: 'key', since: ago(2 * day), waiting: 3 },
            channelGone('is_archived', 12),
            channelGone('not_in_channel', 1),
            channelGone('channel_deleted', 0, true),
            channelGone('channel_not_found', 1_000),
            channelGone('restricted_action', 2),
            recordsLost('older-copy'),
            recordsLost('unreadable-channel'),
            recordsLost('decisions'),
            recordsLost('emptied'),
            { kind: 'results', since: ago(hour), waiting: 0, campaignTitle: hostile },
          ],
        },
        now,
      ),
    'More needs attention than is listed': () =>
      homeView(
        { isOwn: false, needsAttention: Array.from({ length: 12 }, (_, n) => channelGone('is_archived', n)) },
        now,
      ),
    'A problem': () =>
      homeView({ isOwn: true, problem: 'The marketplace does not answer. Try again in a minute.' }, now),
  }),
];
