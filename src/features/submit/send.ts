import type { AccountRef } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { type CallFailure, isCallFailure, isUnsure, MarketplaceError } from '../../marketplace/index.ts';
import { sentenceFor } from '../../marketplace/sentences.ts';
import type { AttachedFile } from '../../slack/feature.ts';
import { date, escaped } from '../../slack/mrkdwn.ts';
import type { SubmitDeps } from './deps.ts';
import { type Draft, type Drafts, moved } from './draft.ts';
import { fieldOf } from './refusal.ts';
import { submittedSentences, unsureSentences } from './submit.view.ts';

const sendMs = 60_000;
const lookMs = 20_000;

/** Clocks differ, and the marketplace's own is behind its datetimes. */
const clockSlackMs = 600_000;

/** Hands in what a worker did: once, and never again where the end of it is unknown. */
export function createSender(deps: SubmitDeps, drafts: Drafts) {
  const { marketplaceOf, messengerOf, logger, now } = deps;

  /** What was done at the marketplace is shown even when it cannot be kept. */
  async function keep(ref: AccountRef, draft: Draft): Promise<Draft> {
    await drafts.save(ref.workspace, draft).catch((error: unknown) => {
      logger.warn({ err: error }, 'the end of a submission for a worker was not kept');
    });
    return draft;
  }

  /** Looks whether the campaign's results show a task like it since it was sent. */
  async function look(ref: AccountRef, draft: Draft): Promise<Draft> {
    const { campaign, worker, proof, sentAt = now() } = draft;
    try {
      const client = await marketplaceOf(ref);
      const { rows } = await client.campaignResults(campaign?.id ?? '', { deadlineMs: lookMs });
      const found = rows.filter(
        (row) =>
          row.workerId === worker &&
          (proof === '' || row.proof.some((slot) => slot.trim() === proof)) &&
          (row.finishedAt === undefined || row.finishedAt.getTime() >= sentAt - clockSlackMs),
      );
      const ids = found.map(({ taskId }) => taskId);
      return moved(draft, 'unsure', { said: unsureSentences(draft, ids) });
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return moved(draft, 'unsure', { said: unsureSentences(draft, undefined) });
    }
  }

  async function failed(ref: AccountRef, sent: Draft, error: CallFailure): Promise<Draft> {
    if (isUnsure(error)) return look(ref, sent);
    const field = error instanceof MarketplaceError ? fieldOf(error.code) : undefined;
    const text = sentenceFor(error, date, escaped);
    return moved(sent, 'form', {
      problems: [field ? { field, text } : { text: `*Nothing was submitted.* ${text}` }],
    });
  }

  /** The draft with the file that goes along, and the file on its way. */
  async function withFile(ref: AccountRef, draft: Draft, added: AttachedFile | undefined) {
    const { attachments } = messengerOf(ref.workspace);
    const taken =
      added === undefined
        ? draft
        : { ...draft, file: await attachments.describe(added), uploads: draft.uploads + 1 };
    return { taken, file: taken.file && (await attachments.open(taken.file)) };
  }

  /** The file cannot be had, for a reason that is told at its input. */
  function withoutFile(draft: Draft, { message }: UserError): Draft {
    const { file: _, ...rest } = draft;
    const bare = { ...rest, uploads: draft.uploads + 1 };
    return moved(bare, 'form', { problems: [{ field: 'file', text: message }] });
  }

  return {
    /**
     * Gives the draft as it stands afterwards. From the first byte on it says that it was sent.
     * @param added a file that takes the place of the one attached before
     */
    async send(ref: AccountRef, draft: Draft, added: AttachedFile | undefined): Promise<Draft> {
      const opened = await withFile(ref, draft, added).catch((error: unknown) => {
        if (error instanceof UserError) return error;
        throw error;
      });
      if (opened instanceof UserError) return keep(ref, withoutFile(draft, opened));
      const { taken, file } = opened;
      try {
        const client = await marketplaceOf(ref);
        const sent: Draft = { ...moved(taken, 'unsure'), sentAt: now() };
        await drafts.save(ref.workspace, sent);
        const { worker: workerId, ip, proof, campaign } = sent;
        try {
          const input = { workerId, ip, proof, ...(file ? { file } : {}) };
          const { taskId } = await client.submitFileProof(campaign?.id ?? '', input, { deadlineMs: sendMs });
          return await keep(ref, moved(sent, 'done', { said: submittedSentences(sent, taskId) }));
        } catch (error) {
          if (!isCallFailure(error)) throw error;
          return await keep(ref, await failed(ref, sent, error));
        }
      } finally {
        file?.stream.destroy();
      }
    },

    async look(ref: AccountRef, draft: Draft): Promise<Draft> {
      return keep(ref, await look(ref, draft));
    },
  };
}
