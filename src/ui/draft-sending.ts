import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { NewAuditEntry } from '../domain/audit.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../domain/terms.ts';
import { failureOf } from '../kit/marketplace-act.ts';
import type { Modules } from '../kit/modules.ts';
import { type CallFailure, hasUnknownOutcome, isCallFailure } from '../marketplace/index.ts';
import type { AuditStep } from '../store/audit.ts';
import type { Codec } from '../store/codec.ts';
import type { ClaimedText } from '../store/drafts.ts';
import { closeFiles, type createDraftFiles, type Draft, type FormDefinition, nextVersion } from './draft.ts';
import { interruptedSentence, unknownSentences } from './draft-form.view.ts';

/** Delays while waiting for the version of another process, which is stored right away (ms). */
const pausesMs = [50, 150, 400, 900];

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

  /**
   * Stores the next version of a draft that may be sent. Each has one: what one modal or process sends, no other sends or
   * takes back. If another process was first, `isMine` is false, and `draft` is theirs.
   * @param claim claims `from` and stores `to`; when something is sent, with an audit entry
   */
  async function takeTurn(
    { workspace }: AccountRef,
    from: FormDraft,
    to: FormDraft,
    claim = async (name: string) => {
      if (!(await jobs.claimOnce(workspace, name))) return false;
      await drafts.save(workspace, to);
      return true;
    },
  ): Promise<{ readonly draft: FormDraft; readonly isMine: boolean }> {
    if (await claim(`turn ${from.id} ${from.version}`)) return { draft: to, isMine: true };
    for (const pause of pausesMs) {
      const latest = await drafts.load(workspace, from.id);
      if (latest !== undefined && latest.version !== from.version) return { draft: latest, isMine: false };
      await delay(pause);
    }
    // The winner died before storing anything, or hangs; it may have been about to send.
    const sentences = [interruptedSentence(wording, from)];
    const sent = { at: clock.now(), before: [] };
    const draft = { ...nextVersion(from, 'unknown', { sentences }), sent };
    await drafts.save(workspace, draft);
    return { draft, isMine: false };
  }

  /** Stores the next version of a draft that may be sent. Returns the other version if another process was first. */
  async function advance(ref: AccountRef, from: FormDraft, to: FormDraft): Promise<FormDraft> {
    return (await takeTurn(ref, from, to)).draft;
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
      const { draft: sent, isMine } = await takeTurn(ref, draft, unknown, claim);
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
  const nameOf = (id: string) => `${form.name} ${id}`;
  const latestOf = (member: MemberId) => `${form.name} of ${member}`;

  /** Returns undefined for a draft that has expired or cannot be read. */
  async function load(workspace: WorkspaceId, id: string): Promise<Draft<Page, Values> | undefined> {
    const stored = await jobs.expiringTexts.get(workspace, nameOf(id));
    if (stored === undefined) return undefined;
    const decoded = form.codec.decode(stored);
    if (decoded.ok) return decoded.value;
    log.warn({ form: form.name, draft: id, reason: decoded.reason }, 'stored draft unreadable');
    return undefined;
  }

  async function recordLatest(workspace: WorkspaceId, draft: Draft<Page, Values>): Promise<void> {
    if (form.isWorthResuming(draft))
      await jobs.expiringTexts.put(workspace, latestOf(draft.member), draft.id, expirySeconds);
  }

  return {
    load,

    /** @param step an audit entry added in the same Redis step */
    async save(workspace: WorkspaceId, draft: Draft<Page, Values>, step?: AuditStep): Promise<void> {
      await jobs.expiringTexts.put(
        workspace,
        nameOf(draft.id),
        form.codec.encode(draft),
        expirySeconds,
        step,
      );
      await recordLatest(workspace, draft);
    },

    /**
     * Stores a draft in the step that claims it.
     * @param claim resolves false, and stores nothing, if another process has claimed it
     */
    async saveClaimed(
      workspace: WorkspaceId,
      draft: Draft<Page, Values>,
      claim: (text: ClaimedText) => Promise<boolean>,
    ): Promise<boolean> {
      const text = form.codec.encode(draft);
      const isMine = await claim(
        jobs.expiringTexts.claimedWith(workspace, nameOf(draft.id), text, expirySeconds),
      );
      if (isMine) await recordLatest(workspace, draft);
      return isMine;
    },

    async discard(workspace: WorkspaceId, member: MemberId, id: string): Promise<void> {
      await jobs.expiringTexts.remove(workspace, nameOf(id));
      if ((await jobs.expiringTexts.get(workspace, latestOf(member))) === id)
        await jobs.expiringTexts.remove(workspace, latestOf(member));
    },

    /** Returns the member's latest draft, unless it is finished or can never be accepted. */
    async unfinished(workspace: WorkspaceId, member: MemberId): Promise<Draft<Page, Values> | undefined> {
      const id = await jobs.expiringTexts.get(workspace, latestOf(member));
      const latest = id === undefined ? undefined : await load(workspace, id);
      if (latest === undefined || latest.step === 'done' || latest.isRefusedForGood) return undefined;
      return form.isWorthResuming(latest) ? latest : undefined;
    },
  };
}
