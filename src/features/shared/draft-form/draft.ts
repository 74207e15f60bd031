import { z } from 'zod';
import { NewAuditEntry } from '../../../domain/audit.ts';
import { AccountId, ChannelId, MemberId } from '../../../domain/terms.ts';
import { codec } from '../../../slack/codec.ts';
import { Attachment } from '../../../slack/file-field.ts';

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
  /** No correction can make the marketplace accept it, so it is not offered again. */
  isRefusedForGood: z.boolean().optional(),
});

/** A partly filled-in form. Every view of the form is rendered from its draft alone. */
export interface Draft<Page extends string = string, Values = unknown>
  extends Readonly<z.infer<typeof Common>> {
  /** `unknown`: it was sent, and whether it arrived is not known. */
  readonly step: Page | 'unknown' | 'done';
  /** Inputs exactly as entered. */
  readonly values: Values;
}

/** Encodes and decodes stored drafts. */
export function draftCodec<const Page extends string, Values>(form: {
  readonly pages: readonly Page[];
  readonly values: z.ZodType<Values>;
}) {
  const Stored = Common.extend({
    step: z.enum([...form.pages, 'unknown', 'done']),
    values: form.values,
  });
  return {
    encode: (draft: Draft<Page, Values>): string => JSON.stringify(draft),

    /** Returns undefined if the text is no draft. */
    decode(stored: string): Draft<Page, Values> | undefined {
      return Stored.safeParse(parseJson(stored)).data as Draft<Page, Values> | undefined;
    },
  };
}

export type DraftCodec<Page extends string, Values> = ReturnType<typeof draftCodec<Page, Values>>;

function parseJson(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    return undefined;
  }
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
  return { ...draft, step, version, problems, sentences, isRefusedForGood: undefined };
}

/** Returns the block id of a file input. It changes with every accepted file, so that the input starts empty. */
export function fileInputId({ uploads }: Pick<Draft, 'uploads'>, name: string): string {
  return `${name}.${uploads}`;
}
