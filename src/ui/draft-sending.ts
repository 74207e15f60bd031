import { randomUUID } from 'node:crypto';
import type { NewAuditEntry } from '../domain/audit.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../domain/terms.ts';
import { failureOf } from '../kit/marketplace-act.ts';
import type { Modules } from '../kit/modules.ts';
import { type CallFailure, hasUnknownOutcome, isCallFailure } from '../marketplace/index.ts';
import type { AuditStep } from '../store/audit.ts';
import type { Codec } from '../store/format.ts';
import { closeFiles, type createDraftFiles, type Draft, type FormDefinition, nextVersion } from './draft.ts';
import { unknownSentences } from './draft-form.view.ts';

/** Audit text for a draft found at the marketplace although its call was never answered. */
const foundLater = 'no answer; found when it was looked up';

/** Drafts belong to the workspace: their entries go to its trail, where one Redis step writes both. */
const trailOf = ({ workspace }: AccountRef) => ({ workspace });

/** Creates the sending of drafts: each at most once, without automatic retry after an unknown outcome. */
export function createSending<Page extends string, Values>(
  { audit, log, clock }: Modules,
  form: FormDefinition<Page, Values>,
  drafts: ReturnType<typeof createDraftStore<Page, Values>>,
  files: ReturnType<typeof createDraftFiles>,
) {
  type FormDraft = Draft<Page, Values>;
  const { wording } = form;

  /** Stores the next version of a draft. Returns the other version if another modal or process was first. */
  async function advance(ref: AccountRef, from: FormDraft, to: FormDraft): Promise<FormDraft> {
    return (await drafts.replace(ref.workspace, from, to)).draft;
  }

  /** Stores a result. A change made at the marketplace is shown even if that fails. */
  async function stored(
    draft: FormDraft,
    saving: Promise<{ readonly draft: FormDraft }>,
  ): Promise<FormDraft> {
    try {
      return (await saving).draft;
    } catch (error) {
      log.warn({ err: error, form: form.name }, 'result of a form not stored');
      return draft;
    }
  }

  /** Looks up a draft of unknown outcome. Returns its current state, which may have moved on meanwhile. */
  async function lookUp(ref: AccountRef, draft: FormDraft): Promise<FormDraft> {
    const found = await form.find(ref, draft).catch((error: unknown) => {
      if (!isCallFailure(error)) throw error;
      return undefined;
    });
    const looked = nextVersion(draft, 'unknown', { sentences: unknownSentences(wording, draft, found) });
    const { sent } = draft;
    if (!found?.isThere || sent?.entry === undefined)
      return stored(looked, drafts.replace(ref.workspace, draft, looked));
    // The audit gets the entry once, so the draft drops it.
    const { entry, ...rest } = sent;
    const end = audit.step(trailOf(ref), { ...entry, ...found.end, stage: 'done', answer: foundLater });
    const known = { ...looked, sent: rest };
    return stored(known, drafts.replace(ref.workspace, draft, known, end));
  }

  async function afterFailure(
    ref: AccountRef,
    sent: FormDraft,
    act: NewAuditEntry,
    error: CallFailure,
  ): Promise<FormDraft> {
    log.warn({ err: error, form: form.name }, 'form not accepted');
    const step = audit.step(trailOf(ref), { ...act, ...failureOf(error) });
    if (hasUnknownOutcome(error))
      return lookUp(ref, await stored(sent, drafts.end(ref.workspace, sent, step)));
    const problems = form.refused(sent, error);
    const refused = nextVersion(sent, form.pageOf(problems), { problems });
    return stored(refused, drafts.end(ref.workspace, refused, step));
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
      const act = { ...entry, ...by, account: ref.account, act: randomUUID() } as const;
      const trail = trailOf(ref);
      const claim = audit.step(trail, { ...act, stage: 'claimed' });
      const unknown: FormDraft = {
        ...nextVersion(draft, 'unknown'),
        sent: { at: clock.now(), before, entry: act },
      };
      const { draft: sent, isMine } = await drafts.replace(ref.workspace, draft, unknown, claim);
      if (!isMine) return sent;
      await onClaimed();
      try {
        const { sentences, end } = await send();
        const step = audit.step(trail, { ...act, stage: 'done', answer: 'OK', ...end });
        const done = nextVersion(sent, 'done', { sentences });
        return await stored(done, drafts.end(ref.workspace, done, step));
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

  return { advance, sendOnce, lookUp };
}

/** A draft expires a day after its last change, plus an hour, because an approval may take the whole day. */
const expirySeconds = 25 * 3_600;

/**
 * Creates the store of one form's drafts, which are too long for modal state.
 * @param form.name prefix of the stored names
 * @param form.isWorthResuming whether enough was filled in to offer the draft later
 */
export function createDraftStore<Page extends string, Values>(
  { jobs, log }: Modules,
  form: {
    readonly name: string;
    readonly codec: Codec<Draft<Page, Values>>;
    readonly isWorthResuming: (draft: Draft<Page, Values>) => boolean;
  },
) {
  type FormDraft = Draft<Page, Values>;
  const nameOf = (id: string) => `${form.name} ${id}`;
  const latestOf = (member: MemberId) => `${form.name} of ${member}`;

  /** Returns a draft, and its text in Redis; no draft if it has expired or cannot be read. */
  async function read(workspace: WorkspaceId, id: string) {
    const text = await jobs.expiringTexts.get(workspace, nameOf(id));
    if (text === undefined) return { text };
    const decoded = form.codec.decode(text);
    if (decoded.ok) return { text, draft: decoded.value };
    log.warn({ form: form.name, draft: id, reason: decoded.reason }, 'stored draft unreadable');
    return { text };
  }

  const load = async (workspace: WorkspaceId, id: string) => (await read(workspace, id)).draft;

  /** Stores a draft, unless it has changed since it was read. @param step an audit entry added in the same Redis step */
  async function swap(
    workspace: WorkspaceId,
    before: string | undefined,
    draft: FormDraft,
    step: AuditStep | undefined,
  ): Promise<boolean> {
    const text = form.codec.encode(draft);
    const isStored = await jobs.expiringTexts.swap(
      workspace,
      nameOf(draft.id),
      { before, text, seconds: expirySeconds },
      step,
    );
    if (isStored && form.isWorthResuming(draft))
      await jobs.expiringTexts.put(workspace, latestOf(draft.member), draft.id, expirySeconds);
    return isStored;
  }

  return {
    load,

    /**
     * Stores a draft in place of one of its versions: what one modal or process sends, no other sends or takes back. If
     * another was first, `isMine` is false, and `draft` is theirs.
     */
    async replace(workspace: WorkspaceId, from: FormDraft, to: FormDraft, step?: AuditStep) {
      for (;;) {
        const { text, draft } = await read(workspace, from.id);
        if (draft !== undefined && draft.version !== from.version) return { draft, isMine: false };
        if (await swap(workspace, text, to, step)) return { draft: to, isMine: true };
      }
    },

    /** Stores the end of a sent draft, with its audit entry unless it was found there meanwhile. */
    async end(workspace: WorkspaceId, draft: FormDraft, step: AuditStep) {
      for (;;) {
        const { text, draft: latest } = await read(workspace, draft.id);
        const isFound = latest?.sent?.at === draft.sent?.at && latest?.sent?.entry === undefined;
        if (await swap(workspace, text, draft, isFound ? undefined : step)) return { draft };
      }
    },

    async discard(workspace: WorkspaceId, member: MemberId, id: string): Promise<void> {
      await jobs.expiringTexts.remove(workspace, nameOf(id));
      if ((await jobs.expiringTexts.get(workspace, latestOf(member))) === id)
        await jobs.expiringTexts.remove(workspace, latestOf(member));
    },

    /** Returns the member's latest draft, unless it is finished. */
    async unfinished(workspace: WorkspaceId, member: MemberId): Promise<FormDraft | undefined> {
      const id = await jobs.expiringTexts.get(workspace, latestOf(member));
      const latest = id === undefined ? undefined : await load(workspace, id);
      if (latest === undefined || latest.step === 'done') return undefined;
      return form.isWorthResuming(latest) ? latest : undefined;
    },
  };
}
