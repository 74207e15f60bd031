import type { Campaign } from '../../domain/campaign.ts';
import type { AccountId, AccountRef, ChannelId, WorkspaceId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Command } from '../../slack/feature.ts';
import { digestSubscribed, digestWord, hasCards, hasDigest, noCardChannel } from './digest.view.ts';

/** Returns whether a digest is requested, and for which campaign ('' for all). */
export function digestAsked(text: string): { readonly isDigest: boolean; readonly rest: string } {
  const [first = '', ...others] = text.trim().split(/\s+/);
  const isDigest = first.toLowerCase() === digestWord;
  return { isDigest, rest: isDigest ? others.join(' ') : text };
}

/** Creates the digests of channels: counts of waiting tasks, without cards. */
export function createDigestSubscriptions({ channels, jobs, clock }: Modules) {
  const countQueues = (ref: AccountRef) => jobs.add('count-queues', ref, { uniqueKey: ref.account });

  return {
    /** Subscribes a channel to the digest of an account or a campaign. Returns the answer, in mrkdwn. */
    async subscribe(
      { workspace, member }: Pick<Command, 'workspace' | 'member'>,
      {
        ref,
        channel,
        campaign,
      }: {
        readonly ref: AccountRef;
        readonly channel: ChannelId;
        readonly campaign: Campaign | undefined;
      },
    ): Promise<string> {
      const own = await channels.subscriptions.ofAccount(ref);
      const whole = own.find((one) => one.campaign === undefined);
      const cards = campaign ? (own.find((one) => one.campaign === campaign.id) ?? whole) : (whole ?? own[0]);
      if (cards === undefined) throw new UserError(noCardChannel);
      if (
        cards.channel === channel &&
        (campaign !== undefined || own.every((one) => one.channel === channel))
      )
        return hasCards;
      const scope = campaign ? { campaign: campaign.id } : {};
      const digest = { account: ref.account, ...scope, channel, by: member, at: clock.now() };
      const isNew = await channels.digests.put(workspace, digest);
      await countQueues(ref);
      return isNew ? digestSubscribed(campaign, await channels.shared.mustWait(ref, channel)) : hasDigest;
    },

    /** Returns the accounts whose digest a channel has. */
    async accountsIn(workspace: WorkspaceId, channel: ChannelId): Promise<AccountId[]> {
      const here = (await channels.digests.all(workspace)).filter((one) => one.channel === channel);
      return [...new Set(here.map(({ account }) => account))];
    },

    /** Ends the digests of a channel. */
    async end(actor: Pick<Command, 'workspace' | 'member' | 'how'>, channel: ChannelId): Promise<void> {
      const { workspace } = actor;
      const ended = await channels.digests.removeChannel(workspace, channel, doneBy(actor));
      for (const account of new Set(ended.map((one) => one.account)))
        await countQueues({ workspace, account });
    },
  };
}
