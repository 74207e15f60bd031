import { z } from 'zod';
import { AccountId, type AccountRef, TaskId, WorkerId, type WorkspaceId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import type { MarketplaceClient } from '../../marketplace/index.ts';
import { answerInModal, answerInPlace } from '../../slack/answers.ts';
import { decodeCardBlock } from '../../slack/card-block.ts';
import {
  type Click,
  type Command,
  type Feature,
  type Submission,
  type SubmissionAnswer,
  typed,
} from '../../slack/feature.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { notice } from '../../slack/notice.ts';
import { chosenUnder, pageAsked, pageOf } from '../../slack/paging.ts';
import { parseIds } from '../../slack/parse-ids.ts';
import { createProgress } from '../../slack/progress.ts';
import type { Accounts } from '../../store/accounts.ts';
import type { Tasks } from '../../store/tasks.ts';
import type { Workers } from '../../store/workers.ts';
import { requireAccess } from '../shared/access.ts';
import {
  type Changed,
  changedSentence,
  changingView,
  clearedSentence,
  idsForm,
  nobodyChosen,
  noteView,
  workersForm,
} from './changes.view.ts';
import { createExclusion } from './exclusion.ts';
import { decodeWorkersBlock, formState, type WorkersBlock } from './values.ts';
import { type WorkerState, workerMessage, workerModal } from './worker.view.ts';
import { workersMessage } from './workers.view.ts';

export interface WorkersDeps {
  readonly accounts: Accounts;
  readonly tasks: Tasks;
  readonly workers: Workers;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /** The first time something is delivered: true; when it was delivered before (to any process): false. */
  readonly claimOnce: (workspace: WorkspaceId, id: string) => Promise<boolean>;
  readonly now: () => number;
}

const workerIds = z.array(WorkerId);

/** Workers: their record over all campaigns, excluding them and taking them off the exclude list. */
export function createWorkersFeature(deps: WorkersDeps): Feature {
  const { accounts, workers, messengerOf, now } = deps;
  const exclusion = createExclusion(deps);

  async function listMessage(ref: AccountRef, page: number, outcome?: string) {
    const [excluded, favorites] = await Promise.all([workers.excluded(ref), workers.favorites(ref)]);
    const shown = [...pageOf(excluded, page).here, ...pageOf(favorites, 0).here];
    const ids = [...new Set(shown.map(({ worker }) => worker))];
    const records = new Map((await workers.recordMany(ref, ids)).map((record) => [record.id, record]));
    return workersMessage({
      account: ref.account,
      excluded,
      favorites,
      records,
      page,
      drawnAt: now(),
      ...(outcome === undefined ? {} : { outcome }),
    });
  }

  async function stateOf(ref: AccountRef, id: WorkerId): Promise<WorkerState> {
    const [record, excluded, favorite] = await Promise.all([
      workers.record(ref, id),
      workers.exclusion(ref, id),
      workers.favorite(ref, id),
    ]);
    return { account: ref.account, record, exclusion: excluded, favorite };
  }

  async function allowed(
    actor: Pick<Click, 'workspace' | 'member'>,
    account: AccountId,
  ): Promise<AccountRef> {
    const ref = { workspace: actor.workspace, account };
    await requireAccess(accounts, ref, actor.member);
    return ref;
  }

  /** The list that was clicked in. */
  async function placeOf(click: Click): Promise<WorkersBlock & { ref: AccountRef }> {
    const place = decodeWorkersBlock(click.blockId);
    return { ...place, ref: await allowed(click, place.account) };
  }

  /** A click that is delivered once more changes nothing: it would only find that there is nothing to change. */
  const isFirst = ({ workspace, id }: Click) => deps.claimOnce(workspace, `workers ${id}`);

  async function command({ workspace, member, text, answer }: Command): Promise<void> {
    const ref = await accounts.require(workspace, member);
    if (text.trim() === '') return answer(await listMessage(ref, 0));
    const read = parseIds(text);
    if ('problem' in read) throw new UserError(read.problem);
    const [id = '', second] = read.ids;
    if (second !== undefined) throw new UserError('Ask for one worker at a time: `/proofdesk workers <id>`.');
    await answer(workerMessage(await stateOf(ref, WorkerId.parse(id))));
  }

  async function turn(click: Click): Promise<void> {
    const { ref } = await placeOf(click);
    await click.replace(await listMessage(ref, pageAsked(click.value)));
  }

  /** Takes workers of the list off it; the list then shows what came of it. */
  async function takeOff(click: Click, ids: readonly string[]): Promise<void> {
    const { ref, page } = await placeOf(click);
    if (ids.length === 0) return click.answer(notice(nobodyChosen));
    if (!(await isFirst(click))) return;
    const changed = await exclusion.change(ref, click.member, 'include', workerIds.parse(ids));
    const outcome = changedSentence(changed);
    await answerInPlace(click, await listMessage(ref, page, outcome), outcome);
  }

  const changeOne = (change: Changed['change']) => async (click: Click) => {
    const { ref } = await placeOf(click);
    const worker = WorkerId.parse(click.value);
    if (!(await isFirst(click))) return;
    const changed = await exclusion.change(ref, click.member, change, [worker]);
    const state = await stateOf(ref, worker);
    const outcome = changedSentence(changed);
    await answerInPlace(click, workerMessage({ ...state, outcome }), outcome);
  };

  const openForm = (change: Changed['change']) => async (click: Click) => {
    const { ref } = await placeOf(click);
    const state = { account: ref.account, change, ...(click.channel ? { channel: click.channel } : {}) };
    await messengerOf(click.workspace).openModal(click.triggerId, idsForm(state));
  };

  async function submitted(submission: Submission): Promise<SubmissionAnswer> {
    const { account, channel, worker, change } = formState.decode(submission.state);
    const ref = await allowed(submission, account);
    const read = worker === undefined ? parseIds(typed(submission.values, 'ids')) : { ids: [worker] };
    if ('problem' in read) return { errors: { ids: read.problem } };
    const { workspace, member, id: view } = submission;
    const messenger = messengerOf(workspace);
    return {
      update: changingView(0, read.ids.length),
      async afterwards() {
        if (!(await deps.claimOnce(workspace, `workers ${view}`))) return;
        const progress = createProgress(
          async (done) => {
            await messenger.updateModal(view, changingView(done, read.ids.length));
          },
          { now },
        );
        const changed = await exclusion.change(
          ref,
          member,
          change,
          workerIds.parse(read.ids),
          progress.reached,
        );
        await progress.settled();
        const sentence = changedSentence(changed);
        await answerInModal(messenger, { viewId: view, member, channel }, noteView(sentence), sentence);
      },
    };
  }

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'workers',
        usage: '[worker id]',
        help: 'Shows excluded workers, or what is known of one; excludes workers and takes them off the list.',
        run: command,
      },
    ],
    clicks: {
      'workers.page.previous': turn,
      'workers.page.next': turn,
      'workers.include': (click) => takeOff(click, [click.value]),
      'workers.include.chosen': (click) => takeOff(click, chosenUnder(click.values, click.value)),
      async 'workers.include.all'(click) {
        const { ref } = await placeOf(click);
        if (!(await isFirst(click))) return;
        const outcome = clearedSentence(await exclusion.includeAll(ref));
        await answerInPlace(click, await listMessage(ref, 0, outcome), outcome);
      },
      'workers.ask.exclude': openForm('exclude'),
      'workers.ask.include': openForm('include'),
      'workers.one.exclude': changeOne('exclude'),
      'workers.one.include': changeOne('include'),
      async 'task.more.worker'(click) {
        const ref = await allowed(click, decodeCardBlock(click.blockId)?.account ?? AccountId.parse(''));
        const task = await deps.tasks.get(ref, TaskId.parse(click.value));
        if (task === undefined) {
          throw new UserError('This task is not known here any more. Use `/proofdesk workers <worker id>`.');
        }
        const view = workerModal(await stateOf(ref, task.worker.id), click.channel);
        await messengerOf(click.workspace).openModal(click.triggerId, view);
      },
    },
    submissions: { [workersForm]: submitted },
  };
}
