import type { ModalView } from '@slack/types';
import type { SpendingAct } from '../../../domain/approval.ts';
import type { NewAuditEntry } from '../../../domain/audit.ts';
import type { Capability } from '../../../domain/permissions.ts';
import type { AccountRef } from '../../../domain/terms.ts';
import type { CallFailure } from '../../../marketplace/index.ts';
import type { Values as InputValues } from '../../../slack/feature.ts';
import type { ActEnd } from '../audited-act.ts';
import type { FeatureContext } from '../context.ts';
import type { Draft, DraftCodec, Problem } from './draft.ts';
import type { FormWording } from './draft-form.view.ts';
import type { OpenFiles } from './files.ts';

/** What a draft became at the marketplace. */
export interface SentDraft {
  /** The sentences about what was done, in mrkdwn. */
  readonly sentences: string[];
  /** What the audit says of it. */
  readonly end: ActEnd;
}

interface PreparedCall {
  /** The ids of similar records that exist already. */
  readonly before?: readonly string[];
  /** What the audit says of the call. */
  readonly entry: Omit<NewAuditEntry, 'by' | 'how'>;
  readonly send: () => Promise<SentDraft>;
}

/** What differs from form to form. */
export interface FormDefinition<Page extends string, Values, FormDraft extends Draft = Draft<Page, Values>> {
  /** The stored names begin with it. */
  readonly name: string;
  /** The right that it takes to fill it in and send it. */
  readonly needs: Capability;
  readonly codec: DraftCodec<Page, Values>;
  readonly wording: FormWording<FormDraft>;
  readonly firstPage: Page;
  /** The page whose submission sends the draft. */
  readonly sendPage: Page;
  readonly emptyValues: Values;
  /** Whether enough was filled in for the draft to be offered later. */
  isWorthResuming(draft: FormDraft): boolean;
  /** Renders the draft at its step. */
  view(ref: AccountRef, draft: FormDraft): Promise<ModalView>;
  /** Returns the values with what stands in the inputs of the draft's page. */
  valuesIn(ref: AccountRef, draft: FormDraft, inputs: InputValues): Promise<Values>;
  /** The names of the files that are sent with the draft. */
  filesToSend(draft: FormDraft): readonly string[];
  /** Prepares the one call that sends the draft. */
  prepare(ref: AccountRef, draft: FormDraft, files: OpenFiles): Promise<PreparedCall>;
  /**
   * Looks whether a draft of unknown outcome has arrived at the marketplace. `sentence` says what was found, `end` what the
   * audit says of it.
   */
  find(
    ref: AccountRef,
    draft: FormDraft,
  ): Promise<{ readonly isThere: boolean; readonly sentence: string; readonly end?: ActEnd }>;
  /** Returns what a refusal says about the draft. `isFinal`: no correction can help. */
  refused(
    ref: AccountRef,
    draft: FormDraft,
    error: CallFailure,
  ): Promise<{ readonly problems: readonly Problem[]; readonly isFinal?: boolean }>;
  /** Returns what sending the draft spends; absent: nothing. Its total was shown on the page that sends it. */
  spendingOf?(draft: FormDraft): SpendingAct;
  /** Returns the page on which problems are shown. */
  pageOf(problems: readonly Problem[]): Page;
}

export type DraftFormContext = Pick<
  FeatureContext,
  'audit' | 'expiringTexts' | 'messengerOf' | 'claimOnce' | 'logger' | 'now' | 'spend'
>;
