import { type Message, section } from './blocks.ts';
import { plain } from './mrkdwn.ts';

/** A message of one sentence or paragraph. @param text mrkdwn, what is not ours escaped */
export function notice(text: string): Message {
  return { text: plain(text), blocks: [section(text)] };
}
