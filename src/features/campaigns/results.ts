import type { Campaign } from '../../domain/campaign.ts';
import type { MessageRef } from '../../domain/live-message.ts';
import { type AccountRef, ChannelId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Click, Command } from '../../slack/feature.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { notice } from '../../slack/notice.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { createWorkMessage, type WorkMessage } from '../../slack/work-message.ts';
import type { Asker, CampaignsDeps } from './deps.ts';
import type { Listings } from './listing.ts';
import { replaceOrSay } from './outcome.ts';
import type { Pick } from './pick.ts';
import {
  type FileFate,
  figuresUnsureSentence,
  gettingSentence,
  notComeMessage,
  notSharedSentence,
  postedSentence,
  progressMessage,
  type ResultsOf,
  resultsMessage,
  sentMessage,
} from './results.view.ts';
import { createFigures, reviewersIn } from './results-figures.ts';
import { type ReviewersOf, reviewersMessage, reviewersShown } from './reviewers.view.ts';
import { createSpreadsheet, filenameOf } from './spreadsheet.ts';
import { campaignValue } from './values.ts';
import { answerWait } from './waits.ts';

/** Results can be many megabytes. */
const patienceMs = 120_000;
/** After that long without an answer, people are told that it is under way. */
const silenceMs = 2_000;
/** How many rows are read before it is said anew how many they are. */
const rowsPerWord = 1_000;

/** Whose results are shared, and by whom if in a channel. */
type Shared = Omit<ResultsOf, 'figures' | 'file'> & { readonly ref: AccountRef };

/** `/campaign results <id>`, the Results buttons, and posting the results in a channel. */
export function createResults(deps: CampaignsDeps, listings: Listings, pick: Pick) {
  const { accounts, audit, claimOnce, logger, marketplaceOf, messengerOf } = deps;

  /** Reads the results row by row: at no time are all of them held but in the file. */
  async function read(ref: AccountRef, campaign: Campaign, work: WorkMessage) {
    const client = await marketplaceOf(ref);
    const counts = createFigures();
    const sheet = createSpreadsheet();
    let rows = 0;
    work.say(progressMessage(campaign, rows));
    const { preamble, skipped } = await client.campaignResults(campaign.id, {
      deadlineMs: patienceMs,
      onRow(row) {
        counts.add(row);
        sheet.add(row);
        rows += 1;
        if (rows % rowsPerWord === 0) work.say(progressMessage(campaign, rows));
      },
    });
    return { figures: counts.figures(skipped), file: sheet.file(preamble) };
  }

  /**
   * Reads the results and shows their figures, in place of how far they were. `redraw` shows them again with what
   * became of the file.
   */
  async function readAndShow(messenger: Messenger, channel: ChannelId, { ref, campaign, postedBy }: Shared) {
    const work = createWorkMessage(messenger, channel);
    try {
      const { figures, file } = await read(ref, campaign, work);
      const content = { campaign, figures, ...(postedBy === undefined ? {} : { postedBy }) };
      const place = await sharing(() => endWithFigures(work, content));
      return { file, place, redraw: (fate: FileFate) => endWithFigures(work, { ...content, file: fate }) };
    } catch (error) {
      await work.giveUp(notComeMessage(campaign));
      throw error;
    }
  }

  /** Posts the figures and the file; in a channel the file goes into the thread of the figures. */
  async function share(messenger: Messenger, channel: ChannelId, shared: Shared): Promise<MessageRef> {
    const { ref, campaign, postedBy } = shared;
    const { file, place, redraw } = await readAndShow(messenger, channel, shared);
    const thread = postedBy === undefined ? {} : { threadTs: place.ts };
    let isFileUnderWay = false;
    try {
      const reviewers = await reviewersIn(audit.lines(ref), campaign.id);
      const names = await Promise.all(
        reviewers.slice(0, reviewersShown).map(({ member }) => messenger.memberName(member)),
      );
      if (reviewers.length > 0) await postReviewers(messenger, place.channel, { reviewers, names }, thread);
      isFileUnderWay = true;
      await messenger.shareFile(
        { channel: place.channel, ...thread },
        { parts: file, filename: filenameOf(campaign) },
      );
      return place;
    } catch (error) {
      const failure = error instanceof SlackError ? error : undefined;
      const isUnsure = isFileUnderWay && failure?.kind === 'unreachable';
      // The figures announce the file to everybody who sees them.
      await redraw(isUnsure ? 'unknown' : 'not shared').catch((reason: unknown) => {
        logger.warn({ err: reason }, 'figures still announce a file that was not shared');
      });
      throw failure === undefined ? error : new UserError(notSharedSentence(failure.code, isUnsure));
    }
  }

  /** Sends somebody the results in a direct message, and says so where they asked. */
  async function send(asker: Asker, ref: AccountRef, campaign: Campaign): Promise<void> {
    const messenger = messengerOf(asker.workspace);
    const patience = setTimeout(() => {
      asker.answer(notice(gettingSentence(campaign))).catch((error: unknown) => {
        logger.warn({ err: error }, 'people could not be told that results are under way');
      });
    }, silenceMs);
    try {
      // Slack takes a member for the channel of their direct messages.
      const place = await share(messenger, ChannelId.parse(asker.member), { ref, campaign });
      const [permalink, mayPost] = await Promise.all([
        messenger.permalink(place),
        canPost(messenger, asker.channel),
      ]);
      await asker.answer(sentMessage(campaign, { permalink, mayPost }));
    } finally {
      clearTimeout(patience);
    }
  }

  return {
    send,

    async command(command: Command): Promise<void> {
      const ref = await accounts.require(command.workspace, command.member);
      if (command.text === '') return pick.open(command, 'results');
      const found = await pick.resolve(command, ref, command.text, 'results', { wait: answerWait() });
      if (found !== undefined) await send(command, ref, found.campaign);
    },

    async click(click: Click): Promise<void> {
      const { campaign } = campaignValue.decode(click.value);
      const ref = await accounts.require(click.workspace, click.member);
      if (!(await claimOnce(click.workspace, `results ${click.id}`))) return;
      await send(click, ref, await listings.byId(ref, campaign, answerWait()));
    },

    /** Posts the results for everybody in the channel where the button is. */
    async post(click: Click): Promise<void> {
      const { id, workspace, member, channel, value } = click;
      const { campaign: campaignId } = campaignValue.decode(value);
      const ref = await accounts.require(workspace, member);
      if (channel === undefined || !(await claimOnce(workspace, `post results ${id}`))) return;
      const campaign = await listings.byId(ref, campaignId, answerWait());
      await share(messengerOf(workspace), channel, { ref, campaign, postedBy: member });
      await replaceOrSay(click, notice(postedSentence(campaign)));
    },
  };
}

