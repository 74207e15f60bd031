import type { Campaign } from '../../domain/campaign.ts';
import type { MessageRef } from '../../domain/live-message.ts';
import { type AccountRef, ChannelId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { answerDeadlineMs, takeFromLimit } from '../../kit/budgets.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onCommand } from '../../kit/on.ts';
import { notice } from '../../slack/blocks.ts';
import type { Feature } from '../../slack/feature.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { createProgressMessage, type ProgressMessage } from '../../slack/progress.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { CampaignChooser, ChosenHandler, Requester } from './choose.ts';
import {
  channelNotConfirmed,
  figuresUnsureSentence,
  fileUnsureSentence,
  gettingSentence,
  notComeMessage,
  notInFullSentence,
  notSharedSentence,
  originalFollowsMessage,
  postedSentence,
  progressMessage,
  type ResultsOf,
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
  reviewersIn,
} from './results-file.ts';
import { campaignValue } from './words.ts';

/** After this long without an answer, the requester is told that it takes a while (ms). */
const firstAnswerMs = 2_000;

/** The results to share, and who shares them if in a channel. */
type ResultsRequest = Pick<ResultsOf, 'campaign' | 'postedBy' | 'hasOriginal'> & { readonly ref: AccountRef };

/** Creates `/campaign results <id>`, the Results buttons, and posting the results in a channel. */
export function createResults(context: Modules, chooser: CampaignChooser) {
  const { people, audit, log, marketplace, slack, channels } = context;
  const { listings } = context.campaigns;

  /**
   * Reads a campaign's results, as soon as there is memory for them, and shares their file: row by row, so that they are
   * never entirely in memory. A message in the channel shows the progress.
   */
  function withFile<T>(
    messenger: Messenger,
    channel: ChannelId,
    { ref, campaign }: Pick<ResultsRequest, 'ref' | 'campaign'>,
    format: ResultsFormat,
    share: (results: Results, progress: ProgressMessage) => Promise<T>,
  ): Promise<T> {
    return marketplace.memory.hold(resultsMemory(campaign), async () => {
      const spool = await createSpool();
      const progress = createProgressMessage(messenger, channel);
      const report = (rows: number) => progress.report(progressMessage(campaign, rows));
      try {
        report(0);
        const read = readResults(await marketplace.of(ref), campaign, { format, spool, report });
        return await share(await read.catch(notCome(progress, campaign)), progress);
      } finally {
        await spool.close();
      }
    });
  }

  /** Posts the statistics and the file; in a channel, the file goes into the thread of the statistics. */
  function share(messenger: Messenger, channel: ChannelId, request: ResultsRequest): Promise<MessageRef> {
    const { campaign, postedBy } = request;
    return withFile(messenger, channel, request, 'csv', async ({ figures, problems, file }, progress) => {
      const reviewers = await reviewersIn(audit.lines(request.ref), campaign.id).catch((error: unknown) => {
        log.warn({ err: error }, 'results: figures shown without the reviewers');
        return [];
      });
      const content = { ...request, figures, reviewers, problems };
      const posted = await progress
        .finish(resultsMessage(content))
        .catch(notCome(progress, campaign, figuresUnsureSentence));
      const thread = postedBy === undefined ? {} : { threadTs: posted.ts };
      try {
        await messenger.shareFile(
          { channel: posted.channel, ...thread },
          { content: file, filename: resultsFilename(campaign) },
        );
        return posted;
      } catch (error) {
        const isUnknown = error instanceof SlackError && error.kind === 'unreachable';
        // The statistics announce the file to everybody who sees them.
        const fate = isUnknown ? 'unknown' : 'not shared';
        await progress.finish(resultsMessage({ ...content, file: fate })).catch((reason: unknown) => {
          log.warn({ err: reason }, 'results: figures still announce a file that was not shared');
        });
        throw explained(error, isUnknown ? fileUnsureSentence : undefined);
      }
    });
  }

  /** Sends the results to a member in a direct message, and confirms that where they asked. */
  async function send(requester: Requester, ref: AccountRef, campaign: Campaign): Promise<void> {
    await takeFromLimit(context, requester, 'results');
    const messenger = slack.messengerOf(requester.workspace);
    const timer = setTimeout(() => {
      requester.answer(notice(gettingSentence(campaign))).catch((error: unknown) => {
        log.warn({ err: error }, 'results: requester not told that they take a while');
      });
    }, firstAnswerMs);
    try {
      // Slack accepts a member id as the channel of their direct messages.
      const direct = ChannelId.parse(requester.member);
      const hasOriginal = await people.access.has(requester, ref, 'addresses');
      const posted = await share(messenger, direct, { ref, campaign, hasOriginal });
      const [permalink, mayPost] = await Promise.all([
        messenger.permalink(posted),
        canPost(messenger, requester.channel),
      ]);
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
          const { ref, text } = command;
          const resolved = await chooser.resolve(command, ref, text, 'results', answerDeadlineMs);
          if (resolved !== undefined) await send(command, ref, resolved.campaign);
        },
      ),
    ],
    clicks: {
      'campaign.results': onButton(
        campaignValue,
        { needs: 'see', isSlow: true, once: true },
        async (click) => {
          const { ref, value } = click;
          await send(click, ref, await listings.byId(ref, value.campaign, answerDeadlineMs));
        },
      ),

      /** Posts the results for everybody in the button's channel. */
      'campaign.results.post': onButton(campaignValue, { needs: 'rate', once: true }, async (click) => {
        const { ref, workspace, member, channel, value } = click;
        if (channel === undefined) return;
        if (!(await channels.shared.mayPost(ref, channel))) throw new UserError(channelNotConfirmed);
        await takeFromLimit(context, click, 'results');
        const campaign = await listings.byId(ref, value.campaign, answerDeadlineMs);
        await share(slack.messengerOf(workspace), channel, { ref, campaign, postedBy: member });
        await click.show(notice(postedSentence(campaign)));
      }),

      /** Sends the marketplace's own file, into the direct message of the clicked button. */
      'campaign.results.original': onButton(
        campaignValue,
        { needs: 'addresses', once: true },
        async (click) => {
          const { ref, workspace, channel, value } = click;
          if (channel === undefined) return;
          if (!isDirect(channel)) throw new UserError(notInFullSentence);
          await takeFromLimit(context, click, 'results');
          const campaign = await listings.byId(ref, value.campaign, answerDeadlineMs);
          const messenger = slack.messengerOf(workspace);
          await withFile(messenger, channel, { ref, campaign }, 'original', async ({ file }, progress) => {
            const follow = async () => {
              await progress.finish(originalFollowsMessage(campaign));
              const filename = resultsFilename(campaign, '-original.csv');
              await messenger.shareFile({ channel }, { content: file, filename });
            };
            await follow().catch(notCome(progress, campaign, fileUnsureSentence));
          });
        },
      ),
    },
  };

  return {
    feature,
    chosen: (async (requester, ref, { campaign }) => ({
      afterwards: () => send(requester, ref, campaign),
    })) satisfies ChosenHandler,
  };
}

/** Returns whether there is a channel, other than a direct message, in which the bot can post. */
async function canPost(messenger: Messenger, channel: ChannelId | undefined): Promise<boolean> {
  if (channel === undefined || isDirect(channel)) return false;
  try {
    const { isMember, isArchived } = await messenger.channel(channel);
    return isMember && !isArchived;
  } catch {
    return false;
  }
}

/** Returns whether a conversation is a direct message, which nobody else reads. */
function isDirect(channel: ChannelId): boolean {
  return channel.startsWith('D');
}

/** Returns a handler of errors that says in the progress that the results do not come. @param unsure see {@link explained} */
function notCome(progress: ProgressMessage, campaign: Campaign, unsure?: string) {
  return async (error: unknown): Promise<never> => {
    await progress.fail(notComeMessage(campaign));
    throw explained(error, unsure);
  };
}

/** Returns the remedy if Slack rejected something. @param unsure said when it may have arrived all the same */
function explained(error: unknown, unsure?: string): unknown {
  if (!(error instanceof SlackError)) return error;
  const { kind, code } = error;
  return new UserError(kind === 'unreachable' && unsure !== undefined ? unsure : notSharedSentence(code));
}
