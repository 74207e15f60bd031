import { isWorkspaceError, type SlackError } from './slack-error.ts';

/** How old knowledge of the token may be, and how soon to ask again while it is not accepted (ms). */
const maxAgeMs = { accepted: 60_000, refused: 3_000 };

/**
 * Whether Slack still accepts the bot token, as far as the last calls tell. `problem` asks by itself when nothing was
 * heard for a while, so that a bot that has nothing to say notices too.
 * @param ask any call of the Web API, which reports to `heard` in its turn
 */
export function createTokenHealth(ask: () => Promise<unknown>, now: () => number = Date.now) {
  let refusal: string | undefined;
  let reportedAt = now();

  return {
    /** A call has ended; undefined: Slack did what was asked. */
    report(failure?: SlackError): void {
      if (failure !== undefined && failure.kind !== 'refused') return;
      reportedAt = now();
      refusal = failure && isWorkspaceError(failure) ? failure.code : undefined;
    },

    /** Why the bot can say nothing at present, in words for people; undefined when it can. */
    problem(): string | undefined {
      if (now() - reportedAt > (refusal === undefined ? maxAgeMs.accepted : maxAgeMs.refused)) {
        reportedAt = now();
        // How it ends is heard, like that of every call.
        ask().catch(() => undefined);
      }
      return (
        refusal &&
        `Slack does not accept SLACK_BOT_TOKEN any more (${refusal}). Install the app in the workspace again and give the bot its new token; nothing is lost meanwhile.`
      );
    },
  };
}
