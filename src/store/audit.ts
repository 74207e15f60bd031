import type { Redis } from 'ioredis';
import { AuditEntry, type AuditedAct, type NewAuditEntry, type Trail } from '../domain/audit.ts';
import { type AccountRights, type Grantee, isSameGrantee, type RightsChange } from '../domain/rights.ts';
import { isPending, type NoteEvent, type Task, type TaskEvent } from '../domain/task.ts';
import { AccountId, type AccountRef, type WorkspaceId } from '../domain/terms.ts';
import type { Logger } from '../logger.ts';
import { accountKey, createCodec, workspaceKey } from './format.ts';
import { scanKeys } from './scripts.ts';

/** An audit entry that a Redis step adds together with a change. */
export interface AuditStep {
  /** The trail's key, and the entry's text. */
  readonly key: string;
  readonly text: string;
  /** Logs the entry. Must be called once, when the step was made. */
  stored(): void;
}

/** Returns an entry for a store that adds it in the same step as its change. */
export type AuditWriter = (trail: Trail, entry: NewAuditEntry) => AuditStep;

/** Returns a key of an account or a workspace. */
function trailKey({ workspace, account }: Trail, ...rest: string[]): string {
  return account === undefined
    ? workspaceKey(workspace, ...rest)
    : accountKey({ workspace, account }, ...rest);
}

/** Returns the key of a trail: a stream. */
export const auditKey = (trail: Trail): string => trailKey(trail, 'audit');

/**
 * Creates the writer of audit entries.
 * @param logger gets each stored entry as a line, for a log system that Redis's administrators cannot change
 */
export function createAuditWriter({
  now = Date.now,
  logger,
}: {
  readonly now?: () => number;
  readonly logger?: Pick<Logger, 'info'>;
} = {}): AuditWriter {
  return (trail, newEntry) => {
    const entry: AuditEntry = { at: now(), ...newEntry };
    return {
      key: auditKey(trail),
      text: auditLineCodec.encode(entry),
      stored: () => logger?.info({ ...trail, ...entry }, 'audit'),
    };
  };
}

export const auditLineCodec = createCodec('audit-line', AuditEntry);

/** Returns the entry that a task's event adds to its account's audit trail, or undefined for events that decide nothing. */
export function auditEntryOf(
  before: Task | undefined,
  event: TaskEvent,
  after: Task,
): NewAuditEntry | undefined {
  if (isOfNote(event)) return noteEntry(event, after);
  const what = actOf(before, event, after);
  if (what === undefined) return undefined;
  const { rating, comment } = after;
  const wasRated = before !== undefined && before.rating !== rating;
  const line = {
    what,
    task: after.id,
    campaign: after.campaign,
    round: after.round,
    rating,
    ...(wasRated ? { before: before.rating } : {}),
  };
  if (event.type === 'assigned') return { ...line, ...assignedBy(event, before) };
  const decision = after.decision ?? before?.decision;
  if (what === 'rated elsewhere' || what === 'came back' || decision === undefined)
    return { ...line, how: 'elsewhere', comment };
  const favorite = decision.favorite ?? decision.unprovenFavorite;
  const answer = answerOf(what, event);
  return {
    ...line,
    ...actorOf(event, decision.by),
    verdict: decision.verdict,
    decision: decision.id,
    comment: decision.comment,
    ...(decision.bonus === undefined ? {} : { money: decision.bonus }),
    ...(favorite === undefined ? {} : { favorite }),
    ...(answer === undefined ? {} : { answer }),
  };
}

const noteActs = {
  'note-left': 'leave note',
  'note-changed': 'change note',
  'note-removed': 'remove note',
} as const;

function isOfNote(event: TaskEvent): event is NoteEvent {
  return Object.hasOwn(noteActs, event.type);
}

/** The text of a note stays out of the audit: it may be about a person, and must be gone once the note is removed. */
function noteEntry({ type, by, how }: NoteEvent, { id, campaign, round }: Task): NewAuditEntry {
  return { what: noteActs[type], by, how, task: id, campaign, round };
}

