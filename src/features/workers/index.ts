import { z } from 'zod';
import { type AccountRef, type CampaignId, WorkerId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCard } from '../../kit/on.ts';
import { workerHistoryOf, workersNamed } from '../../kit/workers.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Click, Command, Entry, Feature, Submission, SubmissionAnswer } from '../../slack/feature.ts';
import { typed } from '../../slack/form-values.ts';
import { notice } from '../../slack/notice.ts';
import { chosenUnder, pageOf } from '../../slack/paging.ts';
import { parseIds } from '../../slack/parse-ids.ts';
import { createProgress } from '../../slack/progress.ts';
import { clickedList } from '../../ui/list.ts';
import {
  type ChangeResult,
  changeResultText,
  clearedText,
  idsModal,
  nobodyChosen,
  progressModal,
  statusModal,
  workersForm,
} from './changes.view.ts';
import { createExcludeList } from './exclude-list.ts';
import { formStateCodec, workersListCodec } from './list-state.ts';
import {
  isKnown,
  severalNamed,
  unknownWorker,
  type WorkerProfile,
  workerMessage,
  workerModal,
} from './worker.view.ts';
import { workersMessage } from './workers.view.ts';

const workerIds = z.array(WorkerId);

/** Creates the workers: their record over all campaigns, and the exclude list. */
export function createWorkersFeature(deps: Modules): Feature {
  const { campaigns, slack, clock } = deps;
  const excludeList = createExcludeList(deps);

  async function renderList(ref: AccountRef, page: number, outcome?: string): Promise<Message> {
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
      renderedAt: clock.now(),
      ...(outcome === undefined ? {} : { outcome }),
    });
  }

  async function profileOf(ref: AccountRef, id: WorkerId, here?: CampaignId): Promise<WorkerProfile> {
    const [record, exclusion, favorite, history] = await Promise.all([
      campaigns.workers.record(ref, id),
      campaigns.workers.exclusion(ref, id),
      campaigns.workers.favorite(ref, id),
      workerHistoryOf(deps, ref, id, here),
    ]);
    return { account: ref.account, record, exclusion, favorite, history };
  }

  async function command({ text, answer, authorize }: Command): Promise<void> {
    const ref = await authorize();
    if (text.trim() === '') return answer(await renderList(ref, 0));
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
  }

  async function showPage(click: Click): Promise<void> {
    const { ref, list } = await clickedList(click, workersListCodec);
    await click.replace(await renderList(ref, workersListCodec.update(list, { page: click.value }).page));
  }

  /** Removes workers from the exclude list, which then shows the outcome. */
  async function remove(click: Click, ids: readonly string[]): Promise<void> {
    const { ref, list } = await clickedList(click, workersListCodec);
    if (ids.length === 0) return click.answer(notice(nobodyChosen));
    const result = await excludeList.change(ref, click, 'include', workerIds.parse(ids));
    const outcome = changeResultText(result);
    await click.show(await renderList(ref, list.page, outcome), outcome);
  }

  async function removeAll(click: Click): Promise<void> {
    const { ref } = await clickedList(click, workersListCodec);
    const outcome = clearedText(await excludeList.clear(ref, click));
    await click.show(await renderList(ref, 0, outcome), outcome);
  }

  const changeOne = (change: ChangeResult['change']) => async (click: Click) => {
    const { ref } = await clickedList(click, workersListCodec);
    const worker = WorkerId.parse(click.value);
    const result = await excludeList.change(ref, click, change, [worker]);
    const outcome = changeResultText(result);
    const profile = await profileOf(ref, worker);
    await click.show(workerMessage({ ...profile, outcome }), outcome);
  };

  const askIds = (change: ChangeResult['change']) => async (click: Click) => {
    const { ref, list } = await clickedList(click, workersListCodec);
    const form = idsModal({ account: ref.account, change, origin: click.origin, page: list.page });
    await click.open(form);
  };

  async function submitForm(submission: Submission): Promise<SubmissionAnswer> {
    const { account, origin, page, worker, change } = formStateCodec.decode(submission.state);
    const ref = await submission.authorize({ account });
    const input = worker === undefined ? parseIds(typed(submission.values, 'ids')) : { ids: [worker] };
    if ('problem' in input) return { errors: { ids: input.problem } };
    const { workspace, id: viewId } = submission;
    const messenger = slack.messengerOf(workspace);
    const all = input.ids.length;
    return {
      update: progressModal(0, all),
      async afterwards() {
        const showProgress = async (done: number) => {
          await messenger.updateModal(viewId, progressModal(done, all));
        };
        const progress = createProgress(showProgress);
        const result = await excludeList.change(
          ref,
          submission,
          change,
          workerIds.parse(input.ids),
          progress.report,
        );
        await progress.stop();
        const text = changeResultText(result);
        await submission.show(statusModal(text), text, { view: viewId, channel: origin.channel });
        if (page !== undefined) await submission.replaceAt(origin, await renderList(ref, page));
      },
    };
  }

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'workers',
        usage: '[worker id or name]',
        help: 'Lists excluded workers, or shows what is known of one; excludes workers, or removes them from the list.',
        needs: 'see',
        run: command,
      },
    ],
    clicks: {
      'workers.page.previous': { needs: 'see', run: showPage },
      'workers.page.next': { needs: 'see', run: showPage },
      'workers.include': exclude((click) => remove(click, [click.value])),
      'workers.include.chosen': exclude((click) => remove(click, chosenUnder(click.values, click.value))),
      'workers.include.all': exclude(removeAll),
      'workers.ask.exclude': { needs: 'exclude', run: askIds('exclude') },
      'workers.ask.include': { needs: 'exclude', run: askIds('include') },
      'workers.one.exclude': exclude(changeOne('exclude')),
      'workers.one.include': exclude(changeOne('include')),
      'task.more.worker': onCard(deps, 'see', async ({ ref, task, open, origin }) =>
        open(workerModal(await profileOf(ref, task.worker.id, task.campaign), origin)),
      ),
    },
    submissions: { [workersForm]: { needs: 'exclude', run: submitForm } },
  };
}

/** Declares a change of the exclude list: done again, it would report that there was nothing to change. */
function exclude(run: (click: Click) => Promise<void>): Entry<Click> {
  return { needs: 'exclude', once: true, run };
}
