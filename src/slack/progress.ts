import type { MessageRef } from '../domain/live-message.ts';
import type { ChannelId } from '../domain/terms.ts';
import type { Message } from './blocks.ts';
import type { Messenger } from './messenger.ts';

const intervalMs = 1_000;
/** Work that ends sooner posts only its result (ms). */
const firstPostMs = 2_000;

/**
 * Creates the progress of long work: shows the latest report, at most once a second, the first after `firstAfterMs`. A report
 * that cannot be shown is dropped, and the work continues.
 */
export function createProgress<T>(show: (report: T) => Promise<unknown>, firstAfterMs = intervalMs) {
  let latest: { readonly report: T } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let showing: Promise<unknown> = Promise.resolve();
  let nextAt = performance.now() + firstAfterMs;
  let isStopped = false;

  function schedule(): void {
    if (latest === undefined || timer !== undefined || isStopped) return;
    timer = setTimeout(showLatest, Math.max(0, nextAt - performance.now()));
  }

  function showLatest(): void {
    if (latest === undefined) return;
    const { report } = latest;
    latest = undefined;
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

    /** Drops reports that were not shown yet. Resolves once none is being shown, so that the result can be. */
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      await showing;
    },
  };
}

/** Creates one message about long work: it shows the progress, then the result or failure. */
export function createProgressMessage(
  { post, update }: Pick<Messenger, 'post' | 'update'>,
  channel: ChannelId,
) {
  let posted: MessageRef | undefined;
  const progress = createProgress(show, firstPostMs);

  async function show(message: Message): Promise<MessageRef> {
    if (posted === undefined) posted = await post(channel, message);
    else await update(posted, message);
    return posted;
  }

  return {
    report: progress.report,

    /** Shows the result. Throws {@link SlackError}; may be called again with another message. */
    async finish(message: Message): Promise<MessageRef> {
      await progress.stop();
      return show(message);
    },

    /** Replaces the progress by `message` if any was shown: the error itself is reported elsewhere. */
    async fail(message: Message): Promise<void> {
      await progress.stop();
      if (posted !== undefined) await update(posted, message).catch(() => undefined);
    },
  };
}
