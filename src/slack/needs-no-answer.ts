/** The types of what Slack shows no answer to. */
const unanswered = ['block_actions', 'shortcut', 'message_action', 'view_closed'];

/**
 * Returns whether Slack shows no answer to what it has sent: it is acked before anything is done about it, whatever it is. Commands
 * have no type.
 */
export function needsNoAnswer(body: Readonly<Record<string, unknown>> | null | undefined): boolean {
  return typeof body?.command === 'string' || unanswered.includes(String(body?.type));
}
