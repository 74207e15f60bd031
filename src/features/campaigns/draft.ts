import { randomUUID } from 'node:crypto';
import type { NewAuditEntry } from '../../domain/audit.ts';
import type { AccountRef, MemberId, WorkspaceId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { failureOf } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { hasUnknownOutcome, isCallFailure } from '../../marketplace/index.ts';
import type { OpenAttachment } from '../../slack/files.ts';
import { attached, type Values as InputValues } from '../../slack/form-values.ts';
import type { AuditStep } from '../../store/audit.ts';
import { createCodec } from '../../store/format.ts';
import { CampaignDraft, firstPageOf, nextVersion, type Problem, withoutFile } from './create-fields.ts';
import type { CampaignSender, FoundDraft } from './create-send.ts';
import { noAnswerYet, unknownSentences } from './draft.view.ts';

/** Runs an action that a file may cause to fail. Returns such a failure as a problem of the file's field. */
export async function tryFile<T>(field: string, run: () => Promise<T>): Promise<T | Problem> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UserError) return { field, text: error.message };
    throw error;
  }
}

export type Drafts = ReturnType<typeof createDrafts>;

/** Audit text for a draft found at the marketplace although its call was never answered. */
const foundLater = 'no answer; found when it was looked up';

/** A draft expires a day after its last change, plus an hour, because an approval may take the whole day. */
const expirySeconds = 25 * 3_600;

const draftCodec = createCodec('draft', CampaignDraft);

const nameOf = (id: string) => `new-campaign ${id}`;
const latestOf = (member: MemberId) => `new-campaign of ${member}`;

