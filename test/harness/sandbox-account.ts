import type { Redis } from 'ioredis';
import type { ChannelId, MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import { accountIdOf } from '../../src/store/accounts.ts';
import { createChannelSettings } from '../../src/store/channel-settings.ts';
import { asId } from './ids.ts';

export const sandboxWorkspace = asId<WorkspaceId>('T0SANDBOX');

/** The account that a world has from the start. */
export const sandboxAccount = {
  workspace: sandboxWorkspace,
  account: accountIdOf(sandboxWorkspace, 'employer-demo-key'),
};

/** Who changes settings where a test does so itself. */
export const byAnn = { by: asId<MemberId>('U01ANN'), how: 'form' } as const;

/** Lets replies in the threads of the review channel rate, or no longer. */
export async function letRepliesRate(redis: Redis, threads: boolean): Promise<void> {
  const channel = asId<ChannelId>('C01REVIEW');
  await createChannelSettings(redis).change(
    sandboxWorkspace,
    channel,
    (before) => ({ ...before, threads }),
    byAnn,
  );
}
