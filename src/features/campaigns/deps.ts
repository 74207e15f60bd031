import type { AccountRef, ChannelId, MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Jobs } from '../../jobs/queue.ts';
import type { Logger } from '../../logger.ts';
import type { MarketplaceClient } from '../../marketplace/index.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Messenger } from '../../slack/messenger.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { Audit } from '../../store/audit.ts';
import type { Campaigns } from '../../store/campaigns.ts';
import type { PlannedRetargets } from '../../store/planned-retargets.ts';
import type { Tasks } from '../../store/tasks.ts';
import type { Timeouts } from '../../store/timeouts.ts';

/** What the campaign commands need. */
export interface CampaignsDeps {
  readonly accounts: Accounts;
  readonly campaigns: Campaigns;
  readonly tasks: Tasks;
  readonly audit: Audit;
  readonly plannedRetargets: PlannedRetargets;
  readonly jobs: Jobs;
  readonly timeouts: Timeouts;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /** The first time something is delivered: true; when it was delivered before (to any process): false. */
  readonly claimOnce: (workspace: WorkspaceId, name: string) => Promise<boolean>;
  /** The mark of an excluded country at the marketplace. */
  readonly excludeMark: string;
  /** IANA zone of the marketplace's datetimes. */
  readonly zone: string;
  readonly logger: Logger;
  readonly now: () => number;
}

/** Somebody who is answered privately, and where they are: remembered by a modal, which knows no channel itself. */
export interface Asker {
  readonly workspace: WorkspaceId;
  readonly member: MemberId;
  readonly channel?: ChannelId | undefined;
  readonly answer: (message: Message) => Promise<void>;
}

/** Whoever submitted a modal that was opened in a channel: answered there. */
export function askerIn(
  { messengerOf }: CampaignsDeps,
  { workspace, member }: Pick<Asker, 'workspace' | 'member'>,
  channel: ChannelId | undefined,
): Asker {
  return {
    workspace,
    member,
    channel,
    answer: (message) => messengerOf(workspace).answer({ member, channel }, message),
  };
}
