import { type Message, section } from './blocks.ts';
import { plain } from './mrkdwn.ts';

/** Returns a message of one paragraph. @param text mrkdwn, with all foreign text escaped */
export function notice(text: string): Message {
  return { text: plain(text), blocks: [section(text)] };
}
