import { withMuted } from '../../domain/channel-settings.ts';
import type { AccountRef } from '../../domain/terms.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import type { FeatureContext } from '../shared/context.ts';

/** Migrates muting from subscriptions to channel settings. Safe to run again. */
export async function upgradeMutes(
  { channelSettings, subscriptions }: Pick<FeatureContext, 'channelSettings' | 'subscriptions'>,
  ref: AccountRef,
  subscribed: readonly Subscription[],
): Promise<void> {
  await subscriptions.takeOverMutes(ref.workspace, subscribed, (channel) =>
    channelSettings.change(ref.workspace, channel, (before) => withMuted(before, 'reminders', true), {
      how: 'setting',
      account: ref.account,
    }),
  );
}
