import { z } from 'zod';
import { codec } from '../../slack/codec.ts';

/** What the modal of a message remembers: the channel it was opened in, to answer there once it is closed. */
const opened = z.object({ channel: z.string().optional() });

export const messageState = codec(opened, 'Press Read again.');
