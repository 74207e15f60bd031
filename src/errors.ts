/**
 * An error whose message is written for the person who caused it: what happened, then what to do. Any other error is a bug,
 * and people see only an id to quote.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/**
 * A member has no key for the account they want to act for. They get a Connect button, and their action (`intent`, an
 * encoded text) is carried out once they are connected.
 */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
  readonly intent: string | undefined;
  constructor(intent?: string) {
    super('no marketplace key');
    this.intent = intent;
  }
}

/** Returns the message of anything thrown, for logs. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
