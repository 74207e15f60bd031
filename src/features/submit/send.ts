import { type AccountRef, WorkerId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { incompleteAnswer } from '../../marketplace/index.ts';
import type { OpenFiles, SentDraft } from '../../ui/draft.ts';
import type { SubmissionDraft } from './draft.ts';
import { foundSentence, submittedSentences } from './submit.view.ts';

const sendTimeoutMs = 60_000;
const findTimeoutMs = 20_000;

/** Clocks differ, and the marketplace's datetimes lag behind. */
const clockToleranceMs = 600_000;

/** Creates the sending of drafts, and the check whether one became a task. */
export function createProofSender({ marketplace, clock }: Modules) {
  return {
    async prepare(ref: AccountRef, draft: SubmissionDraft, { file }: OpenFiles) {
      const client = await marketplace.of(ref);
      const { campaign, worker: workerId, ip, proof } = draft.values;
      const input = { workerId, ip, proof, ...(file ? { file } : {}) };
      return {
        entry: {
          what: 'submit',
          ...(campaign ? { campaign: campaign.id } : {}),
          worker: WorkerId.parse(workerId),
        } as const,
        async send(): Promise<SentDraft> {
          const { taskId } = await client.submitFileProof(campaign?.id ?? '', input, {
            deadlineMs: sendTimeoutMs,
          });
          return { sentences: submittedSentences(draft, taskId), end: { task: taskId } };
        },
      };
    },

    async find(ref: AccountRef, { values, sent }: SubmissionDraft) {
      const { campaign, worker, proof } = values;
      const since = (sent?.at ?? clock.now()) - clockToleranceMs;
      const client = await marketplace.of(ref);
      const { rows, problems } = await client.campaignResults(campaign?.id ?? '', {
        deadlineMs: findTimeoutMs,
      });
      const found = rows.filter(
        (row) =>
          row.workerId === worker &&
          (proof === '' || row.proof.some((slot) => slot.trim() === proof)) &&
          (row.finishedAt === undefined || row.finishedAt.getTime() >= since),
      );
      if (found.length === 0 && problems.length > 0) throw incompleteAnswer('campaignResults');
      const ids = found.map(({ taskId }) => taskId);
      const end = ids.length === 1 && ids[0] ? { task: ids[0] } : {};
      return { isThere: found.length > 0, sentence: foundSentence(ids), end };
    },
  };
}
