import { randomUUID } from 'node:crypto';
import type { AccountRef, WorkspaceId } from '../../../domain/terms.ts';
import { type CallFailure, hasUnknownOutcome, isCallFailure } from '../../../marketplace/index.ts';
import { auditedAct } from '../audited-act.ts';
import type { DraftFormContext, FormDefinition } from './definition.ts';
import { type Draft, nextVersion } from './draft.ts';
import { interruptedSentence, unknownSentences } from './draft-form.view.ts';
import { closeFiles, type createDraftFiles } from './files.ts';
import type { createDraftStore } from './store.ts';
import { createDraftVersions } from './versions.ts';

/** Sends drafts to the marketplace: once each, and never again by itself where the outcome is unknown. */
export function createSending<Page extends string, Values>(
  { audit, claimOnce, logger, now }: DraftFormContext,
  form: FormDefinition<Page, Values>,
  drafts: ReturnType<typeof createDraftStore<Page, Values>>,
  files: ReturnType<typeof createDraftFiles>,
) {
  type FormDraft = Draft<Page, Values>;
  const { wording } = form;
  const versions = createDraftVersions<FormDraft>({
    claimOnce,
    drafts,
    unknown: (draft) => ({
      ...nextVersion(draft, 'unknown', { sentences: [interruptedSentence(wording, draft)] }),
      sent: { at: now(), before: [] },
    }),
  });

  /** Stores the next version of a draft that may be sent. Returns another's version when they were first. */
  async function advance(ref: AccountRef, from: FormDraft, to: FormDraft): Promise<FormDraft> {
    return (await versions.advance(ref.workspace, from, to)).draft;
  }

  /** What was done at the marketplace is shown even when it cannot be stored. */
  async function saveResult(ref: AccountRef, draft: FormDraft): Promise<FormDraft> {
    await drafts.save(ref.workspace, draft).catch((error: unknown) => {
      logger.warn({ err: error, form: form.name }, 'result of a form not stored');
    });
    return draft;
  }

  async function lookUp(ref: AccountRef, draft: FormDraft): Promise<FormDraft> {
    const found = await form.find(ref, draft).catch((error: unknown) => {
      if (!isCallFailure(error)) throw error;
      return undefined;
    });
    return nextVersion(draft, 'unknown', { sentences: unknownSentences(wording, draft, found) });
  }

  async function afterFailure(ref: AccountRef, sent: FormDraft, error: CallFailure): Promise<FormDraft> {
    logger.warn({ err: error, form: form.name }, 'form not accepted');
    if (hasUnknownOutcome(error)) return lookUp(ref, sent);
    const { problems, isFinal = false } = await form.refused(ref, sent, error);
    return { ...nextVersion(sent, form.pageOf(problems), { problems }), isRefusedForGood: isFinal };
  }

  /**
   * Sends a draft and returns it as it stands afterwards. From the first byte on it is stored as sent; where it has
   * moved on before that, nothing is sent.
   */
  async function sendOnce(ref: AccountRef, draft: FormDraft): Promise<FormDraft> {
    const opened = await files.open(ref.workspace, draft, form.filesToSend(draft));
    if ('text' in opened) {
      return advance(ref, draft, nextVersion(draft, form.pageOf([opened]), { problems: [opened] }));
    }
    try {
      const { before = [], entry, send } = await form.prepare(ref, draft, opened.files);
      const act = {
        ...entry,
        by: draft.member,
        how: 'form',
        account: ref.account,
        act: randomUUID(),
      } as const;
      // Drafts are the workspace's: their entries are in its trail, where one step writes both.
      const trail = { workspace: ref.workspace };
      const claim = (_: WorkspaceId, name: string) => audit.claim(trail, name, { ...act, stage: 'claimed' });
      const unknown: FormDraft = { ...nextVersion(draft, 'unknown'), sent: { at: now(), before } };
      const { draft: sent, isMine } = await versions.advance(ref.workspace, draft, unknown, claim);
      if (!isMine) return sent;
      try {
        const { sentences } = await auditedAct({ audit, logger }, trail, act, send, ({ end }) => end);
        return await saveResult(ref, nextVersion(sent, 'done', { sentences }));
      } catch (error) {
        if (!isCallFailure(error)) throw error;
        return await saveResult(ref, await afterFailure(ref, sent, error));
      }
    } finally {
      closeFiles(opened.files);
    }
  }

  return {
    advance,
    sendOnce,

    /** Looks for a draft of unknown outcome. Returns the draft as it is by then: it may have moved on meanwhile. */
    async look(ref: AccountRef, draft: FormDraft): Promise<FormDraft> {
      const looked = await lookUp(ref, draft);
      const latest = await drafts.load(ref.workspace, draft.id);
      return latest === undefined || latest.version === draft.version ? saveResult(ref, looked) : latest;
    },
  };
}
