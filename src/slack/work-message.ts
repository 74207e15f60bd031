import type { MessageRef } from '../domain/live-message.ts';
import type { ChannelId } from '../domain/terms.ts';
import type { Message } from './blocks.ts';
import type { Messenger } from './messenger.ts';

/** Work that ends sooner says nothing but its end. */
const silenceMs = 2_000;
const mostOftenMs = 1_000;

export type WorkMessage = ReturnType<typeof createWorkMessage>;

/**
 * One message about long work: how far it is, at most once a second, and in the same place how it ended. What cannot
 * be shown on the way is left out: the work goes on. To be stopped whatever happens.
 */
export function createWorkMessage({ post, update }: Pick<Messenger, 'post' | 'update'>, channel: ChannelId) {
  let place: MessageRef | undefined;
  let next: Message | undefined;
  let showing: Promise<void> | undefined;
  let timer = setTimeout(show, silenceMs);

  async function put(message: Message): Promise<MessageRef> {
    if (place === undefined) place = await post(channel, message);
    else await update(place, message);
    return place;
  }

  function show(): void {
    const message = next;
    next = undefined;
    if (message !== undefined && showing === undefined) {
      showing = put(message).then(
        () => {
          showing = undefined;
        },
        () => {
          showing = undefined;
        },
      );
    }
    timer = setTimeout(show, mostOftenMs);
  }

  async function stop(): Promise<void> {
    clearTimeout(timer);
    await showing;
  }

  return {
    /** How far it is. Shown when its turn comes, if nothing newer is said until then. */
    say(message: Message): void {
      next = message;
    },

    /** How it ended. Throws {@link SlackFailure}; can be tried again with another message. */
    async end(message: Message): Promise<MessageRef> {
      await stop();
      return put(message);
    },

    /** The work has failed, and its end is told elsewhere: what was said of it here gives way to this, if anything was. */
    async giveUp(message: Message): Promise<void> {
      await stop();
      if (place !== undefined) await update(place, message).catch(() => undefined);
    },
  };
}
