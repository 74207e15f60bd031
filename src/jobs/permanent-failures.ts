import { messageOf } from '../errors.ts';

/** Slack's refusals that apply to a message whenever it is sent: its record must change first. */
const refusedMessages: Readonly<Record<string, string>> = {
  msg_too_long: 'the text is longer than Slack takes',
  msg_blocks_too_long: 'the blocks are longer than Slack takes',
  too_many_attachments: 'there are more attachments than Slack takes',
  // Images that Slack cannot show were removed before this is final.
  invalid_blocks: 'Slack does not accept the blocks',
  invalid_blocks_format: 'Slack does not accept the blocks',
  invalid_arguments: 'Slack does not accept the arguments',
  invalid_metadata_format: 'Slack does not accept the metadata',
  metadata_too_large: 'the metadata is larger than Slack takes',
  no_text: 'the message is empty',
  cant_update_message: 'the message is not the bot’s own',
  edit_window_closed: 'the workspace does not allow messages of this age to be changed',
};

/** Returns the stored failure of a job that this version does not know, or whose payload it cannot read. */
export function unreadableJob(name: string): string {
  return `${unreadable}: ${name}`;
}
const unreadable = 'unknown job or unreadable payload';

/**
 * Returns why a failed job can never succeed, or undefined when a retry may help, as for every unknown failure.
 * @param failure the thrown error, or its message as stored with a dead letter
 */
export function permanentReason(failure: unknown): string | undefined {
  const text = typeof failure === 'string' ? failure : messageOf(failure);
  if (text.startsWith(unreadable)) return 'it cannot be read';
  // The format of SlackError: the method, the code, the details.
  const code = /^chat\.(?:postMessage|update): (\w+)/.exec(text)?.[1] ?? '';
  return Object.hasOwn(refusedMessages, code) ? refusedMessages[code] : undefined;
}
