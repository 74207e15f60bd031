import { z } from 'zod';
import { AccountId, TaskId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';

/** What the modal with the notes on a task remembers. */
const NotesState = z.object({ account: AccountId, task: TaskId, added: z.number() });

const state = codec(NotesState, 'Open the notes again from the card.');

/** Encodes the state of the modal. */
export const encodeNotes = state.encode;

/** Decodes the state of the modal; throws a UserError when it has none. */
export const decodeNotes = state.decode;
