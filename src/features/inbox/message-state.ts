import { z } from 'zod';
import { codec } from '../../slack/codec.ts';

/** What the modal of a message remembers: the channel it was opened in, for answers once it is closed. */
const state = z.object({ channel: z.string().optional() });

export const messageState = codec(state, 'Press Read again.');
