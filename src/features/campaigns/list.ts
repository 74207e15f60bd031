import { type CampaignStatus, campaignStatuses, type WorkspaceId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Message } from '../../slack/blocks.ts';
import { nearest } from '../../slack/commands.ts';
import {
  type Actor,
  type Click,
  type Command,
  chosen,
  pickedDay,
  type Submission,
  type SubmissionAnswer,
  type Values,
} from '../../slack/feature.ts';
import { inline } from '../../slack/mrkdwn.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { askerIn, type CampaignsDeps } from './deps.ts';
import { statusWords } from './figures.ts';
import { dayInput, daysTurned, filterView, folderInput, statusInput } from './filter.view.ts';
import { listMessage } from './list.view.ts';
import type { Listings } from './listing.ts';
import { replaceOrSay } from './outcome.ts';
import { filterState, folders, type ListFilter, occasions, pageValue } from './values.ts';

/** `/campaign list [status]`, filtering it, and turning its pages in place. */
export function createList(deps: CampaignsDeps, listings: Listings) {
  const { accounts, claimOnce, messengerOf, zone } = deps;

  async function draw({ workspace, member }: Actor, filter: ListFilter, page = 0): Promise<Message> {
    const ref = await accounts.require(workspace, member);
    return listMessage({ ...(await listings.filtered(ref, filter)), filter, page });
  }

  /** Changes the list in its place; gives false when it is too old for that. */
  async function replaced(workspace: WorkspaceId, responseUrl: string, message: Message): Promise<boolean> {
    try {
      await messengerOf(workspace).replaceEphemeral(responseUrl, message);
      return true;
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      return false;
    }
  }

  return {
    async command(command: Command): Promise<void> {
      const status = readStatus(command.text);
      await command.answer(await draw(command, status === undefined ? {} : { status }));
    },

    /** Asked for by a button elsewhere. */
    async show(click: Click): Promise<void> {
      if (await claimOnce(click.workspace, `list ${click.id}`)) await click.answer(await draw(click, {}));
    },

    async turn(click: Click): Promise<void> {
      const { filter, page } = pageValue.decode(click.value);
      await replaceOrSay(click, await draw(click, filter, page));
    },

    async openFilter({ workspace, triggerId, value, responseUrl, channel }: Click): Promise<void> {
      const { filter } = pageValue.decode(value);
      const state = filterState.encode({ responseUrl, channel });
      await messengerOf(workspace).openModal(triggerId, filterView(filter, zone, state));
    },

    async filter(submission: Submission): Promise<SubmissionAnswer> {
      const { workspace, id, state, values } = submission;
      const { responseUrl, channel } = filterState.decode(state);
      const filter = readFilter(values);
      const turned = occasions.filter((occasion) => {
        const { from = '', to = '' } = filter[occasion] ?? {};
        return from !== '' && to !== '' && to < from;
      });
      if (turned.length > 0) {
        return { errors: Object.fromEntries(turned.map((one) => [dayInput(one, 'to'), daysTurned])) };
      }
      return {
        async afterwards() {
          if (!(await claimOnce(workspace, `filter ${id}`))) return;
          const message = await draw(submission, filter);
          const isChanged = responseUrl !== undefined && (await replaced(workspace, responseUrl, message));
          if (!isChanged) await askerIn(deps, submission, channel).answer(message);
        },
      };
    },
  };
}

function readFilter(values: Values): ListFilter {
  const status = campaignStatuses.find((one) => one === chosen(values, statusInput));
  const folder = folders.find((one) => one === chosen(values, folderInput));
  const spans = occasions.flatMap((occasion) => {
    const from = pickedDay(values, dayInput(occasion, 'from'));
    const to = pickedDay(values, dayInput(occasion, 'to'));
    return from || to ? [[occasion, { ...(from ? { from } : {}), ...(to ? { to } : {}) }] as const] : [];
  });
  return { ...(status ? { status } : {}), ...(folder ? { folder } : {}), ...Object.fromEntries(spans) };
}

/** `running`, `PAUSED_ADMIN`, `paused admin`; nothing or `all`: every status. Throws a UserError for anything else. */
export function readStatus(text: string): CampaignStatus | undefined {
  const word = text
    .trim()
    .toUpperCase()
    .replace(/[\s_-]+/gu, '_');
  if (word === '' || word === 'ALL') return undefined;
  const status = campaignStatuses.find(
    (known) => known === word || statusWords[known].toUpperCase().replaceAll(' ', '_') === word,
  );
  if (status !== undefined) return status;
  const near = nearest(word, campaignStatuses)?.toLowerCase();
  const all = campaignStatuses.map((known) => `\`${known.toLowerCase()}\``).join(', ');
  throw new UserError(
    `There is no status “${inline(text, 40)}”. ${near === undefined ? '' : `Did you mean \`/campaign list ${near}\`? `}There are: ${all}.`,
  );
}