/** Creates the drafts of new campaigns: stored, as they are too long for modal state, and sent at most once. */
export function createDrafts({ audit, clock, jobs, log, slack }: Modules, sender: CampaignSender) {
  const { expiringTexts } = jobs;

  /** Returns a draft, and its text in Redis; no draft if it has expired or cannot be read. */
  async function read(workspace: WorkspaceId, id: string) {
    const text = (await expiringTexts.get(workspace, nameOf(id))) ?? '';
    if (text === '') return { text };
    const decoded = draftCodec.decode(text);
    if (decoded.ok) return { text, draft: decoded.value };
    log.warn({ draft: id, reason: decoded.reason }, 'stored draft unreadable');
    return { text };
  }

  const load = async (workspace: WorkspaceId, id: string) => (await read(workspace, id)).draft;

  /** Stores a draft, unless it has changed since it was read. @param step an audit entry added in the same Redis step */
  async function swap(workspace: WorkspaceId, before: string, draft: CampaignDraft, step?: AuditStep) {
    const texts = [before, draftCodec.encode(draft)] as const;
    const isStored = await expiringTexts.swap(workspace, nameOf(draft.id), texts, expirySeconds, step);
    // From the second page on, there is something to resume.
    if (isStored && draft.version > 0)
      await expiringTexts.put(workspace, latestOf(draft.member), draft.id, expirySeconds);
    return isStored;
  }

  /**
   * Stores a draft in place of one of its versions: what one modal or process sends, no other sends or takes back. If
   * another was first, `isMine` is false, and `draft` is theirs.
   */
  async function replace(
    { workspace }: AccountRef,
    from: CampaignDraft,
    to: CampaignDraft,
    step?: AuditStep,
  ) {
    for (;;) {
      const { text, draft } = await read(workspace, from.id);
      if (draft !== undefined && draft.version !== from.version) return { draft, isMine: false };
      if (await swap(workspace, text, to, step)) return { draft: to, isMine: true };
    }
  }

  /** Stores the next version of a draft. Returns the other version if another modal or process was first. */
  const advance = async (ref: AccountRef, from: CampaignDraft, to: CampaignDraft) =>
    (await replace(ref, from, to)).draft;

  /**
   * Stores the end of a sent draft, with its audit entry unless it was found there meanwhile. A change made at the
   * marketplace is shown even if that fails.
   */
  async function end(
    { workspace }: AccountRef,
    draft: CampaignDraft,
    step: AuditStep,
  ): Promise<CampaignDraft> {
    try {
      for (;;) {
        const { text, draft: latest } = await read(workspace, draft.id);
        const isFound = latest?.sent?.at === draft.sent?.at && latest?.sent?.entry === undefined;
        if (await swap(workspace, text, draft, isFound ? undefined : step)) return draft;
      }
    } catch (error) {
      log.warn({ err: error, draft: draft.id }, 'result of a form not stored');
      return draft;
    }
  }

  /** Looks for a sent draft. Returns undefined if the marketplace cannot be read. */
  async function find(ref: AccountRef, draft: CampaignDraft): Promise<FoundDraft | undefined> {
    return sender.find(ref, draft).catch((error: unknown) => {
      if (!isCallFailure(error)) throw error;
      return undefined;
    });
  }

  /** Drafts belong to the workspace: their entries go to its trail, where one Redis step writes both. */
  const stepOf = ({ workspace }: AccountRef, entry: NewAuditEntry) => audit.step({ workspace }, entry);

  /** Looks up a draft of unknown outcome. Returns its current state, which may have moved on meanwhile. */
  async function lookUp(ref: AccountRef, draft: CampaignDraft): Promise<CampaignDraft> {
    const found = await find(ref, draft);
    const looked = nextVersion(draft, 'unknown', { sentences: unknownSentences(draft, found) });
    if (!found?.isThere || draft.sent?.entry === undefined) return advance(ref, draft, looked);
    // The audit gets the entry once, so the draft drops it.
    const { entry, ...sent } = draft.sent;
    const step = stepOf(ref, { ...entry, ...found.end, stage: 'done', answer: foundLater });
    return (await replace(ref, draft, { ...looked, sent }, step)).draft;
  }

  return {
    load,
    replace,
    advance,
    find,
    lookUp,

    async discard(workspace: WorkspaceId, id: string): Promise<void> {
      await expiringTexts.remove(workspace, nameOf(id));
    },

    /** Returns the member's latest draft, unless it is finished. */
    async unfinished(workspace: WorkspaceId, member: MemberId): Promise<CampaignDraft | undefined> {
      const id = await expiringTexts.get(workspace, latestOf(member));
      const latest = id === undefined ? undefined : await load(workspace, id);
      return latest?.step === 'done' ? undefined : latest;
    },

    /**
     * Returns a draft with the files attached in the open page, which replace earlier ones, and with their problems. Slack
     * stores their bytes; a draft holds only what is needed to fetch them.
     */
    async attach(
      { workspace }: AccountRef,
      draft: CampaignDraft,
      inputs: InputValues,
    ): Promise<CampaignDraft> {
      let next: CampaignDraft = { ...draft, problems: [] };
      for (const id of Object.keys(inputs)) {
        const [file] = attached(inputs, id);
        const [name = ''] = id.split('.');
        if (file === undefined || file.id === draft.files[name]?.id) continue;
        next = withoutFile(next, name);
        const taken = await tryFile(name, () => slack.messengerOf(workspace).attachments.describe(file));
        if ('text' in taken) next = { ...next, problems: [...next.problems, taken] };
        else next = { ...next, files: { ...next.files, [name]: taken } };
      }
      return next;
    },

    /**
     * Sends a draft, without automatic retry after an unknown outcome, and returns its state afterwards. It is stored as
     * sent before the first byte leaves; if it moved on before that, nothing is sent.
     * @param by who sends it and how, for the audit
     * @param onClaimed runs once sending is certain
     */
    async sendOnce(
      ref: AccountRef,
      draft: CampaignDraft,
      by: Pick<NewAuditEntry, 'by' | 'how' | 'member'> = { by: draft.member, how: 'form' },
      onClaimed: () => Promise<void> = async () => undefined,
    ): Promise<CampaignDraft> {
      const files: Record<string, OpenAttachment> = {};
      const returned = (from: CampaignDraft, problems: readonly Problem[]) =>
        nextVersion(from, firstPageOf(problems), { problems });
      try {
        for (const [name, file] of Object.entries(draft.files)) {
          const opened = await tryFile(name, () => slack.messengerOf(ref.workspace).attachments.open(file));
          if ('text' in opened) return await advance(ref, draft, returned(draft, [opened]));
          files[name] = opened;
        }
        const { before, entry, send } = await sender.prepare(ref, draft, files);
        const act = { ...entry, ...by, account: ref.account, act: randomUUID() };
        const at = clock.now();
        const sentences = [noAnswerYet(draft, at)];
        const claimed = nextVersion(draft, 'unknown', { sent: { at, before, entry: act }, sentences });
        const claim = stepOf(ref, { ...act, stage: 'claimed' });
        const { draft: sent, isMine } = await replace(ref, draft, claimed, claim);
        if (!isMine) return sent;
        await onClaimed();
        try {
          const { sentences, end: fields } = await send();
          const step = stepOf(ref, { ...act, stage: 'done', answer: 'OK', ...fields });
          return await end(ref, nextVersion(sent, 'done', { sentences }), step);
        } catch (error) {
          log.warn({ err: error, draft: draft.id }, 'form not accepted');
          const step = stepOf(ref, { ...act, ...failureOf(error) });
          if (isCallFailure(error) && !hasUnknownOutcome(error))
            return await end(ref, returned(sent, sender.refused(sent, error)), step);
          const unknown = await end(ref, sent, step);
          if (!isCallFailure(error)) throw error;
          return await lookUp(ref, unknown);
        }
      } finally {
        // Those that were not read to the end.
        for (const { stream } of Object.values(files)) stream.destroy();
      }
    },
  };
}
