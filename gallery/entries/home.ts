import { homeView } from '../../src/features/home/home.view.ts';
import { entriesOf } from '../entry.ts';
import { ago, day, hour, now } from '../samples/times.ts';

export const home = [
  ...entriesOf('Home', homeView, {
    'Not connected': () => homeView(undefined, now),
    'Own key, tasks wait': () =>
      homeView({ isOwn: true, waiting: { tasks: 1_234, campaigns: 12, oldest: ago(2 * day) } }, now),
    'Shared account, one task waits': () =>
      homeView({ isOwn: false, waiting: { tasks: 1, campaigns: 1 } }, now),
    'Nothing waits': () => homeView({ isOwn: true, waiting: { tasks: 0, campaigns: 0 } }, now),
    'The marketplace cannot be reached': () =>
      homeView({ isOwn: true, waiting: { tasks: 7, campaigns: 2, lastSeen: ago(hour) } }, now),
    'A problem': () =>
      homeView({ isOwn: true, problem: 'The marketplace does not answer. Try again in a minute.' }, now),
  }),
];
