import type * as desk from '@proofdesk/desk/protocol';
import { answersOf } from '../../domain/campaign.ts';
import { markDifferences, mostWords } from '../../domain/evidence/differences.ts';
import { countryName } from '../../domain/evidence/likeness.ts';
import { linksIn } from '../../domain/evidence/texts.ts';
import { formatMoney, money } from '../../domain/money.ts';
import { byIndex, isVague } from '../../domain/picture.ts';
import { assignmentVersion, isOpen, type ProofFile, type Task } from '../../domain/task.ts';
import { type AccountRef, type CampaignId, type TaskId, verdicts } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { plainWords } from '../../slack/blocks.ts';
import { date, user, withDirectionContained } from '../../slack/mrkdwn.ts';
import { evidenceFacts } from '../../ui/evidence.view.ts';
import { filesWarningLine } from '../../ui/proof.view.ts';
import { sameAsBefore, stateLine, undoneLine } from '../../ui/task.view.ts';
import { capital } from '../../ui/words.ts';
import { workerFactsWords, workerRecordLine } from '../../ui/worker.view.ts';
import { createTaskLoading } from '../cards/public.ts';
import { createReasonOptions, textName } from '../decide/public.ts';
import { factsOfTask } from '../workers/public.ts';
import type { Reader, Words } from './words.ts';

const longestName = 120;

/** Creates the tasks as the page gets them: plain text, in the words of the cards. */
export function createShapes(modules: Modules, words: Words) {
  const { campaigns, clock, marketplace, tasks } = modules;
  const { detailed } = createTaskLoading(modules);
  const { reasonOptions } = createReasonOptions(modules);

  /** Returns who else has which of these tasks: by looking at it, or as one of the next of their review. */
  async function holders({ workspace, member }: Reader, ref: AccountRef, ids: readonly TaskId[]) {
    const owners = [...(await tasks.leases.owners(ref, ids))].map(async ([task, owner]) => {
      const session = await tasks.focusSessions.get(ref, owner);
      if (session === undefined || session.member === member) return [];
      const name = await words.nameOf(workspace, session.member);
      return [[task, { heldBy: name, lookedAtBy: session.current === task ? name : undefined }] as const];
    });
    return new Map((await Promise.all(owners)).flat());
  }

  /** Returns the decision that a task has; undefined while it waits for one. */
  async function decidedOf(reader: Reader, task: Task): Promise<desk.Made | undefined> {
    if (isOpen(task)) return undefined;
    const { rating } = task;
    const decision = task.decision?.state === 'overtaken' ? undefined : task.decision;
    const verdict = decision?.verdict ?? verdicts.find((one) => one === rating) ?? 'REVISE';
    const { dueAt, state } = decision ?? {};
    return {
      id: decision?.id ?? '',
      verdict,
      sentence: await words.inWords(reader, stateLine(task) ?? ''),
      undoUntil: { waiting: dueAt, held: Number.MAX_SAFE_INTEGER }[String(state)],
    };
  }

  /** Returns tasks as rows of the queue. */
  async function rowsOf(reader: Reader, ref: AccountRef, some: readonly Task[]): Promise<desk.Row[]> {
    const shown = some.filter(({ detailsRemovedAt }) => detailsRemovedAt === undefined);
    const [ids, listed] = [shown.map(({ id }) => id), shown.map(({ campaign }) => campaign)];
    const [dueAt, titleOf, held] = await Promise.all([
      tasks.deadlines.dueAt(ref, shown),
      campaigns.titlesOf(ref, listed),
      holders(reader, ref, ids),
    ]);
    return Promise.all(
      shown.map(async (task): Promise<desk.Row> => {
        const { assignment, campaign, id, round, worker } = task;
        const { to } = assignment ?? {};
        return {
          task: id,
          round,
          worker: plainWords(worker.name || worker.id, longestName),
          country: plainWords(countryName(worker.country), longestName),
          campaign: plainWords(titleOf(campaign), longestName),
          dueAt: dueAt.get(id),
          hasEvidence: task.hasEvidence === true,
          isMine: to === reader.member,
          assignedTo: to && (await words.nameOf(ref.workspace, to)),
          assignment: assignmentVersion(assignment),
          ...held.get(id),
          decided: await decidedOf(reader, task),
        };
      }),
    );
  }

  /** Returns a task as a whole, loaded if that does not take long; undefined if it is not stored (any more). */
  async function taskOf(reader: Reader, ref: AccountRef, id: TaskId): Promise<desk.Task | undefined> {
    const task = await detailed(ref, id);
    const [row] = await rowsOf(reader, ref, task ? [task] : []);
    if (task === undefined || row === undefined) return undefined;
    const { proof, round } = task;
    const name = textName({ task: id, round, member: reader.member }, 'NOK');
    const [facts, typed, NOK, REVISE] = await Promise.all([
      factsOfTask(modules, ref, task),
      tasks.typedTexts.get(ref, name),
      reasonOptions(ref, task, 'NOK'),
      reasonOptions(ref, task, 'REVISE'),
    ]);
    const { asked, notes, alike, paymentPerTask } = facts;
    const others = alike.map((one) => one.task);
    const twins = new Map((await tasks.getMany(ref, others)).map((one) => [one.id, one]));
    const recordLine = facts.record && workerRecordLine(facts.record);
    const sentences = (all: readonly string[]) =>
      Promise.all(all.map(async (one) => capital(await words.inWords(reader, one))));
    return {
      ...row,
      slots: slotsOf(task, asked),
      instructions: asked && withDirectionContained(asked.work.trim()),
      payment: paymentPerTask && formatMoney(money(paymentPerTask)),
      files: proof.files.map((file) => fileOf(task, file)),
      before: await beforeOf(reader, task),
      evidence: await sentences([
        ...(task.decision?.state === 'refused' ? [stateLine(task) ?? ''] : []),
        ...undoneLine(task),
        ...filesWarningLine(proof),
        ...evidenceFacts(task, alike, asked, twins),
      ]),
      record: await sentences([recordLine ?? [], facts.worker ? workerFactsWords(facts.worker) : []].flat()),
      notes: await Promise.all(
        notes.map(async ({ by, at, text }) => ({
          by: await words.inWords(reader, `${user(by)} · ${date(at)}`),
          text,
        })),
      ),
      reasons: { NOK, REVISE },
      typed: typed && { verdict: typed.verdict === 'NOK' ? 'NOK' : 'REVISE', text: typed.text },
    };
  }

  /** Returns the round before, as far as it is known. */
  async function beforeOf(reader: Reader, task: Task): Promise<desk.Task['before']> {
    const { before, id, round } = task;
    if (before === undefined) return undefined;
    return {
      comment: before.comment,
      by: before.by && (await words.nameOf(reader.workspace, before.by)),
      files: byIndex(before.pictures ?? []).map(({ index }) => ({
        url: proofUrl(id, round - 1, index),
        name: `Picture ${index}`,
        kind: 'picture',
      })),
      sentence: [...sameAsBefore(task), ''].join('. ').trim(),
    };
  }

  return {
    rowsOf,
    taskOf,

    /** Returns what concerns everybody now. */
    async warnings(reader: Reader, ref: AccountRef): Promise<string[]> {
      const since = (await marketplace.outages.since(ref)) ?? Number.POSITIVE_INFINITY;
      if (clock.now() - since < clock.noticeAfterMs) return [];
      const text = `The marketplace has not been working for this account since ${date(since)}. Go on rating: your ratings are kept, and sent when it works again.`;
      return [await words.inWords(reader, text)];
    },

    /** Returns the campaigns with waiting tasks. */
    async waitingCampaigns(ref: AccountRef): Promise<desk.Me['campaigns']> {
      const ids = await tasks.open.campaigns(ref);
      const titleOf = await campaigns.titlesOf(ref, ids);
      const counts = await tasks.open.countOf(ref, ids);
      const shown = (id: CampaignId) => ({ id, title: plainWords(titleOf(id), longestName) });
      return ids.map((id, index) => ({ ...shown(id), waiting: counts[index] ?? 0 }));
    },
  };
}

