import { type AuditEntry, auditedActs } from '../../domain/audit.ts';
import { chunksOf } from '../../domain/collections.ts';
import { daysSpan } from '../../domain/task.ts';
import { type AccountRef, CampaignId, ChannelId, MemberId, type WorkspaceId } from '../../domain/terms.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onCommand, onForm } from '../../kit/on.ts';
import { type Message, notice, rowsPerPage } from '../../slack/blocks.ts';
import type { Click, Feature } from '../../slack/feature.ts';
import { inChunks } from '../../slack/files.ts';
import { chosen, picked, type Values } from '../../slack/form-values.ts';
import { type FoundEntry, placeOf } from '../../store/audit.ts';
import {
  type AuditFilter,
  type AuditList,
  auditFilterView,
  auditMessage,
  fileSent,
  fileText,
  filterState,
  listValue,
} from './audit.view.ts';
import type { EntryNames, ShownEntry } from './audit-sentence.ts';

type Deps = Modules & {
  /** Write cells in a form that no spreadsheet executes or converts. */
  readonly cells: Record<'cell' | 'idCell', (text: string) => string>;
  readonly auditDays: number;
};

const dayMs = 86_400_000;

/** Maximum number of entries searched for one page, and of entries in one file. */
const maxSearched = 20_000;
const maxInFile = 50_000;
/** Memory for a file (bytes). */
const fileBytes = 16 * 1024 * 1024;
/** Lines encoded at once. */
const linesPerChunk = 500;

/** Creates `/proofdesk audit` (who did what, by page and as a file), and the removal of expired entries. */
export function createAuditFeature(deps: Deps) {
  const { audit, slack, clock, marketplace } = deps;

  async function titleOf(ref: AccountRef, campaign: string | undefined) {
    return campaign && (await deps.campaigns.get(ref, CampaignId.parse(campaign)))?.title;
  }

  async function namesOf(
    ref: AccountRef,
    { campaign, task: id, worker, message }: AuditEntry,
  ): Promise<EntryNames> {
    const task = id && (await deps.tasks.get(ref, id));
    return {
      campaign: await titleOf(ref, campaign),
      card: task && (await slack.cards.linkTo(ref, task)),
      worker: task?.worker.name ?? (worker && (await deps.campaigns.workers.record(ref, worker)).name),
      message: message && (await deps.slack.announcements.get(ref, message))?.subject,
    };
  }

  /** Returns an entry for display; undefined for one that is told with another one of the same act or decision. */
  async function shown(
    ref: AccountRef,
    found: FoundEntry,
    filter: AuditFilter,
  ): Promise<ShownEntry | undefined> {
    const { entry } = found;
    if (isToldWithDecision(entry, filter.what)) return undefined;
    const isClaim = entry.stage === 'claimed';
    const end = isClaim || entry.what === 'decided' ? await audit.endOf(found) : undefined;
    if (isClaim && end !== undefined) return undefined;
    return { entry, names: await namesOf(ref, entry), end };
  }

  async function render(ref: AccountRef, list: AuditList): Promise<Message> {
    const { filter, pages } = list;
    const { matches, first } = searchFor(filter, marketplace.zone);
    const entries: ShownEntry[] = [];
    let next: string | undefined;
    let last: FoundEntry | undefined;
    let searched = 0;
    for await (const found of audit.newestFirst(ref, pages.at(-1))) {
      if (found.entry.at < first) break;
      if (entries.length === rowsPerPage || searched === maxSearched) {
        next = last && placeOf(last);
        break;
      }
      searched += 1;
      last = found;
      const row = matches(found.entry) ? await shown(ref, found, filter) : undefined;
      if (row !== undefined) entries.push(row);
    }
    return auditMessage(list, entries, next, await titleOf(ref, filter.campaign));
  }

  const turn = onButton(listValue, 'audit', async ({ ref, value, replace }) =>
    replace(await render(ref, value)),
  );
  const first = ({ account }: AccountRef, filter: AuditFilter): AuditList => ({ account, filter, pages: [] });

  const openFilter = onButton(
    listValue,
    { needs: 'audit', isPreparing: true },
    async ({ ref, value: { account, filter }, origin, open }) => {
      const state = filterState.encode({ account, origin });
      await open(auditFilterView(filter, await titleOf(ref, filter.campaign), marketplace.zone, state));
    },
  );

  const submitFilter = onForm(filterState, 'audit', async (submission) => {
    const { ref, state, values } = submission;
    const chosen = filterIn(values);
    if ('errors' in chosen) return chosen;
    return {
      async afterwards() {
        await submission.show(await render(ref, first(ref, chosen.filter)), undefined, state.origin);
      },
    };
  });

  /** Sends the matching entries in a direct message. */
  const sendFile = onButton(listValue, { needs: 'audit', once: true }, (click) =>
    deps.marketplace.memory.hold(fileBytes, () => writeFile(click, click.ref, click.value.filter)),
  );

  async function writeFile(
    click: Pick<Click, 'workspace' | 'member' | 'answer'>,
    ref: AccountRef,
    filter: AuditFilter,
  ): Promise<void> {
    const { matches, first } = searchFor(filter, marketplace.zone);
    const lines: string[] = [];
    for await (const { entry } of audit.newestFirst(ref)) {
      if (entry.at < first || lines.length === maxInFile) break;
      if (matches(entry)) lines.push(lineOf(entry, deps.cells));
    }
    const text = notice(fileText(lines.length, maxInFile));
    if (lines.length === 0) return click.answer(text);
    const messenger = slack.messengerOf(click.workspace);
    // Slack accepts a member id as the channel of their direct messages.
    const { channel } = await messenger.post(ChannelId.parse(click.member), text);
    const filename = `audit-${new Date(clock.now()).toISOString().slice(0, 10)}.csv`;
    await messenger.shareFile({ channel }, { content: inChunks(fileOf(lines)), filename });
    await click.answer(notice(fileSent));
  }

  const feature: Feature = {
    commands: [
      onCommand(
        {
          command: '/proofdesk',
          word: 'audit',
          usage: '',
          help: 'Shows who did what in your account, and sends it as a file.',
          needs: 'audit',
        },
        async ({ ref, answer }) => answer(await render(ref, first(ref, {}))),
      ),
    ],
    clicks: {
      'audit.page.previous': turn,
      'audit.page.next': turn,
      'audit.filter.open': openFilter,
      'audit.file': sendFile,
    },
    submissions: { 'audit.filter': submitFilter },
  };

  return {
    feature,

    /** Removes expired entries now and daily. */
    start: (workspace: WorkspaceId): Promise<void> =>
      deps.jobs.repeat('expire-audit', workspace, dayMs, { workspace }),

    jobs: {
      async 'expire-audit'({ workspace }: Payload<'expire-audit'>): Promise<void> {
        const entries = await audit.expire(workspace, clock.now() - deps.auditDays * dayMs);
        if (entries > 0) deps.log.info({ workspace, entries }, 'audit entries expired');
      },
    },
  };
}

