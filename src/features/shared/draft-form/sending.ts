import { randomUUID } from 'node:crypto';
import type { NewAuditEntry } from '../../../domain/audit.ts';
import type { AccountRef } from '../../../domain/terms.ts';
import { type CallFailure, hasUnknownOutcome, isCallFailure } from '../../../marketplace/index.ts';
import type { AuditStep } from '../../../store/audit-entries.ts';
import type { ClaimedText } from '../../../store/drafts.ts';
import type { Modules } from '../../modules.ts';
import { failureOf } from '../audited-act.ts';
import type { FormDefinition } from './definition.ts';
import { type Draft, nextVersion } from './draft.ts';
import { interruptedSentence, unknownSentences } from './draft-form.view.ts';
import { closeFiles, type createDraftFiles } from './files.ts';
import type { createDraftStore } from './store.ts';
import { createDraftVersions } from './versions.ts';

/** Audit text for a draft found at the marketplace although its call was never answered. */
const foundLater = 'no answer; found when it was looked up';

/** Drafts belong to the workspace: their entries go to its trail, where one Redis step writes both. */
const trailOf = ({ workspace }: AccountRef) => ({ workspace });

/** Creates the sending of drafts: each at most once, without automatic retry after an unknown outcome. */
export function createSending<Page extends string, Values>(
  { audit, jobs, log, clock }: Modules,
  form: FormDefinition<Page, Values>,
  drafts: ReturnType<typeof createDraftStore<Page, Values>>,
  files: ReturnType<typeof createDraftFiles>,
) {
  type FormDraft = Draft<Page, Values>;
  const { wording } = form;
  const versions = createDraftVersions<FormDraft>({
    claimOnce: jobs.claimOnce,
    drafts,
    unknown: (draft) => ({
      ...nextVersion(draft, 'unknown', { sentences: [interruptedSentence(wording, draft)] }),
      sent: { at: clock.now(), before: [] },
    }),
  });

  /** Stores the next version of a draft that may be sent. Returns the other version if another process was first. */
  async function advance(ref: AccountRef, from: FormDraft, to: FormDraft): Promise<FormDraft> {
    return (await versions.advance(ref.workspace, from, to)).draft;
  }

  /** A change made at the marketplace is shown even if it cannot be stored. */
  async function stored(draft: FormDraft, saving: Promise<void>): Promise<FormDraft> {
    await saving.catch((error: unknown) => {
      log.warn({ err: error, form: form.name }, 'result of a form not stored');
    });
    return draft;
  }

  function saveResult(ref: AccountRef, draft: FormDraft, step?: AuditStep): Promise<FormDraft> {
    return stored(draft, drafts.save(ref.workspace, draft, step));
  }

  /** Stores an act's outcome with its audit entry, once: the call may be answered while a lookup finds the same result. */
  function saveEnd(ref: AccountRef, draft: FormDraft, entry: NewAuditEntry): Promise<FormDraft> {
    const { workspace } = ref;
    const claim = (text: ClaimedText) => audit.claim(trailOf(ref), `end ${entry.act}`, entry, text);
    const saving = drafts.saveClaimed(workspace, draft, claim);
    return stored(
      draft,
      saving.then((isFirst) => (isFirst ? undefined : drafts.save(workspace, draft))),
    );
  }

  /**
   * Looks up a draft of unknown outcome, and stores the result.
   * @param isLatest resolves false if the draft has moved on meanwhile; then nothing is stored
   */
  async function lookUp(
    ref: AccountRef,
    draft: FormDraft,
    isLatest: () => Promise<boolean> = async () => true,
  ): Promise<FormDraft | undefined> {
    const found = await form.find(ref, draft).catch((error: unknown) => {
      if (!isCallFailure(error)) throw error;
      return undefined;
    });
    const looked = nextVersion(draft, 'unknown', { sentences: unknownSentences(wording, draft, found) });
    if (!(await isLatest())) return undefined;
    const { sent } = draft;
    if (!found?.isThere || sent?.entry === undefined) return saveResult(ref, looked);
    // The audit gets the entry once, so the draft drops it.
    const { entry, ...rest } = sent;
    const end = { ...entry, ...found.end, stage: 'done', answer: foundLater } as const;
    return saveEnd(ref, { ...looked, sent: rest }, end);
  }

  async function afterFailure(
    ref: AccountRef,
    sent: FormDraft,
    act: NewAuditEntry,
    error: CallFailure,
  ): Promise<FormDraft> {
    log.warn({ err: error, form: form.name }, 'form not accepted');
    const end = { ...act, ...failureOf(error) };
    if (hasUnknownOutcome(error)) {
      await saveResult(ref, sent, audit.step(trailOf(ref), end));
      return (await lookUp(ref, sent)) ?? sent;
    }
    const { problems, isFinal = false } = await form.refused(ref, sent, error);
    const refused = {
      ...nextVersion(sent, form.pageOf(problems), { problems }),
      isRefusedForGood: isFinal,
    };
    return saveEnd(ref, refused, end);
  }

  /**
   * Sends a draft and returns its state afterwards. It is stored as sent before the first byte leaves; if it moved on
   * before that, nothing is sent.
   * @param by who sends it and how, for the audit
   * @param onClaimed runs once sending is certain
   */
  async function sendOnce(
    ref: AccountRef,
    draft: FormDraft,
    by: Pick<NewAuditEntry, 'by' | 'how' | 'member'> = { by: draft.member, how: 'form' },
    onClaimed: () => Promise<void> = async () => undefined,
  ): Promise<FormDraft> {
    const opened = await files.open(ref.workspace, draft, form.filesToSend(draft));
    if ('text' in opened) {
      return advance(ref, draft, nextVersion(draft, form.pageOf([opened]), { problems: [opened] }));
    }
    try {
      const { before = [], entry, send } = await form.prepare(ref, draft, opened.files);
      const act = {
        ...entry,
        ...by,
        account: ref.account,
        act: randomUUID(),
      } as const;
      const trail = trailOf(ref);
      const unknown: FormDraft = {
        ...nextVersion(draft, 'unknown'),
        sent: { at: clock.now(), before, entry: act },
      };
      const claim = (name: string) =>
        drafts.saveClaimed(ref.workspace, unknown, (text) =>
          audit.claim(trail, name, { ...act, stage: 'claimed' }, text),
        );
      const { draft: sent, isMine } = await versions.advance(ref.workspace, draft, unknown, claim);
      if (!isMine) return sent;
      await onClaimed();
      try {
        const { sentences, end } = await send();
        const done = { ...act, stage: 'done', answer: 'OK', ...end } as const;
        return await saveEnd(ref, nextVersion(sent, 'done', { sentences }), done);
      } catch (error) {
        if (!isCallFailure(error)) {
          await audit.append(trail, { ...act, ...failureOf(error) }).catch(() => undefined);
          throw error;
        }
        return await afterFailure(ref, sent, act, error);
      }
    } finally {
      closeFiles(opened.files);
    }
  }

  return {
    advance,
    sendOnce,

    /** Looks up a draft of unknown outcome. Returns its current state, which may have moved on meanwhile. */
    async look(ref: AccountRef, draft: FormDraft): Promise<FormDraft> {
      const loadLatest = () => drafts.load(ref.workspace, draft.id);
      const looked = await lookUp(ref, draft, async () => {
        const latest = await loadLatest();
        return latest === undefined || latest.version === draft.version;
      });
      return looked ?? (await loadLatest()) ?? draft;
    },
  };
}
