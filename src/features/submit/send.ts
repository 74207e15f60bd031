import type { AccountRef } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { type CallFailure, isCallFailure, isUnsure, MarketplaceError } from '../../marketplace/index.ts';
import type { AttachedFile } from '../../slack/feature.ts';
import { createTurns } from '../../slack/turns.ts';
import { marketplaceErrorText } from '../shared/marketplace-error.ts';
import type { SubmitDeps } from './deps.ts';
import { type Draft, type Drafts, moved } from './draft.ts';
import { fieldOf } from './refusal.ts';
import { interruptedSentence, submittedSentences, unsureSentences } from './submit.view.ts';

const sendMs = 60_000;
const lookMs = 20_000;

/** Clocks differ, and the marketplace's own is behind its datetimes. */
const clockSlackMs = 600_000;

/** Hands in what a worker did: once, and never again where the end of it is unknown. */
export function createSender(deps: SubmitDeps, drafts: Drafts) {
  const { marketplaceOf, messengerOf, once, logger, now } = deps;
  const turns = createTurns({
    once,
    drafts,
    unknown: (draft: Draft) => ({
      ...moved(draft, 'unsure', { said: [interruptedSentence(draft)] }),
      sentAt: now(),
    }),
  });

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
    const text = marketplaceErrorText(error);
    return moved(sent, 'form', {
      problems: [field ? { field, text } : { text: `*Nothing was submitted.* ${text}` }],
    });
  }

  /** Runs what may be refused for a reason of the file. */
  async function trying<T>(run: () => Promise<T>): Promise<T | UserError> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof UserError) return error;
      throw error;
    }
  }

  /** The file cannot be had, for a reason that is told at its input. */
  function withoutFile(draft: Draft, { message }: UserError): Draft {
    const { file: _, ...rest } = draft;
    const bare = { ...rest, uploads: draft.uploads + 1 };
    return moved(bare, 'form', { problems: [{ field: 'file', text: message }] });
  }

  /** The draft after it has left the form, from which it may be sent. */
  async function leave(ref: AccountRef, from: Draft, to: Draft): Promise<Draft> {
    return (await turns.leave(ref.workspace, from, to)).draft;
  }

  return {
    leave,

    /** The draft with a file that takes the place of the one attached before, or a page that says why it has none. */
    async take(ref: AccountRef, draft: Draft, added: AttachedFile | undefined) {
      if (added === undefined) return { taken: draft };
      const file = await trying(() => messengerOf(ref.workspace).attachments.describe(added));
      if (file instanceof UserError) return { refused: withoutFile(draft, file) };
      return { taken: { ...draft, file, uploads: draft.uploads + 1 } };
    },

    /**
     * Gives the draft as it stands afterwards. From the first byte on it says that it was sent; where the draft has
     * gone on otherwise before that, nothing is sent.
     */
    async send(ref: AccountRef, draft: Draft): Promise<Draft> {
      const { attachments } = messengerOf(ref.workspace);
      const file = await trying(async () => draft.file && attachments.open(draft.file));
      if (file instanceof UserError) return leave(ref, draft, withoutFile(draft, file));
      try {
        const client = await marketplaceOf(ref);
        const unsure: Draft = { ...moved(draft, 'unsure'), sentAt: now() };
        const { draft: sent, isMine } = await turns.leave(ref.workspace, draft, unsure);
        if (!isMine) return sent;
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

    /** Looks once more. Gives the draft as it stands then: somebody may have gone on with it meanwhile. */
    async look(ref: AccountRef, draft: Draft): Promise<Draft> {
      const looked = await look(ref, draft);
      const latest = await drafts.load(ref.workspace, draft.id);
      return latest === undefined || latest.turn === draft.turn ? keep(ref, looked) : latest;
    },
  };
}