type Column = readonly [name: string, value: (entry: AuditEntry) => string | undefined, isId?: true];

const columns: readonly Column[] = [
  ['TIME', ({ at }) => new Date(at).toISOString().replace('T', ' ').slice(0, 23)],
  ['WHO', ({ by }) => by, true],
  ['HOW', ({ how }) => how],
  ['WHAT', ({ what }) => what],
  ['STAGE', ({ stage }) => stage],
  ['OTHER_MEMBER', ({ member }) => member, true],
  ['CAMPAIGN', ({ campaign }) => campaign, true],
  ['TASK', ({ task }) => task, true],
  ['ROUND', ({ round }) => round?.toString()],
  ['RATING', ({ verdict }) => verdict],
  ['TASK_RATING', ({ rating }) => rating],
  ['COMMENT', ({ comment }) => comment],
  ['FAVORITE', ({ favorite }) => favorite],
  ['MONEY', ({ money }) => money],
  ['BEFORE', ({ before }) => before],
  ['AFTER', ({ after }) => after],
  ['ANSWER', ({ answer }) => answer],
  ['WORKER', ({ worker }) => worker, true],
  ['MESSAGE', ({ message }) => message, true],
  ['CHANNEL', ({ channel }) => channel, true],
  ['DECISION', ({ decision }) => decision, true],
  ['ACT', ({ act }) => act, true],
];

const headings = columns.map(([name]) => name).join(',');

function lineOf(entry: AuditEntry, { cell, idCell }: Deps['cells']): string {
  return columns.map(([, value, isId]) => (isId ? idCell : cell)(value(entry) ?? '')).join(',');
}

/** Returns a CSV file for spreadsheets, in chunks: UTF-8 with a byte order mark. Its times are UTC. */
function fileOf(lines: readonly string[]): Buffer[] {
  return chunksOf([`\uFEFF${headings}`, ...lines], linesPerChunk).map((some) =>
    Buffer.from(some.map((line) => `${line}\r\n`).join('')),
  );
}

/** Returns the filter chosen in the form, or errors by input. */
function filterIn(
  values: Values,
): { readonly filter: AuditFilter } | { readonly errors: Record<string, string> } {
  const [from, to] = [picked(values, 'from'), picked(values, 'to')];
  if (from && to && to < from)
    return { errors: { to: 'The last day is before the first. Choose a later one.' } };
  const campaign = chosen(values, 'campaign');
  const what = auditedActs.find((act) => act === chosen(values, 'what'));
  const who = picked(values, 'who');
  return {
    filter: {
      ...(who ? { who: MemberId.parse(who) } : {}),
      ...(what ? { what } : {}),
      ...(campaign ? { campaign } : {}),
      ...(from ? { from } : {}),
      ...(to ? { to } : {}),
    },
  };
}

/** Returns what a filter searches for: which entries, from which moment on (ms). @param zone IANA zone of its days */
function searchFor(wanted: AuditFilter, zone: string) {
  const span = daysSpan(wanted.from, wanted.to, zone);
  const [first, last] = [span.from?.getTime() ?? 0, (span.to?.getTime() ?? Number.POSITIVE_INFINITY) + 999];
  const matches = ({ at, by, member, what, campaign }: AuditEntry) =>
    (wanted.who === undefined || by === wanted.who || member === wanted.who) &&
    (wanted.what === undefined || what === wanted.what) &&
    (wanted.campaign === undefined || campaign === wanted.campaign) &&
    at >= first &&
    at <= last;
  return { matches, first };
}

/** Returns whether an entry says how a decision ended, which is told with the decision unless it is what is searched for. */
export function isToldWithDecision(
  { what, decision }: Pick<AuditEntry, 'what' | 'decision'>,
  wanted: AuditFilter['what'],
): boolean {
  const isEnd = decision !== undefined && (what === 'applied' || what === 'refused' || what === 'overtaken');
  return isEnd && what !== wanted;
}
