import { isWorkspaceError, type SlackError } from './slack-error.ts';

/** How old the last result may be before the token is checked again (ms), by whether it was accepted. */
const maxAgeMs = { accepted: 60_000, refused: 3_000 };

/**
 * Creates the check of whether Slack still accepts the bot token, from the results of calls. `problem` starts a call when
 * the last result is old, so that a bot that is not posting notices too.
 * @param ask makes any call of the Web API, whose result is passed to `report`
 */
export function createTokenHealth(ask: () => Promise<unknown>, now: () => number = () => performance.now()) {
  let refusal: string | undefined;
  let reportedAt = now();

  return {
    /** Records the result of a call; undefined when it succeeded. */
    report(failure?: SlackError): void {
      if (failure !== undefined && failure.kind !== 'refused') return;
      reportedAt = now();
      refusal = failure && isWorkspaceError(failure) ? failure.code : undefined;
    },

    /** Returns why the bot cannot call Slack, as a sentence; undefined when it can. */
    problem(): string | undefined {
      if (now() - reportedAt > (refusal === undefined ? maxAgeMs.accepted : maxAgeMs.refused)) {
        reportedAt = now();
        // Its result is reported like that of every call.
        ask().catch(() => undefined);
      }
      return (
        refusal &&
        `Slack no longer accepts SLACK_BOT_TOKEN (${refusal}). Reinstall the app in the workspace and set its new token. Nothing is lost meanwhile.`
      );
    },
  };
}
