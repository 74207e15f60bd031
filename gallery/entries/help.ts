import { commandTable, help as helpMessage } from '../../src/slack/listeners.ts';
import { idleFeatures } from '../../test/harness/features.ts';
import { entriesOf } from '../entry.ts';

const routes = commandTable(idleFeatures().features);
const commands = [...new Set(routes.map(({ command }) => command))];

export const help = entriesOf('Help', helpMessage, {
  'All commands': () => helpMessage(routes),
  ...Object.fromEntries(
    commands.map((command) => [`Commands of ${command}`, () => helpMessage(routes, command)]),
  ),
});