export type Shapes = ReturnType<typeof createShapes>;

/** Returns the answers, with what has changed since the round before marked. Long ones are not marked. */
function slotsOf(task: Task, asked: Parameters<typeof answersOf>[0]): desk.Task['slots'] {
  return answersOf(asked, task).map(({ asked: question, text = '' }) => {
    const old = task.before?.slots?.[task.proof.slots.indexOf(text)] ?? text;
    const isSame = old.trim() === text.trim();
    const isLong = [old, text].some((one) => one.split(/\s+/u).length > mostWords);
    const [earlier, now] = [withDirectionContained(old), withDirectionContained(text)];
    const [before, pieces] =
      isSame || isLong ? [undefined, [{ text: now, isDifferent: false }]] : markDifferences(earlier, now);
    return {
      asked: question && withDirectionContained(question),
      pieces,
      before,
      links: linksIn([text]).map(({ host, address }) => ({ url: address, host })),
    };
  });
}

const proofUrl = (task: TaskId, round: number, index: number) =>
  `/desk/api/proof?task=${encodeURIComponent(task)}&round=${round}&index=${index}`;

function fileOf({ id, round }: Task, file: ProofFile): desk.ProofFile {
  const { contentType, filename } = file;
  const isNamedPicture = isVague(file) && /\.(?:png|jpe?g|gif|webp)$/i.test(filename);
  const isPicture = isNamedPicture || /^image\/(?:png|jpeg|gif|webp)$/.test(contentType);
  return {
    url: proofUrl(id, round, file.index),
    name: plainWords(filename || `File ${file.index}`, longestName),
    kind: isPicture ? 'picture' : contentType === 'application/pdf' ? 'pdf' : 'other',
  };
}
