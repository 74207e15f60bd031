import type { MemberId, WorkspaceId } from '../../../domain/terms.ts';
import type { AuditStep } from '../../../store/audit-entries.ts';
import type { ClaimedText } from '../../../store/drafts.ts';
import type { Modules } from '../../modules.ts';
import type { Draft, DraftCodec } from './draft.ts';

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
    readonly codec: DraftCodec<Page, Values>;
    readonly isWorthResuming: (draft: Draft<Page, Values>) => boolean;
  },
) {
  const nameOf = (id: string) => `${form.name} ${id}`;
  const latestOf = (member: MemberId) => `${form.name} of ${member}`;

  /** Returns undefined for a draft that has expired or cannot be read. */
  async function load(workspace: WorkspaceId, id: string): Promise<Draft<Page, Values> | undefined> {
    const stored = await jobs.expiringTexts.get(workspace, nameOf(id));
    const draft = stored === undefined ? undefined : form.codec.decode(stored);
    if (stored !== undefined && draft === undefined) {
      log.warn({ form: form.name, draft: id }, 'stored draft unreadable');
    }
    return draft;
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
