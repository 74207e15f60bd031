import { z } from 'zod';
import { type AccountRef, type CampaignId, WorkerId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCard, onCommand, onForm, onList } from '../../kit/on.ts';
import { workerHistoryOf, workersNamed } from '../../kit/workers.ts';
import { type Message, pageOf } from '../../slack/blocks.ts';
import type { Feature } from '../../slack/feature.ts';
import { parseIds, typed } from '../../slack/form-values.ts';
import { messageModal } from '../../slack/message-modal.view.ts';
import { createProgress } from '../../slack/progress.ts';
import { createList } from '../../ui/list.ts';
import { createExcludeList } from './exclude-list.ts';
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
