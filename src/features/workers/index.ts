import type { Task } from '../../domain/task.ts';
import { type AccountRef, type CampaignId, type MemberId, WorkerId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { auditedAct, doneBy, marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCard, onCommand, onList } from '../../kit/on.ts';
import {
  hasUnknownOutcome,
  isCallFailure,
  MarketplaceError,
  type MarketplaceErrorCode,
} from '../../marketplace/index.ts';
import { type Message, messageModal, pageOf } from '../../slack/blocks.ts';
import type { Actor, Feature } from '../../slack/feature.ts';
import { parseIds } from '../../slack/form-values.ts';
import type { AuditStep } from '../../store/audit.ts';
import { createList } from '../../ui/list.ts';
import { counted } from '../../ui/words.ts';
import { workerHistoryOf, workersNamed } from './history.ts';
import {
  type Change,
  changedText,
  clearedText,
  isKnown,
  notChanged,
  severalNamed,
  unclear,
  unknownWorker,
  type WorkerProfile,
  type WorkersList,
  workerMessage,
  workersListCodec,
  workersMessage,
} from './workers.view.ts';

/** Creates the workers: their record over all campaigns, and the exclude list. */
export function createWorkersFeature(deps: Modules) {
  const { campaigns } = deps;
  const excludeList = createExcludeList(deps);

  async function render(ref: AccountRef, list: WorkersList, _?: unknown, outcome?: string): Promise<Message> {
    const excluded = await campaigns.workers.excluded(ref);
    const ids = pageOf(excluded, list.page).here.map(({ worker }) => worker);
    const records = await campaigns.workers.recordMany(ref, ids);
    return workersMessage(list, excluded, records, outcome);
  }

  const list = createList<WorkersList>({ codec: workersListCodec, render });

  async function profileOf(ref: AccountRef, id: WorkerId, here?: CampaignId): Promise<WorkerProfile> {
    const [record, exclusion, history] = await Promise.all([
      campaigns.workers.record(ref, id),
      campaigns.workers.exclusion(ref, id),
      workerHistoryOf(deps, ref, id, here),
    ]);
    return { account: ref.account, record, exclusion, history };
  }

  const command = onCommand(
    {
      command: '/proofdesk',
      word: 'workers',
      usage: '[worker id or name]',
      help: 'Lists excluded workers, or shows the history of one.',
      needs: 'see',
    },
    async ({ ref, text, answer }) => {
      if (text.trim() === '') return answer(await render(ref, { account: ref.account, page: 0 }));
      const input = parseIds(text);
      const [id, ...more] = 'problem' in input ? [] : input.ids;
      const byId = id === undefined || more.length > 0 ? undefined : await profileOf(ref, WorkerId.parse(id));
      if (byId && isKnown(byId)) return answer(workerMessage(byId));
      const named = await workersNamed(deps, ref, text.trim());
      if (named.length > 1) throw new UserError(severalNamed(text, named));
      const found = named[0] === undefined ? byId : await profileOf(ref, named[0]);
      if (found === undefined) throw new UserError(unknownWorker);
      await answer(workerMessage(found));
    },
  );

  const changeOne = (change: Change) =>
    onList(workersListCodec, { needs: 'exclude', once: true }, async (click) => {
      const { ref } = click;
      const worker = WorkerId.parse(click.value);
      const outcome = await excludeList.change(ref, click, change, worker);
      await click.show(workerMessage({ ...(await profileOf(ref, worker)), outcome }), outcome);
    });

  /** Returns the modal with the record of a task's worker, and the button that excludes them. */
  const modalOf = async (ref: AccountRef, { worker, campaign }: Task) =>
    messageModal('Worker', workerMessage(await profileOf(ref, worker.id, campaign)));

  const feature: Feature = {
    commands: [command],
    clicks: {
      ...list.pages('workers.page'),
      'workers.include': list.act('exclude', (click) =>
        excludeList.change(click.ref, click, 'include', WorkerId.parse(click.value)),
      ),
      'workers.include.all': list.act('exclude', async (click) =>
        excludeList.clear(click.ref, click).then(clearedText, (error: unknown) => {
          if (isCallFailure(error) && hasUnknownOutcome(error)) return unclear;
          throw error;
        }),
      ),
      'workers.one.exclude': changeOne('exclude'),
      'workers.one.include': changeOne('include'),
      'task.more.worker': onCard(deps, 'see', async ({ ref, task, open }) => open(await modalOf(ref, task))),
    },
  };
  return { feature, modalOf };
}

type DoneBy = Pick<Actor, 'member' | 'how'>;

/**
 * Creates the changes to the employer's exclude list, and to its local mirror. Each worker is a separate call: the
 * marketplace answers only with a number, which would not tell which of several were changed.
 */
export function createExcludeList(modules: Modules) {
  const { audit, campaigns, marketplace, clock } = modules;
  const { workers } = campaigns;

  /** Calls `POST employer/exclude_list`. */
  async function exclude(ref: AccountRef, by: MemberId, id: WorkerId): Promise<Changed> {
    const client = await marketplace.of(ref);
    const isAdded = await client.excludeWorkers([id]).then(() => true, unless('NO_WORKERS_ADDED', false));
    if (isAdded) {
      const listing = { by, at: clock.now() };
      return { outcome: 'done', store: (step) => workers.addExcluded(ref, id, listing, step) };
    }
    const [[record], known] = await Promise.all([workers.recordMany(ref, [id]), workers.exclusion(ref, id)]);
    // Excluded earlier, outside Slack; whoever has no tasks here may not exist.
    const isNew = known === undefined && record !== undefined && record.campaigns > 0;
    const add = (step: AuditStep) => workers.addExcluded(ref, id, { at: clock.now() }, step);
    return { outcome: 'already', store: isNew ? add : audit.add };
  }

  /** Calls `DELETE employer/exclude_list`. */
  async function include(ref: AccountRef, id: WorkerId): Promise<Changed> {
    // The marketplace interprets this id as the whole list.
    if (id === 'all') return { outcome: 'already', store: audit.add };
    const client = await marketplace.of(ref);
    const isRemoved = await client
      .unexcludeWorkers([id])
      .then(() => true, unless('WORKERS_NOT_FOUND', false));
    const store = (step: AuditStep) => workers.removeExcluded(ref, id, step);
    return { outcome: isRemoved ? 'done' : 'already', store };
  }

  return {
    /** Changes a worker. Returns the outcome in mrkdwn, also of a failed call. */
    async change(ref: AccountRef, actor: DoneBy, change: Change, id: WorkerId): Promise<string> {
      const entry = { what: `${change} worker`, worker: id, ...doneBy(actor) } as const;
      const send = () => (change === 'exclude' ? exclude(ref, actor.member, id) : include(ref, id));
      try {
        const { outcome } = await auditedAct(modules, ref, entry, send, {
          endOf: (changed) => (changed.outcome === 'done' ? {} : { answer: 'nothing had to be changed' }),
          store: (changed, step) => changed.store(step),
        });
        return changedText(change, outcome, id);
      } catch (error) {
        if (!isCallFailure(error)) throw error;
        return hasUnknownOutcome(error) ? unclear : notChanged(marketplaceErrorText(error));
      }
    },

    /** Clears the list. Returns the number of removed workers; undefined if the marketplace does not say. */
    async clear(ref: AccountRef, actor: DoneBy): Promise<number | undefined> {
      const client = await marketplace.of(ref);
      const entry = { what: 'clear exclude list', ...doneBy(actor) } as const;
      const clearing = () => client.unexcludeWorkers('all').catch(unless('WORKERS_NOT_FOUND', { count: 0 }));
      const { count } = await auditedAct(modules, ref, entry, clearing, {
        endOf: (cleared) => (cleared.count === undefined ? {} : { before: counted(cleared.count, 'worker') }),
        store: (_, step) => workers.clearExcluded(ref, step),
      });
      return count;
    },
  };
}

interface Changed {
  /** `already`: nothing had to be changed, or the marketplace does not know the worker. */
  readonly outcome: 'done' | 'already';
  /** Changes the mirror, and adds the audit entry in the same Redis step. */
  readonly store: (step: AuditStep) => Promise<void>;
}

/** Returns a handler of failed calls: of this error, it returns `instead`; it throws any other. */
function unless<T>(code: MarketplaceErrorCode, instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof MarketplaceError && error.code === code) return instead;
    throw error;
  };
}