/** Shows the figures, without the charts where Slack (or what stands in for it) does not take them. */
async function endWithFigures(work: WorkMessage, content: ResultsOf): Promise<MessageRef> {
  try {
    return await work.end(resultsMessage(content));
  } catch (error) {
    if (!(error instanceof SlackError) || error.code !== 'invalid_blocks') throw error;
    return work.end(resultsMessage({ ...content, isPlain: true }));
  }
}

/** Posts who decided what, without the chart where Slack does not take it. */
async function postReviewers(
  messenger: Messenger,
  channel: ChannelId,
  content: ReviewersOf,
  thread: { readonly threadTs?: string },
): Promise<void> {
  try {
    await messenger.post(channel, reviewersMessage(content), thread);
  } catch (error) {
    if (!(error instanceof SlackError) || error.code !== 'invalid_blocks') throw error;
    await messenger.post(channel, reviewersMessage({ ...content, isPlain: true }), thread);
  }
}

/** Whether there is a channel, not a conversation of two, in which the bot can post. */
async function canPost(messenger: Messenger, channel: ChannelId | undefined): Promise<boolean> {
  if (channel === undefined || channel.startsWith('D')) return false;
  try {
    const { isMember, isArchived } = await messenger.channel(channel);
    return isMember && !isArchived;
  } catch {
    return false;
  }
}

/** Shows figures; says what to do when Slack does not take them. */
async function sharing<T>(share: () => Promise<T>): Promise<T> {
  try {
    return await share();
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    const isUnsure = error.kind === 'unreachable';
    throw new UserError(isUnsure ? figuresUnsureSentence : notSharedSentence(error.code, false));
  }
}
