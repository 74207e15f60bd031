import type { ChannelId, WorkspaceId } from '../../domain/terms.ts';
import type { FeatureContext } from './context.ts';

/** Queues the check of a channel that seems lost; it counts as lost if unchanged after `lostAfterMs`. */
export async function queueChannelCheck(
  { jobs, lostAfterMs }: Pick<FeatureContext, 'jobs' | 'lostAfterMs'>,
  workspace: WorkspaceId,
  channel: ChannelId,
): Promise<void> {
  const options = { delayMs: lostAfterMs, uniqueKey: `${workspace} ${channel}` };
  await jobs.add('check-channel', { workspace, channel }, options);
}
