import { groupBy } from '../../src/domain/group.ts';
import { auditUnequal, spentUnapproved } from './check-audit.ts';
import { cardsMissing, cardsTwice, cardsWrong, countsWrong, windowsWrong } from './check-cards.ts';
import { auditWrong, decisionsLost } from './check-decisions.ts';
import { sentAgain } from './check-sends.ts';
import { campaignsToldAgain, dailiesMissing } from './check-told.ts';
import type { Evidence, MarketplaceTask } from './evidence.ts';
import { ownChannel } from './places.ts';
import { openCardsShipped } from './settings.ts';
import { lostLine } from './told-as-lost.ts';

/** The names of the kinds of findings in reports. */
const findingNames = {
  cardsMissing: 'cards missing (of rounds that were rated)',
  cardsTwice: 'duplicate cards (per task and round)',
  cardsWrong: 'cards that say what is not so',
  decisionsLost:
    'decisions lost (read on a card, then neither applied nor undone, refused, overtaken or told as lost)',
  sentAgain: 'decisions sent again without having been read back as open',
  appliedTwice: 'ratings applied twice',
  auditWrong: 'differences between the audit trail and the marketplace’s own record',
  auditUnequal: 'ratings that the audit has not exactly once, to the cent',
  spentUnapproved: 'bonuses above a limit, or of somebody whose role was withdrawn, that nobody has approved',
  announcementsWrong: 'inbox messages not announced exactly once',
  summariesWrong:
    'tasks that wait with neither or both of a card and a summary, windows that are overfull or starve, reminders missing',
  postedTwice: 'answers to replies and progress of bulk ratings posted more than once',
  noticesWrong: 'notices posted more than once, or never taken back, and daily summaries that are missing',
  attention: 'entries left under “Needs attention” in the Home tab',
  notReady: 'processes not ready at the end, or ready while Redis did not serve',
  unsettled: 'work left unfinished',
} as const;

export type FindingKind = keyof typeof findingNames;

/** All problems, each as a sentence. */
export type Findings = Readonly<Record<FindingKind, readonly string[]>>;

/** Returns the number of findings of each kind; all must be 0. */
export function findingCounts(findings: Findings): [name: string, count: number][] {
  return kinds.map((kind) => [findingNames[kind], findings[kind].length]);
}

/** Returns every problem as a line. */
export function problemsFound(findings: Findings): string[] {
  return kinds.flatMap((kind) => findings[kind].map((problem) => `${findingNames[kind]}: ${problem}`));
}

const kinds = Object.keys(findingNames) as FindingKind[];

/**
 * Judges the final state of a run. The faults excuse nothing.
 * @param seenBefore the findings during the run
 */
export function verify(
  evidence: Evidence,
  seenBefore: { readonly readyWithoutRedis: readonly string[] },
): Findings {
  const { tasks } = evidence.marketplace;
  return {
    cardsMissing: cardsMissing(evidence),
    cardsTwice: cardsTwice(evidence),
    cardsWrong: cardsWrong(evidence),
    decisionsLost: decisionsLost(evidence),
    sentAgain: sentAgain(tasks, evidence.requests, evidence.losses),
    appliedTwice: tasks.flatMap(ratedTwice),
    auditWrong: auditWrong(evidence),
    auditUnequal: auditUnequal(evidence),
    spentUnapproved: spentUnapproved(evidence),
    announcementsWrong: announcements(evidence),
    summariesWrong: [...summaries(evidence), ...reminders(evidence)],
    postedTwice: twice([...evidence.view.unique.values()]),
    noticesWrong: [...notices(evidence), ...campaignsToldAgain(evidence), ...dailiesMissing(evidence)],
    attention: evidence.homes.flatMap(({ user, text }) =>
      needsAttention(text).map((line) => `${user}: ${line}`),
    ),
    notReady: [...evidence.notReady, ...seenBefore.readyWithoutRedis.map((what) => `ready: ${what}`)],
    unsettled: [
      ...evidence.outdated.map((id) => `the card of ${id} is out of date`),
      ...evidence.due.map((id) => `the decision on ${id} is due`),
      ...evidence.pending.map((id) => `the decision on ${id} has not ended`),
      ...evidence.bulkActive.map((id) => `the bulk rating ${id} has not ended`),
      ...bulkLost(evidence),
    ],
  };
}

