import type { MessageRef } from '../../domain/live-message.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';

/** Has what is left of cards and announcements in former places say where they continue. */
export async function retireFormer(
  { jobs }: Pick<FeatureContext, 'jobs'>,
  ref: AccountRef,
  places: readonly MessageRef[],
): Promise<void> {
  const channels = new Set(places.map(({ channel }) => channel));
  const payloads = [...channels].map((channel) => ({ ...ref, channel }));
  await jobs.addAll('retire-cards', payloads, ({ channel }) => `${ref.account} ${channel}`);
}
