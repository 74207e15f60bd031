import { z } from 'zod';
import { ChannelId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';

/** What the modal of a message remembers: the channel it was opened in, for answers once it is closed. */
const state = z.object({ channel: ChannelId.optional() });

export const messageState = codec(state, 'Press Read again.');
