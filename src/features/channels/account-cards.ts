import { chunksOf } from '../../domain/collections.ts';
import { isOpen, isPending, type Task } from '../../domain/task.ts';
import type { AccountRef, ChannelId, MessageId, TaskId, WorkspaceId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';

/** Batch size for loading records. */
const recordsAtOnce = 200;
const everyTask = { limit: 100_000 };

/** Creates the search for cards still needed: of open tasks, and of decisions whose result is not shown yet. */
export function createAccountCards({ slack, channels, tasks }: Modules) {
  /** Yields tasks whose cards are needed: first those with a decision, then open ones, most urgent first. */
  async function* needed(ref: AccountRef): AsyncGenerator<Task> {
    const ids = new Set<TaskId>([
      ...(await tasks.find(ref, 'due', everyTask)),
      ...(await tasks.find(ref, 'needs-render', everyTask)),
      ...(await tasks.find(ref, 'open', everyTask)),
    ]);
    for (const some of chunksOf([...ids], recordsAtOnce)) {
      for (const task of await tasks.getMany(ref, some)) {
        if (isOpen(task) || isPending(task) || task.decision !== undefined) yield task;
      }
    }
  }

  return {
    needed,

    /** Returns the unread messages announced in a channel. */
    async unreadIn(ref: AccountRef, channel: ChannelId): Promise<MessageId[]> {
      const found: MessageId[] = [];
      for (const [id, state] of await slack.announcements.known(ref)) {
        if (state !== 'unread') continue;
        const card = (await slack.announcements.get(ref, id))?.card;
        if (card?.state === 'posted' && card.channel === channel) found.push(id);
      }
      return found;
    },

    /** Returns a workspace's polled accounts: those with a subscription or unfinished work. */
    async accountsOf(workspace: WorkspaceId): Promise<AccountRef[]> {
      return (await channels.subscriptions.polledAccounts()).filter((ref) => ref.workspace === workspace);
    },
  };
}

export type AccountCards = ReturnType<typeof createAccountCards>;
