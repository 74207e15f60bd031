import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';

/** Has what is left in these channels of cards and announcements that stand elsewhere now say where they continue. */
export async function retireFormerIn(
  { jobs }: Pick<FeatureContext, 'jobs'>,
  ref: AccountRef,
  channels: Iterable<ChannelId>,
): Promise<void> {
  const payloads = [...new Set(channels)].map((channel) => ({ ...ref, channel }));
  await jobs.addAll('retire-cards', payloads, ({ channel }) => `${ref.account} ${channel}`);
}
