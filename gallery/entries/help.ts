import { commandTable, help as helpMessage } from '../../src/slack/listeners.ts';
import { idleFeatures } from '../../test/harness/features.ts';
import { entriesOf } from '../entry.ts';

const routes = commandTable(idleFeatures().features);

export const help = entriesOf('Help', helpMessage, { 'All commands': () => helpMessage(routes) });
