import { z } from 'zod';
import { type AccountRef, type CampaignId, type MemberId, ratings, WorkerId } from '../../domain/terms.ts';
import type { Listing, WorkerRecord } from '../../domain/worker.ts';
import { UserError } from '../../errors.ts';
import { auditedAct, callForEach, doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCard, onCommand, onForm, onList } from '../../kit/on.ts';
import { workerHistoryOf, workersNamed } from '../../kit/workers.ts';
import { MarketplaceError, TransportError } from '../../marketplace/index.ts';
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

const workerIds = z.array(WorkerId);

/** Creates the workers: their record over all campaigns, and the exclude list. */
export function createWorkersFeature(deps: Modules): Feature {
  const { campaigns, slack } = deps;
  const excludeList = createExcludeList(deps);

  async function render(
    ref: AccountRef,
    { page }: WorkersList,
    _?: unknown,
    outcome?: string,
  ): Promise<Message> {
    const [excluded, favorites] = await Promise.all([
      campaigns.workers.excluded(ref),
      campaigns.workers.favorites(ref),
    ]);
    const shown = [...pageOf(excluded, page).here, ...pageOf(favorites, 0).here];
    const ids = [...new Set(shown.map(({ worker }) => worker))];
    const records = new Map(
      (await campaigns.workers.recordMany(ref, ids)).map((record) => [record.id, record]),
    );
    return workersMessage({
      account: ref.account,
      excluded,
      favorites,
      records,
      page,
      outcome,
    });
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
      const [id, second] = 'problem' in input ? [] : input.ids;
      const byId =
        id !== undefined && second === undefined ? await profileOf(ref, WorkerId.parse(id)) : undefined;
      if (byId && isKnown(byId)) return answer(workerMessage(byId));
      const [named, ...others] = await workersNamed(deps, ref, text.trim());
      if (named === undefined) {
        if ('problem' in input) throw new UserError(input.problem);
        throw new UserError(
          second === undefined ? unknownWorker : 'Give one worker id at a time: `/proofdesk workers <id>`.',
        );
      }
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
    const ids = workerIds.parse(input.ids);
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
        clearedText(await excludeList.clear(click.ref, click)),
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
  /** Calls `POST employer/exclude_list`. The answer "no workers added" means either already listed or an unknown id. */
  async function exclude(ref: AccountRef, by: MemberId, id: WorkerId): Promise<Changed> {
    const listed = (listing: Listing) => (step: AuditStep) =>
      campaigns.workers.addExcluded(ref, id, listing, step);
    const client = await marketplace.of(ref);
    const result = await applyIdempotently('NO_WORKERS_ADDED', () => client.excludeWorkers([id]));
    if (result === 'changed') {
      return { outcome: 'done', store: listed({ by, at: clock.now() }) };
    }
    const [record] = await campaigns.workers.recordMany(ref, [id]);
    const known = await campaigns.workers.exclusion(ref, id);
    const isKnown = known !== undefined || hasTasks(record);
    if (result === 'unchanged after an unanswered call') {
      // The unanswered call excluded them. For an id unknown here that is only likely, but the mirror must have it:
      // workers missing there cannot be removed in Slack.
      const store = known === undefined ? listed({ by, at: clock.now() }) : audit.add;
      return { outcome: isKnown ? 'done' : 'unsure', store };
    }
    if (!isKnown) return { outcome: 'unknown', store: audit.add };
    // Excluded earlier, outside Slack.
    return { outcome: 'already', store: known === undefined ? listed({ at: clock.now() }) : audit.add };
  }

  /** Calls `DELETE employer/exclude_list`. */
  async function include(ref: AccountRef, id: WorkerId): Promise<Changed> {
    // The marketplace interprets this id as the whole list.
    if (id === 'all') return { outcome: 'already', store: audit.add };
    const client = await marketplace.of(ref);
    const result = await applyIdempotently('WORKERS_NOT_FOUND', () => client.unexcludeWorkers([id]));
    const store = (step: AuditStep) => campaigns.workers.removeExcluded(ref, id, step);
    return { outcome: result === 'unchanged' ? 'already' : 'done', store };
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
      const outcomes: Record<Outcome, string[]> = { done: [], already: [], unknown: [], unsure: [] };
      const changeOne = async (id: WorkerId) => {
        const entry = { what: `${change} worker`, worker: id, ...doneBy(actor) } as const;
        const send = () => (change === 'exclude' ? exclude(ref, actor.member, id) : include(ref, id));
        const { outcome } = await auditedAct(modules, ref, entry, send, {
          endOf: (changed) => ({ answer: answers[changed.outcome] }),
          store: (changed, step) => changed.store(step),
        });
        outcomes[outcome].push(id);
      };
      const failed = await callForEach(ids, changeOne, onProgress);
      return {
        change,
        ...outcomes,
        unsure: [...outcomes.unsure, ...failed.filter(({ isUnsure }) => isUnsure).map(({ of }) => of)],
        failed: failed.filter(({ isUnsure }) => !isUnsure).map(({ of, sentence }) => ({ id: of, sentence })),
      };
    },

    /** Clears the list. Returns the number of removed workers; undefined if the marketplace does not say. */
    async clear(ref: AccountRef, actor: DoneBy): Promise<number | undefined> {
      const client = await marketplace.of(ref);
      let count: number | undefined = 0;
      const entry = { what: 'clear exclude list', ...doneBy(actor) } as const;
      const clearing = () =>
        applyIdempotently('WORKERS_NOT_FOUND', async () => {
          count = (await client.unexcludeWorkers('all')).count;
        });
      const result = await auditedAct(modules, ref, entry, clearing, {
        endOf: () => (count === undefined ? {} : { before: counted(count, 'worker') }),
        store: (_, step) => campaigns.workers.clearExcluded(ref, step),
      });
      return result === 'unchanged after an unanswered call' ? undefined : count;
    },
  };
}

/**
 * `already`: nothing had to be changed · `unknown`: the marketplace added nobody, and the id is unknown here · `unsure`: the
 * same, but after an unanswered call that may have added them.
 */
type Outcome = 'done' | 'already' | 'unknown' | 'unsure';

interface Changed {
  readonly outcome: Outcome;
  /** Changes the mirror, and adds the audit entry in the same Redis step. */
  readonly store: (step: AuditStep) => Promise<void>;
}

/** Outcomes, for the audit. */
const answers: Readonly<Record<Outcome, string>> = {
  done: 'OK',
  already: 'nothing had to be changed',
  unknown: 'the marketplace changed nothing: nobody of this id is known',
  unsure: 'no clear answer',
};

/**
 * Makes an idempotent change; retries once if the outcome is unknown.
 * @param unchangedCode the marketplace's error for "nothing to change"
 */
async function applyIdempotently(
  unchangedCode: string,
  call: () => Promise<unknown>,
): Promise<'changed' | 'unchanged' | 'unchanged after an unanswered call'> {
  let unanswered: TransportError | undefined;
  for (;;) {
    try {
      await call();
      return 'changed';
    } catch (error) {
      if (error instanceof MarketplaceError && error.code === unchangedCode) {
        return unanswered === undefined ? 'unchanged' : 'unchanged after an unanswered call';
      }
      // Whatever the second outcome, the first call may have been applied.
      if (unanswered !== undefined) throw unanswered;
      if (!(error instanceof TransportError && error.mayHaveBeenApplied)) throw error;
      unanswered = error;
    }
  }
}

function hasTasks(record: WorkerRecord | undefined): boolean {
  return record !== undefined && ratings.some((rating) => record.counts[rating] > 0);
}
