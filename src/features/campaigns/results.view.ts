import type { KnownBlock, TableBlock } from '@slack/types';
import { type Campaign, tasksIn } from '../../domain/campaign.ts';
import type { Rating } from '../../domain/terms.ts';
import { describeResultsProblems, type ResultsProblem } from '../../marketplace/results-problems.ts';
import { actions, button, chart, chartedRatings, type Message, notice, section } from '../../slack/blocks.ts';
import { inline } from '../../slack/mrkdwn.ts';
import type { SlackError } from '../../slack/slack-error.ts';
import { listMessage } from '../../ui/list.view.ts';
import { counted, number, ratingWords } from '../../ui/words.ts';
import { countryLabel } from './countries.ts';
import type { CountryFigures, Figures } from './results-file.ts';
import { campaignValue, title } from './words.ts';

const countriesShown = 10;

export interface ResultsOf {
  readonly campaign: Campaign;
  readonly figures: Figures;
  /** Why the results are incomplete. */
  readonly problems?: readonly ResultsProblem[];
  /** Whether the requester may have the marketplace's own file. */
  readonly hasOriginal?: boolean;
}

/** Renders the statistics of a campaign's results as charts and a table. The message's text contains the same in words. */
export function resultsMessage(content: ResultsOf): Message {
  const { campaign, figures, problems = [], hasOriginal = false } = content;
  const { tasks, byRating, workers } = figures;
  const heading = `*${title(campaign)}*\nResults: ${counted(tasks, 'task')} by ${counted(workers, 'worker')}`;
  const rated = (Object.keys(ratingWords) as Rating[]).filter((rating) => byRating[rating] > 0);
  const ratings = rated.map((rating) => `${ratingWords[rating]} ${number(byRating[rating])}`).join(' · ');
  const countries = mostOf(figures.countries);
  const byCountry = countries.map((country) => `${country.name}: ${number(country.tasks)}`).join(', ');
  const incomplete =
    problems.length > 0
      ? `:warning: These results are incomplete: the marketplace’s results ${inline(describeResultsProblems(problems), 400)}.`
      : '';
  const lines = (...sentences: string[]) => sentences.filter((sentence) => sentence !== '');
  const shown = lines(incomplete, ratings);
  const original = campaignValue.encode({ campaign: campaign.id });
  return listMessage({
    intro: heading,
    rows: lines(incomplete, ratings, byCountry && `Countries: ${byCountry}`),
    blocks: [
      ...(shown.length > 0 ? [section(shown.join('\n'))] : []),
      ...(tasks === 0 ? [] : [ratingChart(byRating, rated), table(countries)]),
      ...(hasOriginal
        ? [actions('formats', [button('Original file', 'campaign.results.original', original)])]
        : []),
    ],
  });
}

/** What the file says of itself. */
export const fileNote = 'IP addresses are masked in the file; its times are in UTC.';

/** Stands above the marketplace's own file. */
export function originalMessage(campaign: Campaign): Message {
  return notice(
    `The original results of *${title(campaign)}*, with the workers’ IP addresses. Be careful where you open the file: it can contain live formulas and links.`,
  );
}

/** For a member who may see IP addresses, but not where they asked. */
export const notInFullSentence =
  'The original file comes in a direct message only, because it holds the workers’ IP addresses. Ask for it with `/campaign results`.';

function ratingChart(byRating: Figures['byRating'], rated: readonly Rating[]): KnownBlock {
  const charted = [...new Set([...chartedRatings, ...rated])].filter((rating) => byRating[rating] > 0);
  const segments = charted.map((rating) => ({ label: ratingWords[rating], value: byRating[rating] }));
  return chart('Tasks by rating', { type: 'pie', segments });
}

function table(countries: readonly CountryFigures[]): TableBlock {
  const row = (...texts: string[]) => texts.map((text) => ({ type: 'raw_text' as const, text }));
  return {
    type: 'table',
    rows: [
      row('Country', 'Tasks', 'OK', 'NOK'),
      ...countries.map(({ name, tasks, ok, nok }) => row(name, number(tasks), number(ok), number(nok))),
    ],
    column_settings: [{ align: 'left' }, { align: 'right' }, { align: 'right' }, { align: 'right' }],
  };
}

/** Returns the countries with the most tasks by name, and the others as one. */
function mostOf(countries: readonly CountryFigures[]): CountryFigures[] {
  const most = countries.slice(0, countriesShown).map((one) => ({ ...one, name: countryName(one) }));
  const others = countries.slice(countriesShown);
  const sum = (field: 'tasks' | 'ok' | 'nok') => others.reduce((all, group) => all + group[field], 0);
  const rest = { tasks: sum('tasks'), ok: sum('ok'), nok: sum('nok') };
  return others.length === 0 ? most : [...most, { name: `${number(others.length)} others`, ...rest }];
}

function countryName({ name }: CountryFigures): string {
  return name === '' ? 'Unknown' : inline(countryLabel(name), 60);
}

/** Said where the results were requested. */
export function comingSentence(campaign: Campaign): string {
  return `The results of *${title(campaign)}* are on their way to your direct messages with Proofdesk.`;
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

/** Returns why Slack did not take the results. */
export function notSharedSentence({ kind, code }: Pick<SlackError, 'kind' | 'code'>): string {
  if (kind === 'unreachable')
    return 'Slack did not answer, so the results may or may not have arrived in full. Look for them before you ask for them again.';
  const known: Readonly<Record<string, string>> = {
    missing_scope: 'Proofdesk may not share files here. Ask an admin to give it the scope `files:write`.',
    ratelimited: 'Slack is limiting requests. Try again in a minute.',
    upload_failed: 'The file did not reach Slack. Try again in a minute.',
    file_uploads_disabled: 'File sharing is switched off in this workspace. Ask an admin.',
  };
  return (
    known[code] ??
    `Slack rejected the results (\`${inline(code, 60)}\`). Try again; if it happens again, tell an admin.`
  );
}
