import type { MessageRef } from '../domain/live-message.ts';
import type { ChannelId } from '../domain/terms.ts';
import type { Message } from './blocks.ts';
import type { Messenger } from './messenger.ts';

const intervalMs = 1_000;
/** Work that ends sooner posts its result only. */
const firstPostMs = 2_000;

/**
 * Shows how far long work has come: always the latest report, at most once a second, the first after `firstAfterMs` and
 * at most `limit` of them (an ephemeral message can be changed five times only). A report that cannot be shown is
 * dropped: the work goes on.
 */
export function createProgress<T>(
  show: (report: T) => Promise<unknown>,
  {
    firstAfterMs = intervalMs,
    limit = Number.POSITIVE_INFINITY,
  }: { readonly firstAfterMs?: number; readonly limit?: number } = {},
) {
  let latest: { readonly report: T } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let showing: Promise<unknown> = Promise.resolve();
  let nextAt = performance.now() + firstAfterMs;
  let left = limit;

  function schedule(): void {
    if (latest === undefined || timer !== undefined || left <= 0) return;
    timer = setTimeout(showLatest, Math.max(0, nextAt - performance.now()));
  }

  function showLatest(): void {
    if (latest === undefined) return;
    const { report } = latest;
    latest = undefined;
    left -= 1;
    nextAt = performance.now() + intervalMs;
    showing = show(report)
      .catch(() => undefined)
      .finally(() => {
        timer = undefined;
        schedule();
      });
  }

  return {
    report(report: T): void {
      latest = { report };
      schedule();
    },

    /** Drops reports that are not shown yet, and resolves once none is being shown: from then on the result can be. */
    async stop(): Promise<void> {
      left = 0;
      clearTimeout(timer);
      await showing;
    },
  };
}

export type ProgressMessage = ReturnType<typeof createProgressMessage>;

/** Posts one message about long work: its progress, then in the same message its result. Always ends in one of the two. */
export function createProgressMessage(
  { post, update }: Pick<Messenger, 'post' | 'update'>,
  channel: ChannelId,
) {
  let posted: MessageRef | undefined;
  const progress = createProgress(show, { firstAfterMs: firstPostMs });

  async function show(message: Message): Promise<MessageRef> {
    if (posted === undefined) posted = await post(channel, message);
    else await update(posted, message);
    return posted;
  }

  return {
    report: progress.report,

    /** Shows the result. Throws {@link SlackError}; can be tried again with another message. */
    async finish(message: Message): Promise<MessageRef> {
      await progress.stop();
      return show(message);
    },

    /** Puts `message` in place of the progress, if any was shown: the error itself is reported elsewhere. */
    async fail(message: Message): Promise<void> {
      await progress.stop();
      if (posted !== undefined) await update(posted, message).catch(() => undefined);
    },
  };
}
