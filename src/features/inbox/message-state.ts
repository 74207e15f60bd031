import { z } from 'zod';
import { codec } from '../../slack/codec.ts';
import { Origin } from '../../slack/feature.ts';
import { inboxList } from './list-state.ts';

/** State of a message's modal: where it was opened, and the list there, if it was opened from one. */
const state = z.object({ origin: Origin, list: inboxList.optional() });
export type MessageState = z.infer<typeof state>;

export const messageState = codec('form', state, 'Press Read again.');
