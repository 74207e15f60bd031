import { z } from 'zod';
import { ChannelId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';

/** What the modal of a message remembers: the channel it was opened in, to answer there once it is closed. */
const opened = z.object({ channel: ChannelId.optional() });

export const messageState = codec(opened, 'Press Read again.');
