import type { ChannelId, WorkspaceId } from '../../domain/terms.ts';
import type { Jobs } from '../../jobs/queue.ts';

/** Queues the check of a channel that seems lost; it counts as lost if unchanged after `lostAfterMs`. */
export async function queueChannelCheck(
  jobs: Jobs,
  lostAfterMs: number,
  workspace: WorkspaceId,
  channel: ChannelId,
): Promise<void> {
  const options = { delayMs: lostAfterMs, uniqueKey: `${workspace} ${channel}` };
  await jobs.add('check-channel', { workspace, channel }, options);
}
