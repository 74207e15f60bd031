/** Types of payloads to which Slack shows no answer. */
const unanswered = ['block_actions', 'shortcut', 'message_action', 'view_closed'];

/** Returns whether Slack shows no answer to a payload, so that it is acked before it is processed. Commands have no type. */
export function needsNoAnswer(body: Readonly<Record<string, unknown>> | null | undefined): boolean {
  return typeof body?.command === 'string' || unanswered.includes(String(body?.type));
}
