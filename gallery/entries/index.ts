import type { GalleryEntry } from '../entry.ts';
import { accounts } from './accounts.ts';
import { approvals } from './approvals.ts';
import { assignments } from './assignments.ts';
import { audit } from './audit.ts';
import { briefFaults } from './brief-faults.ts';
import { bulk } from './bulk.ts';
import { campaignChanges } from './campaign-changes.ts';
import { campaignLists } from './campaign-lists.ts';
import { campaignResults } from './campaign-results.ts';
import { cards } from './cards.ts';
import { channelMessages } from './channel-messages.ts';
import { channels } from './channels.ts';
import { create } from './create.ts';
import { deadLetters } from './dead-letters.ts';
import { deadlines } from './deadlines.ts';
import { decide } from './decide.ts';
import { errors } from './errors.ts';
import { evidence } from './evidence.ts';
import { files } from './files.ts';
import { find } from './find.ts';
import { focus } from './focus.ts';
import { help } from './help.ts';
import { home } from './home.ts';
import { inbox } from './inbox.ts';
import { noteEntries } from './notes.ts';
import { polling } from './polling.ts';
import { queue } from './queue.ts';
import { reasons } from './reasons.ts';
import { rights } from './rights.ts';
import { submit } from './submit.ts';
import { subscriptions } from './subscriptions.ts';
import { workerSide } from './worker-side.ts';
import { workers } from './workers.ts';

/** Everything that the bot can send, in the order of the page. */
export const entries: readonly GalleryEntry[] = [
  ...cards,
  ...decide,
  ...noteEntries,
  ...assignments,
  ...evidence,
  ...find,
  ...focus,
  ...bulk,
  ...files,
  ...polling,
  ...queue,
  ...subscriptions,
  ...channels,
  ...channelMessages,
  ...inbox,
  ...campaignLists,
  ...campaignResults,
  ...campaignChanges,
  ...briefFaults,
  ...create,
  ...submit,
  ...workers,
  ...workerSide,
  ...home,
  ...accounts,
  ...reasons,
  ...rights,
  ...approvals,
  ...help,
  ...deadLetters,
  ...deadlines,
  ...audit,
  ...errors,
];