/** Returns who acted and how. A job acts on a decision in its author's name. */
function actorOf(
  event: TaskEvent,
  author: NonNullable<AuditEntry['by']>,
): Pick<AuditEntry, 'by' | 'how' | 'member'> {
  if (event.type === 'decided' && event.approvedBy !== undefined)
    return { by: event.approvedBy, member: author, how: event.how ?? 'approval' };
  if (event.type === 'decided') return { by: author, how: event.how ?? 'click' };
  if (event.type !== 'undone') return { by: author, how: 'job' };
  return { member: author, by: event.by.member, how: event.how ?? 'click' };
}

/** Returns who assigned or released a task, how, and its current or former assignee. */
function assignedBy(
  { by, how, to }: Extract<TaskEvent, { type: 'assigned' }>,
  before: Task | undefined,
): Pick<AuditEntry, 'by' | 'how' | 'member'> {
  const member = to ?? before?.assignment?.to;
  const about = member === undefined || member === by ? {} : { member };
  return { how, ...(by === undefined ? {} : { by }), ...about };
}

function answerOf(what: AuditedAct, event: TaskEvent): string | undefined {
  if (event.type === 'refused') return event.problem.text;
  if (what !== 'applied') return undefined;
  return event.type === 'applied' && event.answered ? 'OK' : 'read back';
}

function actOf(before: Task | undefined, event: TaskEvent, after: Task): AuditedAct | undefined {
  switch (event.type) {
    case 'decided':
    case 'undone':
    case 'applied':
    case 'refused':
    case 'overtaken':
      return event.type;
    case 'assigned':
      if (event.to === undefined) return 'release';
      return event.to === event.by ? 'take' : 'assign';
    case 'confirmed': {
      if (before === undefined) return undefined;
      if (after.round !== before.round) return 'came back';
      if (before.rating === after.rating) return undefined;
      const ended = after.decision?.state;
      return isPending(before) && (ended === 'applied' || ended === 'overtaken') ? ended : 'rated elsewhere';
    }
    default:
      return undefined;
  }
}

/** Returns the audit entry of a change of rights in an account, without its author. */
export function rightsEntryOf(
  before: AccountRights,
  change: RightsChange,
): Omit<NewAuditEntry, 'by' | 'how' | 'account'> {
  const roleOf = (grantee: Grantee) => before.grants.find(({ to }) => isSameGrantee(to, grantee))?.role;
  switch (change.type) {
    case 'granted': {
      const { to, role } = change.grant;
      const had = roleOf(to);
      return {
        what: 'give role',
        ...aboutGrantee(to),
        ...(had === undefined ? {} : { before: had }),
        after: role,
      };
    }
    case 'withdrawn': {
      const had = roleOf(change.from);
      return {
        what: 'withdraw role',
        ...aboutGrantee(change.from),
        ...(had === undefined ? {} : { before: had }),
      };
    }
    case 'channel-confirmed':
      return { what: 'confirm shared channel', channel: change.channel };
    case 'channel-unconfirmed':
      return { what: 'withdraw shared channel', channel: change.channel };
  }
}

function aboutGrantee({ kind, id }: Grantee): Pick<NewAuditEntry, 'member' | 'channel'> {
  return kind === 'member' ? { member: id } : { channel: id };
}

/** How many entries are read at once. */
const readAtOnce = 1_000;

/** How many are read at once for people, who rarely look further back than the last ones. */
const readBackAtOnce = 200;

/** Longest time between a claim and the end of its act (ms): longer than any call takes. */
const actMs = 600_000;

/** An entry of a trail as Redis stores it: its id in the stream, and its text. */
interface StoredEntry {
  readonly id: string;
  readonly text: string;
}

/** An entry, and its position. */
export interface FoundEntry {
  readonly id: string;
  readonly trail: Trail;
  readonly entry: AuditEntry;
}

/** Returns the position of an entry among all about its account, for paging. */
export function placeOf({ id, trail }: FoundEntry): string {
  return trail.account === undefined ? id : `${id} account`;
}

/** Returns an id of a stream as a text that sorts by its time, then by its number. */
const sortable = (id: string) =>
  id
    .split('-')
    .map((part) => part.padStart(20))
    .join();

