import { z } from 'zod';
import { ChannelId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';

/** State of a message's modal: the channel in which it was opened, for answers after it is closed. */
const state = z.object({ channel: ChannelId.optional() });

export const messageState = codec('form', state, 'Press Read again.');
