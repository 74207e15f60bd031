/**
 * The sandbox's assumptions (*Assumed*) where the API description is silent and no setting (settings.ts) decides, each
 * with the section that leaves it open. README.md lists further choices.
 */

/** The answers to a key that is wrong, disabled, or used from another address, and to an unknown path ("Authentication"). */
export const keyErrors = {
  wrong: 'API KEY WRONG',
  disabled: 'API NOT ENABLED',
  denied: 'API ACCESS IP DENIED',
  unknownFunction: "API FUNCTION DOESN'T EXIST",
} as const;

/** The separator line of a results CSV (section 9). The API description says only that there is one. */
export const resultsSeparator = '--------------------';

/** Returns `status` of file_proof ("Task detail") for a task with this many files. */
export function fileProofStatus(files: number): string {
  return files > 0 ? 'SUCCESS' : 'NO FILE PROOF';
}

/** Marks a message as read when it is read by its id (section 6). */
export function markAsRead(message: { unread: boolean }): void {
  message.unread = false;
}
