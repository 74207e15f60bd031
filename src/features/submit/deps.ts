import type { Campaign } from '../../domain/campaign.ts';
import type { AccountRef, WorkspaceId } from '../../domain/terms.ts';
import type { Logger } from '../../logger.ts';
import type { MarketplaceClient } from '../../marketplace/index.ts';
import type { Messenger } from '../../slack/messenger.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { ExpiringTexts } from '../../store/expiring-texts.ts';

/** What submitting for a worker needs. */
export interface SubmitDeps {
  readonly accounts: Accounts;
  readonly expiringTexts: ExpiringTexts;
  /** Campaigns by what somebody typed or chose. Throw a UserError when there is none. */
  readonly listings: {
    find(
      ref: AccountRef,
      text: string,
    ): Promise<
      | { readonly kind: 'id' | 'title'; readonly campaign: Campaign }
      | { readonly kind: 'several'; readonly campaigns: readonly Campaign[] }
    >;
    byId(ref: AccountRef, id: string): Promise<Campaign>;
  };
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /** True the first time a name is given, whichever process asks. */
  readonly once: (workspace: WorkspaceId, name: string) => Promise<boolean>;
  readonly logger: Logger;
  readonly now: () => number;
}
