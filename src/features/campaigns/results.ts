import type { Campaign } from '../../domain/campaign.ts';
import { type AccountRef, ChannelId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { answerDeadlineMs, takeFromLimit } from '../../kit/budgets.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onCommand } from '../../kit/on.ts';
import { type Message, notice } from '../../slack/blocks.ts';
import type { Feature } from '../../slack/feature.ts';
import { createProgressMessage } from '../../slack/progress.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { CampaignChooser, ChosenHandler, Requester } from './choose.ts';
import {
  comingSentence,
  fileNote,
  notComeMessage,
  notInFullSentence,
  notSharedSentence,
  originalMessage,
  progressMessage,
  resultsMessage,
} from './results.view.ts';
import {
  createSpool,
  type Results,
  type ResultsFormat,
  readResults,
  resultsFilename,
  resultsMemory,
} from './results-file.ts';
import { campaignValue } from './words.ts';

/** Results to share: where, in which format, and the message that stands above their file. */
interface ResultsRequest {
  readonly ref: AccountRef;
  readonly campaign: Campaign;
  readonly channel: ChannelId;
  readonly format: ResultsFormat;
  readonly messageOf: (results: Results) => Message;
}

/** Creates `/campaign results <id>`, and the Results buttons. */
export function createResults(context: Modules, chooser: CampaignChooser) {
  const { people, marketplace, slack } = context;
  const { listings } = context.campaigns;

  /**
   * Reads a campaign's results, as soon as there is memory for them, and shares a message and their file: row by row, so
   * that they are never entirely in memory. The message shows the progress first.
   */
  function share(request: ResultsRequest): Promise<void> {
    const { ref, campaign, channel, format, messageOf } = request;
    const messenger = slack.messengerOf(ref.workspace);
    return marketplace.memory.hold(resultsMemory(campaign), async () => {
      const spool = await createSpool();
      const progress = createProgressMessage(messenger, channel);
      const report = (rows: number) => progress.report(progressMessage(campaign, rows));
      const read = async () => {
        report(0);
        const results = await readResults(await marketplace.of(ref), campaign, { format, spool, report });
        return { file: results.file, posted: await progress.finish(messageOf(results)) };
      };
      try {
        const { file, posted } = await read().catch(async (error: unknown) => {
          await progress.fail(notComeMessage(campaign));
          throw error;
        });
        const about =
          format === 'csv'
            ? { filename: resultsFilename(campaign, '.csv'), comment: fileNote }
            : { filename: resultsFilename(campaign, '-original.csv') };
        await messenger.shareFile({ channel: posted.channel }, { content: file, ...about });
      } catch (error) {
        throw error instanceof SlackError ? new UserError(notSharedSentence(error)) : error;
      } finally {
        await spool.close();
      }
    });
  }

  /** Sends the results to a member in a direct message, and says so where they asked. */
  async function send(requester: Requester, campaign: Campaign): Promise<void> {
    const { ref } = requester;
    await takeFromLimit(context, requester, 'results');
    const hasOriginal = await people.access.has(requester, ref, 'addresses');
    await requester.answer(notice(comingSentence(campaign)));
    const messageOf = ({ figures, problems }: Results) =>
      resultsMessage({ campaign, figures, problems, hasOriginal });
    // Slack accepts a member id as the channel of their direct messages.
    const channel = ChannelId.parse(requester.member);
    await share({ ref, campaign, channel, format: 'csv', messageOf });
  }

  const feature: Feature = {
    commands: [
      onCommand(
        {
          command: '/campaign',
          word: 'results',
          usage: '<id>',
          help: 'Sends you the results of a campaign as a file. Type it alone to choose one.',
          needs: 'see',
        },
        async (command) => {
          const resolved = await chooser.resolve(command, command.text, 'results');
          if (resolved !== undefined) await send(command, resolved.campaign);
        },
      ),
    ],
    clicks: {
      'campaign.results': onButton(campaignValue, { needs: 'see', isSlow: true, once: true }, async (click) =>
        send(click, await listings.byId(click.ref, click.value.campaign, answerDeadlineMs)),
      ),

      /** Sends the marketplace's own file, into the direct message of the clicked button. */
      'campaign.results.original': onButton(
        campaignValue,
        { needs: 'addresses', once: true },
        async (click) => {
          const { ref, channel, value } = click;
          if (channel === undefined || !isDirect(channel)) throw new UserError(notInFullSentence);
          await takeFromLimit(context, click, 'results');
          const campaign = await listings.byId(ref, value.campaign, answerDeadlineMs);
          const messageOf = () => originalMessage(campaign);
          await share({ ref, campaign, channel, format: 'original', messageOf });
        },
      ),
    },
  };

  return {
    feature,
    chosen: (async (requester, { campaign }) => ({
      afterwards: () => send(requester, campaign),
    })) satisfies ChosenHandler,
  };
}

/** Returns whether a conversation is a direct message, which nobody else reads. */
function isDirect(channel: ChannelId): boolean {
  return channel.startsWith('D');
}
