import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { SpendingAct } from '../domain/approval.ts';
import { NewAuditEntry } from '../domain/audit.ts';
import type { Capability } from '../domain/permissions.ts';
import { AccountId, type AccountRef, ChannelId, MemberId, type WorkspaceId } from '../domain/terms.ts';
import { UserError } from '../errors.ts';
import type { ActEnd } from '../kit/marketplace-act.ts';
import type { Modules } from '../kit/modules.ts';
import type { CallFailure } from '../marketplace/index.ts';
import type { OpenAttachment } from '../slack/files.ts';
import { Attachment, attached, codec, type Values as InputValues } from '../slack/form-values.ts';
import { type Codec, createCodec } from '../store/format.ts';
import type { FormWording } from './draft-form.view.ts';

const text = z.string();

/** A problem with a draft, in mrkdwn. Without a field it is shown at the top of the page. */
const Problem = z.object({ field: text.optional(), text });
export type Problem = Readonly<z.infer<typeof Problem>>;

const Common = z.object({
  id: text,
  /** The member filling it in, and the account it is for. */
  member: MemberId,
  account: AccountId,
  /** Where the form was opened: results go there if the modal was closed. */
  channel: ChannelId.optional(),
  /** Incremented with each page, so that a click on an older page is detected. */
  version: z.number().int(),
  /** Attached files by input name. */
  files: z.record(text, Attachment),
  /** Counts accepted files: file inputs get a new id each time, since Slack cannot fill them in. */
  uploads: z.number().int(),
  problems: z.array(Problem).readonly(),
  /** When it was sent (ms), and the ids of similar records that existed before. */
  sent: z
    .object({
      at: z.number(),
      before: z.array(text).readonly(),
      /** Audit entry, until the outcome is known. */
      entry: NewAuditEntry.optional(),
    })
    .optional(),
  /** Sentences of the steps `unknown` and `done`, in mrkdwn. */
  sentences: z.array(text).readonly(),
  /** An earlier draft offered in this form, described in mrkdwn. */
  unfinished: z.object({ id: text, description: text }).optional(),
});

/** A partly filled-in form. Every view of the form is rendered from its draft alone. */
export interface Draft<Page extends string = string, Values = unknown>
  extends Readonly<z.infer<typeof Common>> {
  /** `unknown`: it was sent, and whether it arrived is not known. */
  readonly step: Page | 'unknown' | 'done';
  /** Inputs exactly as entered. */
  readonly values: Values;
}

/** Creates the codec of a form's stored drafts. @param form.pages the steps with inputs, and the one that sends it */
export function draftCodec<const Page extends string, Values>(form: {
  readonly pages: readonly Page[];
  readonly values: z.ZodType<Values>;
}): Codec<Draft<Page, Values>> {
  const step = z.enum([...form.pages, 'unknown', 'done']);
  const stored: z.ZodType<unknown> = Common.extend({ step, values: form.values });
  return createCodec('draft', stored as z.ZodType<Draft<Page, Values>>);
}

/** State of a modal: its draft, and the version it shows. */
export const pageState = codec(
  'form',
  z.object({ draft: text, version: z.number().int() }),
  'Close this form and open it again.',
);

/** Returns the next version of a draft: at another step, or at the same step with other problems. */
export function nextVersion<D extends Draft>(
  draft: D,
  step: D['step'],
  { problems = [], sentences = [] }: Partial<Pick<Draft, 'problems' | 'sentences'>> = {},
): D {
  const version = draft.version + 1;
  return { ...draft, step, version, problems, sentences };
}

/** Returns the block id of a file input. It changes with every accepted file, so that the input starts empty. */
export function fileInputId({ uploads }: Pick<Draft, 'uploads'>, name: string): string {
  return `${name}.${uploads}`;
}

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
  readonly codec: Codec<Draft<Page, Values>>;
  readonly wording: FormWording;
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
  /** Returns the problems that a refusal reports. */
  refused(draft: FormDraft, error: CallFailure): readonly Problem[];
  /** Returns what sending the draft spends; absent: nothing. Its total is shown on the page that sends it. */
  spendingOf?(draft: FormDraft): SpendingAct;
  /** Returns the page that shows the given problems. */
  pageOf(problems: readonly Problem[]): Page;
}

export type OpenFiles = Readonly<Record<string, OpenAttachment>>;

/** Runs an action that a file may cause to fail. Returns such a failure as a problem of the file's field. */
export async function tryFile<T>(field: string, run: () => Promise<T>): Promise<T | Problem> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UserError) return { field, text: error.message };
    throw error;
  }
}

/** Creates access to the files of drafts. Slack stores their bytes; a draft holds only what is needed to fetch them. */
export function createDraftFiles({ slack }: Modules) {
  return {
    /** Accepts the files attached in the open page, replacing earlier ones. */
    async attach<D extends Draft>(
      workspace: WorkspaceId,
      draft: D,
      values: InputValues,
      names: readonly string[],
    ): Promise<{ readonly draft: D; readonly problems: readonly Problem[] }> {
      let next = draft;
      const problems: Problem[] = [];
      for (const name of names) {
        const [file] = attached(values, fileInputId(draft, name));
        if (file === undefined) continue;
        const described = await tryFile(name, () => slack.messengerOf(workspace).attachments.describe(file));
        next = { ...withoutFile(next, name), uploads: draft.uploads + 1 };
        if ('text' in described) problems.push(described);
        else next = { ...next, files: { ...next.files, [name]: described } };
      }
      return { draft: next, problems };
    },

    /** Starts downloading the named files. Returns the first problem if one is unavailable. */
    async open(
      workspace: WorkspaceId,
      { files }: Draft,
      names: readonly string[],
    ): Promise<{ readonly files: OpenFiles } | Problem> {
      const opened: Record<string, OpenAttachment> = {};
      for (const name of names) {
        const file = files[name];
        if (file === undefined) continue;
        const download = await tryFile(name, () => slack.messengerOf(workspace).attachments.open(file));
        if ('text' in download) {
          closeFiles(opened);
          return download;
        }
        opened[name] = download;
      }
      return { files: opened };
    },
  };
}

/** Closes downloads that were not read to the end. */
export function closeFiles(files: OpenFiles): void {
  for (const { stream } of Object.values(files)) stream.destroy();
}

/** Returns the draft without one of its files. */
export function withoutFile<D extends Draft>(draft: D, name: string): D {
  const { [name]: _, ...files } = draft.files;
  return { ...draft, files };
}
