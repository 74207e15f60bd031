import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Redis } from 'ioredis';
import type { NewAuditEntry } from '../domain/audit.ts';
import { lookOutcome, SecondLookOutcome } from '../domain/second-look/outcome.ts';
import { noSecondLooks, SecondLookSettings, settingsText } from '../domain/second-look/settings.ts';
import { lookNews } from '../domain/second-look/transition.ts';
import { isOpen, type Task } from '../domain/task.ts';
import { type AccountRef, CampaignId, MemberId, TaskId } from '../domain/terms.ts';
import { type AuditWriter, createAuditWriter } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { type CommitStep, fieldStep, joinSteps } from './commit-step.ts';
import { accountKey } from './keys.ts';
import { readsTogether } from './reads-together.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

export const secondLookOutcomeCodec = createCodec('second-look', SecondLookOutcome);
export const secondLookSettingsCodec = createCodec('second-look-settings', SecondLookSettings);

/** Outcomes are stored in months of 30 days; a month expires when its last outcome is this many months old. */
const monthMs = 30 * 86_400_000;
const monthsStored = 6;

/** By task: who has looked at it. By task and verdict: who has not been told of that verdict. */
const waitingKey = (ref: AccountRef) => accountKey(ref, 'second-looks', 'waiting');
const untoldField = (task: TaskId, verdict: string) => `${task} ${verdict}`;
/** A field without a verdict is that of a waiting task: neither task ids nor verdicts have spaces. */
const verdictIn = (field: string): string | undefined => field.split(' ')[1];
const monthOf = (at: number) => Math.floor(at / monthMs);
const outcomesKey = (ref: AccountRef, month: number) => accountKey(ref, 'second-looks', String(month));
const settingsKey = (ref: AccountRef) => accountKey(ref, 'second-look-settings');

/** The field of the account's settings, for campaigns without their own: no campaign has this id. */
const ofAll = CampaignId.parse('*');

/**
 * Returns the step that lists who has looked at a task that waits for a second look, and stores the outcome, made together
 * with the change of the task's record; undefined for tasks without a second look.
 */
export function secondLookStep(
  ref: AccountRef,
  before: Task | undefined,
  after: Task,
): CommitStep | undefined {
  const [was, is] = [before, after].map((task) => lookersOf(task).join(' '));
  const waiting =
    was === is ? undefined : fieldStep({ key: waitingKey(ref), field: after.id, text: is ?? '' });
  const news = lookNews(after);
  const untold =
    news === undefined || news.id === lookNews(before)?.id
      ? undefined
      : fieldStep({ key: waitingKey(ref), field: untoldField(after.id, news.id), text: news.to.join(' ') });
  const outcome = lookOutcome(before, after);
  const stored = outcome && outcomeStep(ref, outcome, after.round);
  return waiting || untold || stored ? joinSteps(waiting, untold, stored) : undefined;
}

function lookersOf(task: Task | undefined): MemberId[] {
  if (task?.look === undefined || !isOpen(task)) return [];
  const { first, second } = task.look;
  return [first.by, ...(second ? [second.by] : [])];
}

function outcomeStep(ref: AccountRef, outcome: SecondLookOutcome, round: number): CommitStep {
  return {
    keys: [outcomesKey(ref, monthOf(outcome.at))],
    args: [
      `${outcome.task} ${round}`,
      secondLookOutcomeCodec.encode(outcome),
      ((monthsStored + 1) * monthMs) / 1_000,
    ],
    lua: (key, arg) => `
redis.call('HSET', KEYS[${key}], ARGV[${arg}], ARGV[${arg + 1}])
redis.call('EXPIRE', KEYS[${key}], ARGV[${arg + 2}])`,
  };
}

export type SecondLooks = ReturnType<typeof createSecondLooks>;

