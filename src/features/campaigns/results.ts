import type { Campaign } from '../../domain/campaign.ts';
import type { MessageRef } from '../../domain/live-message.ts';
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
  channelNotConfirmed,
  fileNote,
  gettingSentence,
  notComeMessage,
  notInFullSentence,
  notSharedSentence,
  originalMessage,
  postedSentence,
  progressMessage,
  resultsMessage,
  sentMessage,
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

/** After this long without an answer, the requester is told that it takes a while (ms). */
const firstAnswerMs = 2_000;

/** Results to share: where, in which format, and the message that stands above their file. */
interface ResultsRequest {
  readonly ref: AccountRef;
  readonly campaign: Campaign;
  readonly channel: ChannelId;
  readonly format: ResultsFormat;
  readonly messageOf: (results: Results) => Message;
  /** The file goes into the thread of the message. */
  readonly isThreaded?: boolean;
}

/** Creates `/campaign results <id>`, the Results buttons, and posting the results in a channel. */
export function createResults(context: Modules, chooser: CampaignChooser) {
  const { people, log, marketplace, slack, channels } = context;
  const { listings } = context.campaigns;

  /**
   * Reads a campaign's results, as soon as there is memory for them, and shares a message and their file: row by row, so
   * that they are never entirely in memory. The message shows the progress first.
   */
  function share(request: ResultsRequest): Promise<MessageRef> {
    const { ref, campaign, channel, format, messageOf, isThreaded } = request;
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
        const thread = isThreaded ? { threadTs: posted.ts } : {};
        const about =
          format === 'csv'
            ? { filename: resultsFilename(campaign, '.csv'), comment: fileNote }
            : { filename: resultsFilename(campaign, '-original.csv') };
        await messenger.shareFile({ channel: posted.channel, ...thread }, { content: file, ...about });
        return posted;
      } catch (error) {
        return notSharedThere(error);
      } finally {
        await spool.close();
      }
    });
  }

  /** Sends the results to a member in a direct message, and confirms that where they asked. */
  async function send(requester: Requester, campaign: Campaign): Promise<void> {
    const { ref } = requester;
    await takeFromLimit(context, requester, 'results');
    const timer = setTimeout(() => {
      requester.answer(notice(gettingSentence(campaign))).catch((error: unknown) => {
        log.warn({ err: error }, 'results: requester not told that they take a while');
      });
    }, firstAnswerMs);
    try {
      // Slack accepts a member id as the channel of their direct messages.
      const channel = ChannelId.parse(requester.member);
      const hasOriginal = await people.access.has(requester, ref, 'addresses');
      const messageOf = ({ figures, problems }: Results) =>
        resultsMessage({ campaign, figures, problems, hasOriginal });
      const posted = await share({ ref, campaign, channel, format: 'csv', messageOf });
      const permalink = await slack.messengerOf(ref.workspace).permalink(posted);
      const mayPost = requester.channel !== undefined && !isDirect(requester.channel);
      await requester.answer(sentMessage(campaign, { permalink, mayPost }));
    } finally {
      clearTimeout(timer);
    }
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

      /** Posts the results for everybody in the button's channel. */
      'campaign.results.post': onButton(campaignValue, { needs: 'rate', once: true }, async (click) => {
        const { ref, member, channel, value } = click;
        if (channel === undefined) return;
        if (!(await channels.shared.mayPost(ref, channel))) throw new UserError(channelNotConfirmed);
        const known = await slack.messengerOf(ref.workspace).channel(channel).catch(unlessUnseen);
        if (known?.isMember === false)
          throw new UserError(notSharedSentence({ kind: 'refused', code: 'not_in_channel' }));
        await takeFromLimit(context, click, 'results');
        const campaign = await listings.byId(ref, value.campaign, answerDeadlineMs);
        const messageOf = ({ figures, problems }: Results) =>
          resultsMessage({ campaign, figures, problems, postedBy: member });
        await share({ ref, campaign, channel, format: 'csv', messageOf, isThreaded: true });
        await click.show(notice(postedSentence(campaign)));
      }),

      /** Sends the marketplace's own file, into the direct message of the clicked button. */
      'campaign.results.original': onButton(
        campaignValue,
        { needs: 'addresses', once: true },
        async (click) => {
          const { ref, channel, value } = click;
          if (channel === undefined) return;
          if (!isDirect(channel)) throw new UserError(notInFullSentence);
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

function notSharedThere(error: unknown): never {
  throw error instanceof SlackError ? new UserError(notSharedSentence(error)) : error;
}

/** Refuses a channel that Proofdesk cannot see. Of one of which Slack says nothing else, the post shows whether it may. */
function unlessUnseen(error: unknown): undefined {
  if (!(error instanceof SlackError) || error.code === 'channel_not_found') return notSharedThere(error);
}

/** Returns whether a conversation is a direct message, which nobody else reads. */
function isDirect(channel: ChannelId): boolean {
  return channel.startsWith('D');
}
