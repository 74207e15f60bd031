import type { KnownBlock, TableBlock } from '@slack/types';
import { type Campaign, tasksIn } from '../../domain/campaign.ts';
import { type MemberId, type Rating, verdicts } from '../../domain/terms.ts';
import { describeResultsProblems, type ResultsProblem } from '../../marketplace/results-problems.ts';
import {
  actions,
  button,
  chart,
  chartedRatings,
  context,
  type Message,
  notice,
  section,
} from '../../slack/blocks.ts';
import { inline, link, user } from '../../slack/mrkdwn.ts';
import { listMessage } from '../../ui/list.view.ts';
import { counted, number, ratingWords } from '../../ui/words.ts';
import { countryLabel } from './countries.ts';
import type { Figures, Group, Reviewer } from './results-file.ts';
import { campaignValue, title } from './words.ts';

/** Nothing may be posted in a shared channel until an owner has confirmed it. */
export const channelNotConfirmed =
  'Nothing was posted: this channel is shared with another company. An owner of the account can confirm it with `/proofdesk settings`.';

const countriesShown = 10;
const reviewersShown = 20;
/** Maximum number of points in a chart. */
const daysShown = 20;

/** Status of the announced file. `unknown`: Slack did not answer the upload. */
export type FileFate = 'coming' | 'not shared' | 'unknown';

export interface ResultsOf {
  readonly campaign: Campaign;
  readonly figures: Figures;
  /** Who decided here, most decisions first. */
  readonly reviewers?: readonly Reviewer[];
  /** Why the results are incomplete. */
  readonly problems?: readonly ResultsProblem[];
  /** Who posted them for everybody; absent in a direct message. */
  readonly postedBy?: MemberId;
  readonly file?: FileFate;
  /** Whether the requester may have the marketplace's own file. */
  readonly hasOriginal?: boolean;
}

/** Renders the statistics of a campaign's results as charts and a table. The message's text contains the same in words. */
export function resultsMessage(content: ResultsOf): Message {
  const { campaign, figures, reviewers = [], problems = [], postedBy } = content;
  const { file = 'coming', hasOriginal = false } = content;
  const { tasks, byRating, countries, days, workers, skipped } = figures;
  const heading = `*${title(campaign)}*\nResults: ${counted(tasks, 'task')} by ${counted(workers, 'worker')}${postedBy === undefined ? '' : `, posted by ${user(postedBy)}`}`;
  const rated = (Object.keys(ratingWords) as Rating[]).filter((rating) => byRating[rating] > 0);
  const ratings = rated.map((rating) => `${ratingWords[rating]} ${number(byRating[rating])}`).join(' · ');
  const byCountry =
    countries.length > 0 ? `Countries: ${listed(countries, countriesShown, countryName)}` : '';
  const latest = days.slice(-daysShown);
  const byDay = latest.length > 0 ? `Days: ${listed(latest, daysShown, ({ name }) => name)}` : '';
  const unread =
    skipped > 0
      ? `${counted(skipped, 'row')} could not be read and ${skipped === 1 ? 'is' : 'are'} not in the file.`
      : '';
  // Unreadable rows are counted in a separate sentence.
  const others = problems.filter(({ kind }) => kind !== 'unreadable rows');
  const incomplete =
    others.length > 0
      ? `:warning: These results are incomplete: the marketplace’s results ${inline(describeResultsProblems(others), 400)}.`
      : '';
  const said = (...sentences: string[]) => sentences.filter((sentence) => sentence !== '');
  const byReviewer = reviewersText(reviewers);
  const shown = said(incomplete, ratings, latest.length > 1 ? '' : byDay, unread);
  const note = fileNote(file, postedBy);
  const original = campaignValue.encode({ campaign: campaign.id });
  return listMessage({
    intro: heading,
    rows: said(incomplete, ratings, byCountry, byDay, unread, byReviewer, note),
    blocks: [
      ...(shown.length > 0 ? [section(shown.join('\n'))] : []),
      ...(tasks === 0 ? [] : drawn(figures, rated)),
      ...(byReviewer === '' ? [] : [section(byReviewer)]),
      context(note),
      ...(hasOriginal
        ? [actions('formats', [button('Original file', 'campaign.results.original', original)])]
        : []),
    ],
  });
}

