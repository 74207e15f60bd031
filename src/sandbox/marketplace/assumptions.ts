/**
 * What this sandbox assumes where the description of the API is silent and no setting (settings.ts) decides instead:
 * *Assumed*, each with the part of the description that leaves it open. More of its choices: docs/sandbox.md.
 */

/** The answers to a key that is wrong, disabled, or used from another address, and to an unknown path ("Authentication"). */
export const keyErrors = {
  wrong: 'API KEY WRONG',
  disabled: 'API NOT ENABLED',
  denied: 'API ACCESS IP DENIED',
  unknownFunction: "API FUNCTION DOESN'T EXIST",
} as const;

/** The separator line of a results CSV (section 9): all that is known is that it is a line. */
export const resultsSeparator = '--------------------';

/** Returns `status` of file_proof ("Task detail") for a task with so many files. */
export function fileProofStatus(files: number): string {
  return files > 0 ? 'SUCCESS' : 'NO FILE PROOF';
}

/** Changes a message that was read by its id: it no longer counts as unread (section 6). */
export function markAsRead(message: { unread: boolean }): void {
  message.unread = false;
}
