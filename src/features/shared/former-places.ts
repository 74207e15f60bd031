import type { MessageRef } from '../../domain/live-message.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Modules } from '../modules.ts';

/** Queues jobs that make leftover cards and announcements in former channels link to their new place. */
export async function retireFormer(
  { jobs }: Modules,
  ref: AccountRef,
  places: readonly MessageRef[],
): Promise<void> {
  const channels = new Set(places.map(({ channel }) => channel));
  const payloads = [...channels].map((channel) => ({ ...ref, channel }));
  await jobs.addAll('retire-cards', payloads, ({ channel }) => `${ref.account} ${channel}`);
}