/**
 * Creates the audit: one trail of entries for each account and each workspace. Trails are append-only; entries are removed
 * after AUDIT_DAYS. Nothing that people wait for reads them.
 */
export function createAudit(redis: Redis, writer: AuditWriter = createAuditWriter()) {
  async function* read(trail: Trail, from: string, to: string): AsyncGenerator<StoredEntry> {
    let next = from;
    for (;;) {
      const batch = await redis.xrange(auditKey(trail), next, to, 'COUNT', readAtOnce);
      for (const [id, [, text = '']] of batch) yield { id, text };
      const last = batch.at(-1)?.[0];
      if (last === undefined || batch.length < readAtOnce) return;
      next = `(${last}`;
    }
  }

  /** @param from an id, preceded by a bracket to exclude it */
  async function* readBack(trail: Trail, from: string): AsyncGenerator<FoundEntry> {
    let next = from;
    for (;;) {
      const batch = await redis.xrevrange(auditKey(trail), next, '-', 'COUNT', readBackAtOnce);
      for (const [id, [, text = '']] of batch) {
        const decoded = auditLineCodec.decode(text);
        if (decoded.ok) yield { id, trail, entry: decoded.value };
      }
      const last = batch.at(-1)?.[0];
      if (last === undefined || batch.length < readBackAtOnce) return;
      next = `(${last}`;
    }
  }

  async function add({ key, text, stored }: AuditStep): Promise<void> {
    await redis.xadd(key, '*', 'entry', text);
    stored();
  }

  return {
    /** Appends an entry to a trail. Changes in Redis add their entry in the same step, see `step`. */
    append: (trail: Trail, entry: NewAuditEntry): Promise<void> => add(writer(trail, entry)),

    /** Adds an entry that a store was to add with its change, when there was nothing to change. */
    add,

    /**
     * Yields the entries about an account, newest first: those of its own trail, and those of its workspace's trail that
     * mention it. Where both have an entry with the same id, that of the account comes first.
     * @param before continues backwards from this {@link placeOf}
     */
    async *newestFirst(ref: AccountRef, before?: string): AsyncGenerator<FoundEntry> {
      const { workspace, account } = ref;
      const [id, ofAccount] = before?.split(' ') ?? [];
      const trails = [
        readBack(ref, id === undefined ? '+' : `(${id}`),
        readBack({ workspace }, id === undefined ? '+' : ofAccount ? id : `(${id}`),
      ];
      const heads = await Promise.all(trails.map((entries) => entries.next()));
      for (;;) {
        const ids = heads.map((head) => (head.done ? undefined : head.value.id));
        const at = ids.reduce<number | undefined>(
          (best, id, index) =>
            id !== undefined && (best === undefined || sortable(id) > sortable(ids[best] ?? ''))
              ? index
              : best,
          undefined,
        );
        if (at === undefined) return;
        const head = heads[at] as IteratorYieldResult<FoundEntry>;
        const about = head.value.entry.account;
        if (head.value.trail.account !== undefined || about === undefined || about === account)
          yield head.value;
        heads[at] = await (trails[at] as AsyncGenerator<FoundEntry>).next();
      }
    },

    /** Returns how the decision or the claimed act of an entry ended; undefined when no entry says so. */
    async endOf({ id, trail, entry }: FoundEntry): Promise<AuditEntry | undefined> {
      const { act, at, decision } = entry;
      for await (const { text } of read(trail, `(${id}`, decision ? '+' : String(at + actMs))) {
        const { value: later } = { value: undefined, ...auditLineCodec.decode(text) };
        const isEnd = decision ? later?.decision === decision : later?.act === act;
        if (isEnd && later?.stage !== 'claimed') return later;
      }
      return undefined;
    },

    /** Removes the entries of a workspace and its accounts from before a time (ms). Returns how many there were. */
    async expire(workspace: WorkspaceId, before: number): Promise<number> {
      let removed = 0;
      for (const trail of [{ workspace }, { workspace, account: AccountId.parse('*') }])
        for await (const key of scanKeys(redis, auditKey(trail)))
          removed += await redis.xtrim(key, 'MINID', before);
      return removed;
    },

    /** Makes the Redis steps that add an entry together with the change it describes. */
    step: writer,
  };
}
