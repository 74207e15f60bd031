import { type Campaign, campaignOf } from '../../domain/campaign.ts';
import type { AccountRef } from '../../domain/terms.ts';
import { byUrgency, type CampaignListing, listTimeoutMs } from '../../kit/campaign-listings.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Authorized, Click, Command, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import {
  dayInput,
  daysReversed,
  filterFormState,
  filterIn,
  filterView,
  type ListFilter,
  listMessage,
  listPageValue,
  needsMarketplace,
  parseStatus,
  reversedFields,
  toCampaignFilter,
} from './list.view.ts';

/** Creates `/campaign list [status]`, its filter, and its pages. */
export function createList({ campaigns: { listings }, marketplace }: Modules) {
  /** Returns the campaigns that match a filter; a filter by status alone works even if the marketplace does not answer. */
  async function matching(ref: AccountRef, filter: ListFilter): Promise<CampaignListing> {
    if (!needsMarketplace(filter)) {
      const { campaigns, lastSeen } = await listings.list(ref);
      const { status } = filter;
      const matches = (one: Campaign) => status === undefined || one.status === status;
      return { campaigns: campaigns.filter(matches), lastSeen };
    }
    const client = await marketplace.of(ref);
    const listed = await client.listCampaignsExtended(toCampaignFilter(filter, marketplace.zone), {
      deadlineMs: listTimeoutMs,
    });
    return { campaigns: byUrgency(listed.map(campaignOf)), lastSeen: undefined };
  }

  async function render({ authorize }: Authorized, filter: ListFilter, page = 0): Promise<Message> {
    const ref = await authorize();
    return listMessage({ ...(await matching(ref, filter)), filter, page });
  }

  return {
    async command(command: Command): Promise<void> {
      const status = parseStatus(command.text);
      await command.answer(await render(command, status === undefined ? {} : { status }));
    },

    /** Shows the list from a button outside it. */
    async show(click: Click): Promise<void> {
      await click.answer(await render(click, {}));
    },

    async showPage(click: Click): Promise<void> {
      const { filter, page } = listPageValue.decode(click.value);
      await click.show(await render(click, filter, page));
    },

    async openFilter(click: Click): Promise<void> {
      const { filter } = listPageValue.decode(click.value);
      const state = filterFormState.encode(click.origin);
      await click.open(filterView(filter, marketplace.zone, state));
    },

    async filter(submission: Submission): Promise<SubmissionAnswer> {
      const { state, values } = submission;
      const origin = filterFormState.decode(state);
      const filter = filterIn(values);
      const reversed = reversedFields(filter);
      if (reversed.length > 0) {
        return {
          errors: Object.fromEntries(reversed.map((field) => [dayInput(field, 'to'), daysReversed])),
        };
      }
      return {
        async afterwards() {
          await submission.show(await render(submission, filter), undefined, origin);
        },
      };
    },
  };
}