/** Returns who made how many decisions; '' if nobody did. */
function reviewersText(reviewers: readonly Reviewer[]): string {
  if (reviewers.length === 0) return '';
  const rest = reviewers.slice(reviewersShown);
  const others = rest.reduce((sum, { all }) => sum + all, 0);
  return [
    '*Decisions made here, by reviewer*',
    ...reviewers.slice(0, reviewersShown).map(({ member, decisions, all }) => {
      const parts = verdicts.map((verdict) => `${verdict} ${number(decisions[verdict])}`);
      return `${user(member)}: ${counted(all, 'decision')} (${parts.join(', ')})`;
    }),
    ...(rest.length > 0 ? [`${counted(rest.length, 'other')}: ${counted(others, 'decision')}`] : []),
  ].join('\n');
}

/** Announces the marketplace's own file. */
export function originalFollowsMessage(campaign: Campaign): Message {
  return notice(
    `The original results of *${title(campaign)}* follow below, with the workers’ IP addresses. Be careful where you open the file: it can contain live formulas and links.`,
  );
}

/** For a member who may see IP addresses, but not where they asked. */
export const notInFullSentence =
  'The original file comes in a direct message only, because it holds the workers’ IP addresses. Ask for it with `/campaign results`.';

function fileNote(file: FileFate, postedBy: MemberId | undefined): string {
  const isPublic = postedBy !== undefined;
  switch (file) {
    case 'coming':
      return `The file follows ${isPublic ? 'in the thread' : 'below'}, with IP addresses masked and times in UTC.`;
    case 'not shared':
      return `The file could not be shared. ${isPublic ? `${user(postedBy)} was told why` : 'The reason is shown where you asked'}. Ask for it again with \`/campaign results\`.`;
    case 'unknown':
      return `Slack did not answer the upload of the file, so it may or may not have been shared. Look ${isPublic ? 'in the thread' : 'below'} before you ask for it again with \`/campaign results\`.`;
  }
}

function drawn({ byRating, countries, days }: Figures, rated: readonly Rating[]): KnownBlock[] {
  const charted = [...new Set<Rating>([...chartedRatings, ...rated])].filter(
    (rating) => byRating[rating] > 0,
  );
  const segments = charted.map((rating) => ({ label: ratingWords[rating], value: byRating[rating] }));
  const latest = days.slice(-daysShown);
  return [
    chart('Tasks by rating', { type: 'pie', segments }),
    ...(latest.length > 1
      ? [
          chart('Tasks by day', {
            type: 'bar',
            series: [
              { name: 'Tasks', data: latest.map(({ name, tasks }) => ({ label: name, value: tasks })) },
            ],
            axis_config: {
              categories: latest.map(({ name }) => name),
              x_label: 'Day (UTC)',
              y_label: 'Tasks',
            },
          }),
        ]
      : []),
    ...(countries.length > 0 ? [table(countries)] : []),
  ];
}

/** Returns a table of the countries with the most tasks, and one row for the others. */
function table(groups: readonly Group[]): TableBlock {
  const row = (...texts: string[]) => texts.map((text) => ({ type: 'raw_text' as const, text }));
  const others = groups.slice(countriesShown);
  const total = (field: 'tasks' | 'ok' | 'nok') =>
    number(others.reduce((sum, group) => sum + group[field], 0));
  return {
    type: 'table',
    rows: [
      row('Country', 'Tasks', 'OK', 'NOK'),
      ...groups
        .slice(0, countriesShown)
        .map((group) => row(countryName(group), number(group.tasks), number(group.ok), number(group.nok))),
      ...(others.length > 0
        ? [row(`${number(others.length)} others`, total('tasks'), total('ok'), total('nok'))]
        : []),
    ],
    column_settings: [{ align: 'left' }, { align: 'right' }, { align: 'right' }, { align: 'right' }],
  };
}

