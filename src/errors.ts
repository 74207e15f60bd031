/**
 * An error whose message was written for the person who caused it: what happened, then what to do.
 * Everything else that is thrown is a fault of ours and is shown only as an id to quote.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/**
 * Somebody has no key for the account they want to act for. They get a Connect button, and what they meant to do
 * (`intent`, text that the account feature hands back) is carried out once they are connected.
 */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
  readonly intent: string | undefined;
  constructor(intent?: string) {
    super('no marketplace key');
    this.intent = intent;
  }
}

/** The message of anything thrown, for logs. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