/** Returns missing bulk ratings whose confirmation somebody has read, although Redis had no loss at the time. */
function bulkLost({ bulkUnknown, log, losses }: Evidence): string[] {
  return bulkUnknown.flatMap((id) => {
    const at = log.bulk.get(id) ?? 0;
    return losses.some(({ from, to }) => at >= from && at <= to)
      ? []
      : [`the bulk rating ${id} is not known`];
  });
}

/** Returns violations of the rule that there is at most one rating from one submission to the next. */
function ratedTwice({ task_id: id, history }: MarketplaceTask): string[] {
  let rated = 0;
  for (const { by } of history) {
    rated = by === 'worker' ? 0 : rated + 1;
    if (rated > 1) return [id];
  }
  return [];
}

function announcements({ marketplace, view }: Evidence): string[] {
  const announced = [...view.announced.values()];
  const inbox = marketplace.messages
    .filter(({ folder }) => folder === 'INBOX')
    .map(({ message_id: id }) => id);
  return [
    ...inbox.filter((id) => !announced.includes(id)).map((id) => `${id} was not announced`),
    ...twice(announced).map((name) => `announced more than once: ${name}`),
  ];
}

/** Returns violations: summaries must count the tasks without a card, and windows must be full while tasks wait. */
function summaries(evidence: Evidence): string[] {
  return [
    ...(evidence.view.summaries.size > 0 ? [] : ['there is no summary']),
    ...countsWrong(evidence),
    ...windowsWrong(evidence, openCardsShipped, new Set([ownChannel])),
  ];
}

/** Returns violations of this rule: per channel and account, only the latest reminder says that something is due. */
function reminders({ view }: Evidence): string[] {
  const due = [...view.reminders.values()].filter(({ text }) =>
    /(?:is|are) due within 48 hours\n/.test(text),
  );
  return [
    ...(view.reminders.size > 0 ? [] : ['there is no reminder']),
    ...twice(due.map(({ channel, account }) => `reminder of ${account} in ${channel}`)),
  ];
}

/** The notices for the beginning and the end of a condition. */
const noticePairs = [
  [/cannot be fetched right now/, /are fetched again/],
  [
    /The results of \*?(.+?)\*? cannot be read completely/,
    /The results of \*?(.+?)\*? are read completely again/,
  ],
  [/The list of (\w+) cannot be read completely/, /The list of (\w+) is read completely again/],
] as const;

/**
 * Returns violations of these rules: nothing is announced as begun twice for the same reason without its end in between, and
 * in the end everything is over. A beginning may go unannounced while Slack is unreachable.
 */
function notices({ view }: Evidence): string[] {
  const found: string[] = [];
  const begun = new Map<string, string>();
  for (const { channel, text } of [...view.notices.values()].sort((a, b) => (a.ts < b.ts ? -1 : 1))) {
    for (const [index, [begins, over]] of noticePairs.entries()) {
      const [began, what = ''] = begins.exec(text) ?? [];
      const [ended, which = ''] = over.exec(text) ?? [];
      const key = `${channel} ${index} ${what || which}`;
      if (began !== undefined && begun.has(key) && firstWords(begun.get(key)) === firstWords(text))
        found.push(`said twice in ${channel}: ${text}`);
      if (began !== undefined) begun.set(key, text);
      if (ended !== undefined) begun.delete(key);
    }
  }
  return [
    ...found,
    ...[...begun].map(([key, text]) => `never said to be over, in ${key.split(' ')[0]}: ${text}`),
  ];
}

/** Returns the first line of a notice without numbers. */
function firstWords(text = ''): string {
  return (text.split('\n')[0] ?? '').replace(/\d+/g, 'N');
}

/** Returns the items that the Home tab lists for people, except for data lost with Redis, which may be listed. */
function needsAttention(text: string): string[] {
  const [, list = ''] = /Needs attention\*?\n([\s\S]*)/.exec(text) ?? [];
  return list.split('\n').filter((line) => line.startsWith(':warning:') && !lostLine.test(line));
}

export function twice(names: readonly string[]): string[] {
  return [...groupBy(names, (name) => name)]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => `${name}: ${all.length}`);
}
