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

const format = 2;

/**
 * Encodes and decodes stored drafts.
 * @param form.valuesOfFormat1 returns the values of a draft that was stored before drafts had a format
 */
export function draftCodec<const Page extends string, Values>(form: {
  readonly pages: readonly Page[];
  readonly values: z.ZodType<Values>;
  readonly valuesOfFormat1: (stored: Readonly<Record<string, unknown>>) => unknown;
}) {
  const Stored = Common.extend({
    format: z.literal(format),
    step: z.enum([...form.pages, 'unknown', 'done']),
    values: form.values,
  });
  return {
    encode: (draft: Draft<Page, Values>): string => JSON.stringify({ ...draft, format }),

    /** Returns undefined if the text is no draft, or its format is no longer supported. */
    decode(stored: string): Draft<Page, Values> | undefined {
      const value = z.record(text, z.unknown()).safeParse(parseJson(stored));
      if (!value.success) return undefined;
      const current = 'format' in value.data ? value.data : fromFormat1(value.data, form.valuesOfFormat1);
      const parsed = Stored.safeParse(current);
      if (!parsed.success) return undefined;
      const { format: _, ...draft } = parsed.data;
      return draft as Draft<Page, Values>;
    },
  };
}

export type DraftCodec<Page extends string, Values> = ReturnType<typeof draftCodec<Page, Values>>;

/** Migrates a draft from format 1, which had values and files next to `turn` (the version) and `said` (sentences). */
function fromFormat1(
  stored: Readonly<Record<string, unknown>>,
  valuesOf: (stored: Readonly<Record<string, unknown>>) => unknown,
): Record<string, unknown> {
  const { step, turn, said, file, csv, sent, sentAt } = stored;
  return {
    ...stored,
    format,
    step: step === 'unsure' ? 'unknown' : step,
    version: turn,
    values: valuesOf(stored),
    files: { ...(file ? { file } : {}), ...(csv ? { csv } : {}) },
    sent: sent ?? (sentAt === undefined ? undefined : { at: sentAt, before: [] }),
    sentences: said,
    // Format 1 described it by other fields; the next form looks it up again.
    unfinished: undefined,
  };
}

function parseJson(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    return undefined;
  }
}

/** State of a modal: its draft, and the version it shows. Modals opened before the upgrade have `turn`. */
export const pageState = codec(
  'form',
  z.union([
    z.object({ draft: text, version: z.number().int() }),
    z
      .object({ draft: text, turn: z.number().int() })
      .transform(({ draft, turn }) => ({ draft, version: turn })),
  ]),
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
