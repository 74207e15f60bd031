import type { AccountRef, WorkspaceId } from '../../domain/terms.ts';
import type { Logger } from '../../logger.ts';
import type { MarketplaceClient } from '../../marketplace/index.ts';
import type { Messenger } from '../../slack/messenger.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { Campaigns } from '../../store/campaigns.ts';
import type { ExpiringTexts } from '../../store/expiring-texts.ts';
import type { TimesToRate } from '../../store/times-to-rate.ts';

/** What creating a campaign needs. */
export interface CreateDeps {
  readonly accounts: Accounts;
  readonly campaigns: Campaigns;
  readonly expiringTexts: ExpiringTexts;
  readonly timesToRate: TimesToRate;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /** True the first time a name is given, whichever process asks. */
  readonly once: (workspace: WorkspaceId, name: string) => Promise<boolean>;
  readonly logger: Logger;
  readonly now: () => number;
}
