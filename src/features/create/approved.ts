import type { ActOfKind } from '../../domain/approval.ts';
import type { AccountRef, WorkspaceId } from '../../domain/terms.ts';
import type { ActOutcome, ApprovedAct, ApprovedBy } from '../../kit/spending.ts';
import { isCallFailure } from '../../marketplace/index.ts';
import type { CampaignDraft } from './draft.ts';
import { parsePayment, parseWholeNumber } from './payment.ts';
import { changedSince, draftGone } from './result.view.ts';

/** Returns the spending of creating a checked draft's campaign. */
export function createAct({ id, version, values }: CampaignDraft): ActOfKind<'create'> {
  const payment = parsePayment(values.payment);
  return {
    kind: 'create',
    title: values.title,
    positions: parseWholeNumber(values.positions) ?? 0,
    payment: 'amount' in payment ? payment.amount.toFixed() : '0',
    draft: id,
    // The version in which it is kept until the approval.
    version: version + 1,
  };
}

/** The parts of the form that send drafts. */
interface Sender {
  load(workspace: WorkspaceId, id: string): Promise<CampaignDraft | undefined>;
  sendOnce(ref: AccountRef, draft: CampaignDraft, by: ApprovedBy): Promise<CampaignDraft>;
  look(ref: AccountRef, draft: CampaignDraft): Promise<CampaignDraft>;
  find(
    ref: AccountRef,
    draft: CampaignDraft,
  ): Promise<{ readonly isThere: boolean; readonly sentence: string }>;
}

/** Creates the approved act of creating a campaign: sends its draft, once. */
export function createApproved({ load, sendOnce, look, find }: Sender): ApprovedAct<ActOfKind<'create'>> {
  return {
    async current({ workspace }, act) {
      const draft = await load(workspace, act.draft);
      if (draft === undefined) return { canceled: draftGone };
      return isAsAsked(draft, act) ? act : { canceled: changedSince };
    },

    // Sending a draft writes its own entries.
    claim: () => undefined,

    async perform(ref, act, _, by) {
      const draft = await load(ref.workspace, act.draft);
      if (draft === undefined || !isAsAsked(draft, act)) return { kind: 'canceled', sentence: changedSince };
      // It may have been created already, and Redis has lost that.
      const found = await find(ref, draft).catch((error: unknown) => {
        if (!isCallFailure(error)) throw error;
        return undefined;
      });
      if (found === undefined) return { kind: 'unanswered', sentence: '' };
      if (found.isThere) return { kind: 'done', sentence: found.sentence };
      return outcomeOf(await sendOnce(ref, draft, by));
    },

    async settle(ref, act) {
      const draft = await load(ref.workspace, act.draft);
      if (draft === undefined) return { kind: 'unknown', sentence: draftGone };
      // Nothing was sent, so it is retried.
      if (isAsAsked(draft, act)) return { kind: 'unanswered', sentence: '' };
      return outcomeOf(draft.step === 'unknown' ? await look(ref, draft) : draft);
    },
  };
}

/**
 * Returns whether a draft is the requested one, and nobody was told since that nothing was created. If the process died
 * before keeping it, it is one version older.
 */
function isAsAsked({ version, step }: CampaignDraft, act: ActOfKind<'create'>): boolean {
  return (version === act.version && step === 'done') || (version === act.version - 1 && step === 'check');
}

function outcomeOf({ step, sentences, problems }: CampaignDraft): ActOutcome {
  if (step === 'done' || step === 'unknown') return { kind: step, sentence: sentences.join(' ') };
  return { kind: 'refused', sentence: problems.map(({ text }) => text).join(' ') };
}
