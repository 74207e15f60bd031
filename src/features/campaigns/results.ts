import type { Campaign } from '../../domain/campaign.ts';
import type { MessageRef } from '../../domain/live-message.ts';
import { type AccountRef, ChannelId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { answerDeadlineMs, takeFromLimit } from '../../kit/budgets.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Click, Command } from '../../slack/feature.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { notice } from '../../slack/notice.ts';
import { createProgressMessage, type ProgressMessage } from '../../slack/progress.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { CampaignChooser, Requester } from './choose.ts';
import {
  channelNotConfirmed,
  type FileFate,
  figuresUnsureSentence,
  gettingSentence,
  notComeMessage,
  notInFullSentence,
  notSharedSentence,
  originalFollowsMessage,
  postedSentence,
  progressMessage,
  type ResultsOf,
  resultsMessage,
  reviewersMessage,
  reviewersShown,
  sentMessage,
} from './results.view.ts';
import { createFigures, reviewersIn } from './results-figures.ts';
import {
  createResultsWriter,
  createSpool,
  resultsFilename,
  resultsMemory,
  type Spool,
} from './results-file.ts';
import { campaignValue } from './words.ts';

/** Results can be many megabytes. */
const resultsTimeoutMs = 120_000;
/** After this long without an answer, the requester is told that it takes a while (ms). */
const firstAnswerMs = 2_000;
const rowsPerReport = 1_000;

/** The results to share, and who shares them if in a channel. */
type ResultsRequest = Omit<ResultsOf, 'figures' | 'problems' | 'file'> & { readonly ref: AccountRef };

/** Creates `/campaign results <id>`, the Results buttons, and posting the results in a channel. */
export function createResults(context: Modules, chooser: CampaignChooser) {
  const { people, audit, log, marketplace, slack, channels } = context;
  const { listings } = context.campaigns;

  /** Streams the results row by row, so that they are never entirely in memory. */
  async function download(
    { ref, campaign }: Pick<ResultsRequest, 'ref' | 'campaign'>,
    format: 'csv' | 'original',
    progress: ProgressMessage,
    spool: Spool,
  ) {
    const client = await marketplace.of(ref);
    let counts = createFigures();
    let writer = createResultsWriter(format, spool);
    let rows = 0;
    progress.report(progressMessage(campaign, rows));
    const { preamble, skipped, problems } = await client.campaignResults(campaign.id, {
      deadlineMs: resultsTimeoutMs,
      into() {
        counts = createFigures();
        writer = createResultsWriter(format, spool);
        rows = 0;
        return {
          onCsv: writer.onCsv,
          async onRows(some) {
            for (const row of some) {
              counts.add(row);
              writer.onRow(row);
              rows += 1;
              if (rows % rowsPerReport === 0) progress.report(progressMessage(campaign, rows));
            }
            await writer.flush();
          },
        };
      },
    });
    return { figures: counts.figures(skipped), problems, file: writer.file(preamble) };
  }

  /** Downloads the results and posts their statistics. `updateFigures` updates that message with the file's status. */
  async function postFigures(
    messenger: Messenger,
    channel: ChannelId,
    request: ResultsRequest,
    spool: Spool,
  ) {
    const { campaign, postedBy, hasOriginal } = request;
    const progress = createProgressMessage(messenger, channel);
    const finish = (content: ResultsOf) =>
      withoutChartsIfRefused((isPlain) => progress.finish(resultsMessage({ ...content, isPlain })));
    try {
      const { figures, problems, file } = await download(request, 'csv', progress, spool);
      const content = {
        campaign,
        figures,
        problems,
        ...(postedBy === undefined ? {} : { postedBy }),
        ...(hasOriginal === undefined ? {} : { hasOriginal }),
      };
      const posted = await explainRefusal(() => finish(content));
      return { file, posted, updateFigures: (fate: FileFate) => finish({ ...content, file: fate }) };
    } catch (error) {
      await progress.fail(notComeMessage(campaign));
      throw error;
    }
  }

  /** Runs an action that reads a campaign's results, as soon as there is memory for them. */
  function withSpool<T>(campaign: Campaign, run: (spool: Spool) => Promise<T>): Promise<T> {
    return marketplace.memory.hold(resultsMemory(campaign), async () => {
      const spool = await createSpool();
      try {
        return await run(spool);
      } finally {
        await spool.close();
      }
    });
  }

  /**
   * Posts the statistics and the file, as soon as there is memory for them; in a channel, the file goes into the thread
   * of the statistics.
   */
  function share(messenger: Messenger, channel: ChannelId, request: ResultsRequest): Promise<MessageRef> {
    return withSpool(request.campaign, (spool) => shareNow(messenger, channel, request, spool));
  }

  async function shareNow(
    messenger: Messenger,
    channel: ChannelId,
    request: ResultsRequest,
    spool: Spool,
  ): Promise<MessageRef> {
    const { ref, campaign, postedBy } = request;
    const { file, posted, updateFigures } = await postFigures(messenger, channel, request, spool);
    const thread = postedBy === undefined ? {} : { threadTs: posted.ts };
    let isFileSent = false;
    try {
      const reviewers = await reviewersIn(audit.lines(ref), campaign.id);
      const names = await Promise.all(
        reviewers.slice(0, reviewersShown).map(({ member }) => messenger.memberName(member)),
      );
      if (reviewers.length > 0) {
        await withoutChartsIfRefused((isPlain) =>
          messenger.post(posted.channel, reviewersMessage({ reviewers, names, isPlain }), thread),
        );
      }
      isFileSent = true;
      await messenger.shareFile(
        { channel: posted.channel, ...thread },
        { content: file, filename: resultsFilename(campaign, 'csv') },
      );
      return posted;
    } catch (error) {
      const slackError = error instanceof SlackError ? error : undefined;
      const isUnknown = isFileSent && slackError?.kind === 'unreachable';
      // The statistics announce the file to everybody who sees them.
      await updateFigures(isUnknown ? 'unknown' : 'not shared').catch((reason: unknown) => {
        log.warn({ err: reason }, 'results: figures still announce a file that was not shared');
      });
      throw slackError === undefined ? error : new UserError(notSharedSentence(slackError.code, isUnknown));
    }
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

  /** Sends the marketplace's own file, into the direct message of the clicked button. */
  async function sendOriginal(click: Click): Promise<void> {
    const { workspace, channel, value } = click;
    const { campaign: campaignId } = campaignValue.decode(value);
    const ref = await click.authorize();
    if (channel === undefined) return;
    if (!isDirect(channel)) throw new UserError(notInFullSentence);
    await takeFromLimit(context, click, 'results');
    const campaign = await listings.byId(ref, campaignId, answerDeadlineMs);
    const messenger = slack.messengerOf(workspace);
    await withSpool(campaign, async (spool) => {
      const progress = createProgressMessage(messenger, channel);
      try {
        const { file } = await download({ ref, campaign }, 'original', progress, spool);
        await progress.finish(originalFollowsMessage(campaign));
        const filename = resultsFilename(campaign, 'original');
        await messenger.shareFile({ channel }, { content: file, filename });
      } catch (error) {
        await progress.fail(notComeMessage(campaign));
        if (!(error instanceof SlackError)) throw error;
        throw new UserError(notSharedSentence(error.code, error.kind === 'unreachable'));
      }
    });
  }

  return {
    send,
    sendOriginal,

    async command(command: Command): Promise<void> {
      const ref = await command.authorize();
      const resolved = await chooser.resolve(command, ref, command.text, 'results', {
        deadlineMs: answerDeadlineMs,
      });
      if (resolved !== undefined) await send(command, ref, resolved.campaign);
    },

    async click(click: Click): Promise<void> {
      const { campaign } = campaignValue.decode(click.value);
      const ref = await click.authorize();
      await send(click, ref, await listings.byId(ref, campaign, answerDeadlineMs));
    },

    /** Posts the results for everybody in the button's channel. */
    async post(click: Click): Promise<void> {
      const { workspace, member, channel, value } = click;
      const { campaign: campaignId } = campaignValue.decode(value);
      const ref = await click.authorize();
      if (channel === undefined) return;
      if (!(await channels.shared.mayPost(ref, channel))) throw new UserError(channelNotConfirmed);
      await takeFromLimit(context, click, 'results');
      const campaign = await listings.byId(ref, campaignId, answerDeadlineMs);
      await share(slack.messengerOf(workspace), channel, { ref, campaign, postedBy: member });
      await click.show(notice(postedSentence(campaign)));
    },
  };
}

/** Sends a message with charts, or without them if Slack refuses them. */
async function withoutChartsIfRefused<T>(send: (isPlain: boolean) => Promise<T>): Promise<T> {
  try {
    return await send(false);
  } catch (error) {
    if (!(error instanceof SlackError) || error.code !== 'invalid_blocks') throw error;
    return send(true);
  }
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

/** Posts the statistics. Throws a UserError with a remedy if Slack refuses them. */
async function explainRefusal<T>(post: () => Promise<T>): Promise<T> {
  try {
    return await post();
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    const isUnknown = error.kind === 'unreachable';
    throw new UserError(isUnknown ? figuresUnsureSentence : notSharedSentence(error.code, false));
  }
}
