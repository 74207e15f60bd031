import type { ModalView } from '@slack/types';
import type { AccountRef } from '../../../domain/terms.ts';
import type { CallFailure } from '../../../marketplace/index.ts';
import type { Values as InputValues } from '../../../slack/feature.ts';
import type { FeatureContext } from '../context.ts';
import type { Draft, DraftCodec, Problem } from './draft.ts';
import type { FormWording } from './draft-form.view.ts';
import type { OpenFiles } from './files.ts';

/** What differs from form to form. */
export interface FormDefinition<Page extends string, Values> {
  /** The stored names begin with it. */
  readonly name: string;
  readonly codec: DraftCodec<Page, Values>;
  readonly wording: FormWording<Draft<Page, Values>>;
  readonly firstPage: Page;
  /** The page whose submission sends the draft. */
  readonly sendPage: Page;
  readonly emptyValues: Values;
  readonly isWorthResuming: (draft: Draft<Page, Values>) => boolean;
  /** Renders the draft at its step. */
  readonly view: (ref: AccountRef, draft: Draft<Page, Values>) => Promise<ModalView>;
  /** Returns the values with what stands in the inputs of the draft's page. */
  readonly valuesIn: (ref: AccountRef, draft: Draft<Page, Values>, inputs: InputValues) => Promise<Values>;
  /** The names of the files that are sent with the draft. */
  readonly filesToSend: (draft: Draft<Page, Values>) => readonly string[];
  /**
   * Prepares the one call that sends the draft. `send` returns the sentences about what it did; `before` are similar
   * records that exist already.
   */
  readonly prepare: (
    ref: AccountRef,
    draft: Draft<Page, Values>,
    files: OpenFiles,
  ) => Promise<{ readonly before?: readonly string[]; readonly send: () => Promise<string[]> }>;
  /** Looks whether a draft of unknown outcome has arrived at the marketplace. */
  readonly find: (
    ref: AccountRef,
    draft: Draft<Page, Values>,
  ) => Promise<{ readonly isThere: boolean; readonly sentence: string }>;
  /** Returns what a refusal says about the draft. `isFinal`: no correction can help. */
  readonly refused: (
    ref: AccountRef,
    draft: Draft<Page, Values>,
    error: CallFailure,
  ) => Promise<{ readonly problems: readonly Problem[]; readonly isFinal?: boolean }>;
  /** The page on which problems are shown. */
  readonly pageOf: (problems: readonly Problem[]) => Page;
}

export type DraftFormContext = Pick<
  FeatureContext,
  'accounts' | 'kept' | 'messengerOf' | 'claimOnce' | 'logger' | 'now'
>;