/** Creates the store of second looks: the waiting decisions, the settings, and the outcomes. */
export function createSecondLooks(
  redis: Redis,
  logger?: ErrorLogger,
  audit: AuditWriter = createAuditWriter(),
) {
  const reads = readsTogether(redis);
  const settings = createStoredHash(redis, { codec: secondLookSettingsCodec, field: CampaignId }, logger);

  return {
    /** Returns the settings of a campaign: its own, or those of the account. */
    async settingsOf(ref: AccountRef, campaign: CampaignId): Promise<SecondLookSettings> {
      const found = await settings.getMany(settingsKey(ref), [campaign, ofAll]);
      return found.get(campaign) ?? found.get(ofAll) ?? noSecondLooks;
    },

    /** Returns the stored settings: those of the account, and of the campaigns that have their own. */
    async allSettings(ref: AccountRef): Promise<{
      readonly account: SecondLookSettings;
      readonly campaigns: ReadonlyMap<CampaignId, SecondLookSettings>;
    }> {
      const { [ofAll]: account = noSecondLooks, ...own } = Object.fromEntries(
        await settings.all(settingsKey(ref)),
      );
      const campaigns = Object.entries(own).map(([id, one]) => [CampaignId.parse(id), one] as const);
      return { account, campaigns: new Map(campaigns) };
    },

    /**
     * Stores the settings of a campaign, or of the account if none is given, with an audit entry in the same step. A
     * campaign without settings uses those of the account.
     */
    async setSettings(
      ref: AccountRef,
      campaign: CampaignId | undefined,
      after: SecondLookSettings | undefined,
      actor: Pick<NewAuditEntry, 'by' | 'how'>,
    ): Promise<void> {
      await settings.update(
        settingsKey(ref),
        campaign ?? ofAll,
        (before) => (isDeepStrictEqual(before, after) ? before : after),
        (before) =>
          audit.step(ref, {
            what: 'set second looks',
            ...actor,
            ...(campaign === undefined ? {} : { campaign }),
            before: before === undefined ? 'not set' : settingsText(before),
            after: after === undefined ? 'not set' : settingsText(after),
          }),
      );
    },

    /** Returns the tasks that a member has already looked at and that wait for somebody else. */
    async lookedAt(ref: AccountRef, member: MemberId): Promise<Set<TaskId>> {
      const waiting = Object.entries(await redis.hgetall(waitingKey(ref)));
      const own = waiting.filter(
        ([field, members]) => verdictIn(field) === undefined && members.split(' ').includes(member),
      );
      return new Set(own.map(([task]) => TaskId.parse(task)));
    },

    /** Returns the tasks that wait for a look, and the verdicts that somebody has not been told of. */
    async waiting(ref: AccountRef): Promise<{
      readonly tasks: TaskId[];
      readonly untold: { readonly task: TaskId; readonly verdict: string }[];
    }> {
      const tasks: TaskId[] = [];
      const untold: { task: TaskId; verdict: string }[] = [];
      for (const field of await reads.hkeys(waitingKey(ref))) {
        const verdict = verdictIn(field);
        const task = TaskId.parse(field.split(' ')[0]);
        if (verdict === undefined) tasks.push(task);
        else untold.push({ task, verdict });
      }
      return { tasks, untold };
    },

    /** Returns who has not been told of a verdict on a task yet: empty once all have. */
    async untoldOf(ref: AccountRef, task: TaskId, verdict: string): Promise<MemberId[]> {
      const members = (await redis.hget(waitingKey(ref), untoldField(task, verdict))) ?? '';
      return members.split(' ').flatMap((member) => (member === '' ? [] : [MemberId.parse(member)]));
    },

    /** Stores who still has to be told of a verdict; removes the field when nobody is left. */
    async setUntold(
      ref: AccountRef,
      task: TaskId,
      verdict: string,
      left: readonly MemberId[],
    ): Promise<void> {
      const field = untoldField(task, verdict);
      if (left.length === 0) await redis.hdel(waitingKey(ref), field);
      else await redis.hset(waitingKey(ref), field, left.join(' '));
    },

    /** Returns whether there was any outcome of a second look recently. */
    async isAny(ref: AccountRef, now: number): Promise<boolean> {
      const months = Array.from({ length: monthsStored + 1 }, (_, ago) => monthOf(now) - ago);
      return (await redis.exists(...months.map((month) => outcomesKey(ref, month)))) > 0;
    },

    /** Returns the outcomes of second looks, latest first. @param since (ms) only from then on */
    async list(ref: AccountRef, now: number, since = 0): Promise<SecondLookOutcome[]> {
      const from = Math.max(monthOf(since), monthOf(now) - monthsStored);
      const months = Array.from({ length: monthOf(now) - from + 1 }, (_, index) => from + index);
      const texts = await Promise.all(months.map((month) => redis.hvals(outcomesKey(ref, month))));
      const outcomes = texts.flat().flatMap((text) => {
        const decoded = secondLookOutcomeCodec.decode(text);
        return decoded.ok && decoded.value.at >= since ? [decoded.value] : [];
      });
      return outcomes.sort((a, b) => b.at - a.at);
    },
  };
}

/**
 * Creates the random draw of which tasks wait for a second look: a number from 0 up to 1 for each round of a task, the same
 * in every process.
 */
export function createLookDraw() {
  return ({ workspace, account }: AccountRef, task: TaskId, round: number): number => {
    const texts = ['second look', workspace, account, task, String(round)];
    const digest = createHash('sha256').update(texts.join('\n')).digest();
    return digest.readUIntBE(0, 6) / 2 ** 48;
  };
}
