import { z } from 'zod';
import { AccountId, TaskId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';

/** State of the notes modal. */
const NotesState = z.object({ account: AccountId, task: TaskId, added: z.number() });

const state = codec('form', NotesState, 'Open the notes again from the card.');

/** Encodes the state of the modal. */
export const encodeNotes = state.encode;

/** Decodes the modal's state; throws a UserError if it has none. */
export const decodeNotes = state.decode;
