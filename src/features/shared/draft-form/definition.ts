import type { ModalView } from '@slack/types';
import type { SpendingAct } from '../../../domain/approval.ts';
import type { NewAuditEntry } from '../../../domain/audit.ts';
import type { Capability } from '../../../domain/permissions.ts';
import type { AccountRef } from '../../../domain/terms.ts';
import type { CallFailure } from '../../../marketplace/index.ts';
import type { Values as InputValues } from '../../../slack/form-values.ts';
import type { ActEnd } from '../audited-act.ts';
import type { Draft, DraftCodec, Problem } from './draft.ts';
import type { FormWording } from './draft-form.view.ts';
import type { OpenFiles } from './files.ts';

/** The marketplace's result for a draft. */
export interface SentDraft {
  /** Sentences that report the result, in mrkdwn. */
  readonly sentences: string[];
  /** Audit fields of the result. */
  readonly end: ActEnd;
}

interface PreparedCall {
  /** Ids of similar records that already exist. */
  readonly before?: readonly string[];
  /** Audit entry of the call. */
  readonly entry: Omit<NewAuditEntry, 'by' | 'how'>;
  readonly send: () => Promise<SentDraft>;
}

/** The parts in which forms differ. */
export interface FormDefinition<Page extends string, Values, FormDraft extends Draft = Draft<Page, Values>> {
  /** Prefix of the stored names. */
  readonly name: string;
  /** The right required to fill in and send the form. */
  readonly needs: Capability;
  readonly codec: DraftCodec<Page, Values>;
  readonly wording: FormWording<FormDraft>;
  readonly firstPage: Page;
  /** The page whose submission sends the draft. */
  readonly sendPage: Page;
  readonly emptyValues: Values;
  /** Returns whether enough was filled in to offer the draft later. */
  isWorthResuming(draft: FormDraft): boolean;
  /** Renders the draft at its step. */
  view(ref: AccountRef, draft: FormDraft): Promise<ModalView>;
  /** Returns the values merged with the inputs of the draft's page. */
  valuesIn(ref: AccountRef, draft: FormDraft, inputs: InputValues): Promise<Values>;
  /** Returns the names of the files sent with the draft. */
  filesToSend(draft: FormDraft): readonly string[];
  /** Prepares the single call that sends the draft. */
  prepare(ref: AccountRef, draft: FormDraft, files: OpenFiles): Promise<PreparedCall>;
  /**
   * Checks whether a draft of unknown outcome arrived at the marketplace. `sentence` reports the finding, `end` holds
   * its audit fields.
   */
  find(
    ref: AccountRef,
    draft: FormDraft,
  ): Promise<{ readonly isThere: boolean; readonly sentence: string; readonly end?: ActEnd }>;
  /** Returns the problems that a refusal reports. `isFinal`: no correction can help. */
  refused(
    ref: AccountRef,
    draft: FormDraft,
    error: CallFailure,
  ): Promise<{ readonly problems: readonly Problem[]; readonly isFinal?: boolean }>;
  /** Returns what sending the draft spends; absent: nothing. Its total is shown on the page that sends it. */
  spendingOf?(draft: FormDraft): SpendingAct;
  /** Returns the page that shows the given problems. */
  pageOf(problems: readonly Problem[]): Page;
}
