import { escaped } from '../../slack/mrkdwn.ts';

/** Errors of files.getUploadURLExternal and files.completeUploadExternal that are temporary or can be fixed. */
const fixable: ReadonlyMap<string, string> = new Map([
  ['ratelimited', 'Slack is limiting uploads right now. Try again in a minute.'],
  ['upload_failed', 'The file did not reach Slack, so it was not posted. Try again in a minute.'],
  [
    'not_in_channel',
    'Proofdesk is no longer in this channel, so it cannot post the file. Invite it with `/invite @Proofdesk`, then try again.',
  ],
  [
    'channel_not_found',
    'Proofdesk can no longer see this channel, so it cannot post the file. Invite it with `/invite @Proofdesk`, then try again.',
  ],
]);

/** Errors that only an alternative way avoids. */
const final: ReadonlyMap<string, string> = new Map([
  ['is_archived', 'This channel is archived, so the file cannot be posted.'],
  ['restricted_action', 'Proofdesk is not allowed to post in this channel.'],
  ['restricted_action_read_only_channel', 'This channel is read-only, so the file cannot be posted.'],
  [
    'restricted_action_non_threadable_channel',
    'This channel allows no replies, so the file cannot be posted in the card’s thread.',
  ],
  ['restricted_action_thread_locked', 'The thread of this card is locked, so the file cannot be posted.'],
  ['file_upload_size_restricted', 'This file is larger than this workspace allows.'],
  ['storage_limit_reached', 'This workspace has no room for more files until some are deleted.'],
  ['file_uploads_disabled', 'This workspace does not allow files.'],
  ['file_uploads_except_images_disabled', 'This workspace allows no files other than images.'],
]);

/**
 * Returns why Slack did not accept a file, in mrkdwn.
 * @param code Slack's error; absent: unknown whether the file was posted
 * @param alternative a sentence: what to do when a retry does not help
 */
export function uploadErrorText(code: string | undefined, alternative: string): string {
  if (code === undefined) {
    return 'Slack gave no answer, so the file may or may not have been posted. Look for it before you try again.';
  }
  const reason = final.get(code);
  if (reason !== undefined) return `${reason} ${alternative}`;
  return (
    fixable.get(code) ??
    `Slack did not accept the file (\`${escaped(code)}\`). Try again; if it keeps happening, tell your administrator.`
  );
}
