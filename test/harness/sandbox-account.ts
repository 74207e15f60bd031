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

/** The author of settings changes made by a test itself. */
export const byAnn = { by: asId<MemberId>('U01ANN'), how: 'form' } as const;

/** Turns rating by thread replies on or off in the review channel. */
export async function letRepliesRate(redis: Redis, threads: boolean): Promise<void> {
  const channel = asId<ChannelId>('C01REVIEW');
  await createChannelSettings(redis).change(
    sandboxWorkspace,
    channel,
    (before) => ({ ...before, threads }),
    byAnn,
  );
}