function countryName({ name }: Group): string {
  return name === '' ? 'Unknown' : inline(countryLabel(name), 60);
}

function listed(groups: readonly Group[], most: number, label: (group: Group) => string): string {
  const shown = groups.slice(0, most).map((group) => `${label(group)}: ${number(group.tasks)}`);
  const rest = groups.slice(most);
  const others = rest.reduce((sum, { tasks }) => sum + tasks, 0);
  return [...shown, ...(rest.length > 0 ? [`${number(rest.length)} others: ${number(others)}`] : [])].join(
    ', ',
  );
}

/** Confirmation where the results were requested, once they are in the direct message. */
export function sentMessage(
  campaign: Campaign,
  { permalink, mayPost }: { readonly permalink: string | undefined; readonly mayPost: boolean },
): Message {
  const place = permalink === undefined ? 'a direct message' : link(permalink, 'a direct message');
  const value = campaignValue.encode({ campaign: campaign.id });
  return listMessage({
    intro: `The results of *${title(campaign)}* were sent to you in ${place}.`,
    rows: [],
    blocks: mayPost
      ? [actions('results', [button('Post in this channel', 'campaign.results.post', value)])]
      : [],
  });
}

/** Progress text where the results were requested, if they take long. */
export function gettingSentence(campaign: Campaign): string {
  return `The results of *${title(campaign)}* are taking a while. You will get them in a direct message, which shows the progress.`;
}

/** Returns the progress of the results. @param rows read so far; 0 while the marketplace has not answered */
export function progressMessage(campaign: Campaign, rows: number): Message {
  const expected = tasksIn(campaign);
  const outOf = expected > rows ? ` of about ${number(expected)}` : '';
  return notice(
    rows === 0
      ? `The marketplace is preparing the results of *${title(campaign)}*.`
      : `Reading the results of *${title(campaign)}*: ${counted(rows, 'task')}${outOf}.`,
  );
}

/** Replaces the progress if the results could not be sent. */
export function notComeMessage(campaign: Campaign): Message {
  return notice(
    `The results of *${title(campaign)}* could not be sent, and no file was made. The reason is shown where you asked.`,
  );
}

export function postedSentence(campaign: Campaign): string {
  return `The results of *${title(campaign)}* were posted in this channel.`;
}

/** Slack did not answer the post of the statistics, so the file was not sent after them. */
export const figuresUnsureSentence =
  'Slack did not answer when the figures were posted, so they may or may not have arrived. The file was not sent. Ask for the results again.';

/** Slack did not answer the upload of the file. */
export const fileUnsureSentence =
  'Slack did not answer the upload of the file, so it may or may not have arrived. Look for it before you ask for the results again.';

/** Returns why Slack rejected the file, by its error code. */
export function notSharedSentence(code: string): string {
  if (code.startsWith('restricted_action'))
    return 'Posting in this channel is restricted. Ask an admin, or use another one.';
  const known: Readonly<Record<string, string>> = {
    not_in_channel: 'Proofdesk is not in this channel. Invite it with `/invite @Proofdesk`, then try again.',
    channel_not_found:
      'Proofdesk cannot see this channel. Invite it with `/invite @Proofdesk`, then try again.',
    is_archived: 'This channel is archived. Ask for the results in another one.',
    missing_scope: 'Proofdesk may not share files here. Ask an admin to give it the scope `files:write`.',
    ratelimited: 'Slack is limiting requests. Try again in a minute.',
    no_answer: 'Slack gave no answer, so the file was not shared. Try again in a minute.',
    upload_failed: 'The file did not reach Slack, so it was not shared. Try again in a minute.',
    file_uploads_disabled: 'File sharing is switched off in this workspace. Ask an admin.',
  };
  return (
    known[code] ??
    `Slack rejected the file (\`${inline(code, 60)}\`). Try again; if it happens again, tell an admin.`
  );
}
