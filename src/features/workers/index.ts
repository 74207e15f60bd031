import { type AccountRef, type CampaignId, type MemberId, WorkerId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { auditedAct, callForEach, doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCard, onCommand, onForm, onList } from '../../kit/on.ts';
import { workerHistoryOf, workersNamed } from '../../kit/workers.ts';
import {
  hasUnknownOutcome,
  isCallFailure,
  MarketplaceError,
  type MarketplaceErrorCode,
} from '../../marketplace/index.ts';
import { type Message, pageOf } from '../../slack/blocks.ts';
import type { Actor, Feature } from '../../slack/feature.ts';
import { parseIds, typed } from '../../slack/form-values.ts';
import { messageModal } from '../../slack/message-modal.view.ts';
import { createProgress } from '../../slack/progress.ts';
import type { AuditStep } from '../../store/audit.ts';
import { createList } from '../../ui/list.ts';
import { counted } from '../../ui/words.ts';
import {
  type ChangeResult,
  changeResultText,
  clearedText,
  clearedUnclear,
  formStateCodec,
  idsModal,
  isKnown,
  progressModal,
  severalNamed,
  statusModal,
  unknownWorker,
  type WorkerProfile,
  type WorkersList,
  workerMessage,
  workersListCodec,
  workersMessage,
} from './workers.view.ts';

/** Creates the workers: their record over all campaigns, and the exclude list. */
export function createWorkersFeature(deps: Modules): Feature {
  const { campaigns, slack } = deps;
  const excludeList = createExcludeList(deps);

  async function render(ref: AccountRef, list: WorkersList, _?: unknown, outcome?: string): Promise<Message> {
    const [excluded, favorites] = await Promise.all([
      campaigns.workers.excluded(ref),
      campaigns.workers.favorites(ref),
    ]);
    const shown = [...pageOf(excluded, list.page).here, ...pageOf(favorites, 0).here];
    const ids = [...new Set(shown.map(({ worker }) => worker))];
    const records = await campaigns.workers.recordMany(ref, ids);
    const byId = new Map(records.map((record) => [record.id, record]));
    return workersMessage(list, { excluded, favorites, records: byId }, outcome);
  }

  const list = createList<WorkersList>({ codec: workersListCodec, command: '/proofdesk workers', render });

  async function profileOf(ref: AccountRef, id: WorkerId, here?: CampaignId): Promise<WorkerProfile> {
    const [record, exclusion, favorite, history] = await Promise.all([
      campaigns.workers.record(ref, id),
      campaigns.workers.exclusion(ref, id),
      campaigns.workers.favorite(ref, id),
      workerHistoryOf(deps, ref, id, here),
    ]);
    return { account: ref.account, record, exclusion, favorite, history };
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
      const ids = 'problem' in input ? [] : input.ids;
      const byId = ids.length === 1 ? await profileOf(ref, WorkerId.parse(ids[0])) : undefined;
      if (byId && isKnown(byId)) return answer(workerMessage(byId));
      const [named, ...others] = await workersNamed(deps, ref, text.trim());
      if (named === undefined) throw new UserError(unknownWorker);
      if (others.length > 0) throw new UserError(severalNamed(text, [named, ...others]));
      await answer(workerMessage(await profileOf(ref, named)));
    },
  );

  const changeOne = (change: ChangeResult['change']) =>
    onList(workersListCodec, { needs: 'exclude', once: true }, async (click) => {
      const { ref } = click;
      const worker = WorkerId.parse(click.value);
      const outcome = changeResultText(await excludeList.change(ref, click, change, [worker]));
      await click.show(workerMessage({ ...(await profileOf(ref, worker)), outcome }), outcome);
    });

  const askIds = (change: ChangeResult['change']) =>
    onList(workersListCodec, 'exclude', ({ ref, list: { page }, origin, open }) =>
      open(idsModal({ account: ref.account, change, origin, page })),
    );

  const submitForm = onForm(formStateCodec, 'exclude', async (submission) => {
    const { ref, workspace, id: viewId, state } = submission;
    const { account, origin, page, change } = state;
    const input = parseIds(typed(submission.values, 'ids'));
    if ('problem' in input) return { errors: { ids: input.problem } };
    const ids = input.ids.map((id) => WorkerId.parse(id));
    return {
      update: progressModal(0, ids.length),
      async afterwards() {
        const progress = createProgress(async (done: number) => {
          await slack.messengerOf(workspace).updateModal(viewId, progressModal(done, ids.length));
        });
        const result = await excludeList.change(ref, submission, change, ids, progress.report);
        await progress.stop();
        const text = changeResultText(result);
        await submission.show(statusModal(text), text, { view: viewId, channel: origin.channel });
        await list.refresh(submission, origin, ref, { account, page });
      },
    };
  });

  return {
    commands: [command],
    clicks: {
      ...list.pages('workers.page'),
      'workers.include': list.act('exclude', async (click) =>
        changeResultText(
          await excludeList.change(click.ref, click, 'include', [WorkerId.parse(click.value)]),
        ),
      ),
      'workers.include.all': list.act('exclude', async (click) =>
        excludeList.clear(click.ref, click).then(clearedText, (error: unknown) => {
          if (isCallFailure(error) && hasUnknownOutcome(error)) return clearedUnclear;
          throw error;
        }),
      ),
      'workers.ask.exclude': askIds('exclude'),
      'workers.ask.include': askIds('include'),
      'workers.one.exclude': changeOne('exclude'),
      'workers.one.include': changeOne('include'),
      'task.more.worker': onCard(deps, 'see', async ({ ref, task, open }) =>
        open(messageModal('Worker', workerMessage(await profileOf(ref, task.worker.id, task.campaign)))),
      ),
    },
    submissions: { 'workers.form': submitForm },
  };
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
    /** Changes several workers. Returns the outcome of each; a failed call does not stop the others. */
    async change(
      ref: AccountRef,
      actor: DoneBy,
      change: 'exclude' | 'include',
      ids: readonly WorkerId[],
      onProgress?: (done: number) => void,
    ): Promise<ChangeResult> {
      const outcomes: Record<Changed['outcome'], string[]> = { done: [], already: [] };
      const changeOne = async (id: WorkerId) => {
        const entry = { what: `${change} worker`, worker: id, ...doneBy(actor) } as const;
        const send = () => (change === 'exclude' ? exclude(ref, actor.member, id) : include(ref, id));
        const { outcome } = await auditedAct(modules, ref, entry, send, {
          endOf: (changed) => (changed.outcome === 'done' ? {} : { answer: 'nothing had to be changed' }),
          store: (changed, step) => changed.store(step),
        });
        outcomes[outcome].push(id);
      };
      return { change, ...outcomes, failed: await callForEach(ids, changeOne, onProgress) };
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
