import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';

/** Batch size for reading records; parsing them blocks the process. */
const recordsAtOnce = 12;

/** Creates the updates of the search index: each change of a task marks it for indexing. */
export function createIndexing({ campaigns, tasks }: Modules) {
  /** Indexes a batch of changed tasks. A task that changes meanwhile stays marked. Returns whether there were any. */
  async function indexSome(ref: AccountRef): Promise<boolean> {
    const pending = await campaigns.findIndex.pending(ref, recordsAtOnce);
    const records = await tasks.loadMany(ref, pending);
    for (const [index, id] of pending.entries()) {
      const record = records[index];
      if (record?.value === undefined || record.value.detailsRemovedAt !== undefined)
        await campaigns.findIndex.forget(ref, id);
      else {
        const own = await tasks.notes.on(ref, record.value);
        await campaigns.findIndex.put(
          ref,
          record,
          own.map(({ text }) => text),
        );
      }
    }
    return pending.length > 0;
  }

  return {
    indexSome,

    /** Indexes recent changes, so that they are found immediately. @param most approximate maximum number of tasks */
    async catchUp(ref: AccountRef, most: number): Promise<number> {
      for (let done = 0; done < most; done += recordsAtOnce) if (!(await indexSome(ref))) break;
      return campaigns.findIndex.countPending(ref);
    },
  };
}
