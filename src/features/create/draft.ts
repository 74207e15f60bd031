import { z } from 'zod';
import { AccountId, ChannelId, MemberId } from '../../domain/terms.ts';
import { codec } from '../../slack/codec.ts';
import { Attachment } from '../../slack/file-field.ts';

const text = z.string();

/** What the form asks for, as it was typed. */
const Fields = z.object({
  title: text,
  category: text,
  payment: text,
  positions: text,
  perWorker: text,
  minutes: text,
  group: text,
  description: z.enum(['SAME', 'UNIQUE']),
  work: text,
  /** One to three, one per proof slot. */
  proofs: z.array(text).min(1).max(3),
  fileProof: z.enum(['0', '1', '2']),
  autoRate: z.enum(['NO', 'V', 'V+R']),
  ttr: text,
  qtRequired: z.enum(['0', '1']),
});
export type Fields = z.infer<typeof Fields>;

/** Every name a problem can speak of: the inputs of the form. Proofs are apart. */
export type FieldName = Exclude<keyof Fields, 'proofs'> | 'proof1' | 'proof2' | 'proof3' | 'file' | 'csv';

const fieldNames = [
  ...Object.keys(Fields.shape).filter((name) => name !== 'proofs'),
  'proof1',
  'proof2',
  'proof3',
  'file',
  'csv',
] as FieldName[];

/** What is wrong, in mrkdwn; without a field it is said at the top. */
const Problem = z.object({ field: z.enum(fieldNames as [FieldName, ...FieldName[]]).optional(), text });
export type Problem = z.infer<typeof Problem>;

/** The beginning of a CSV template: its columns, its first rows, and how many rows it has. */
const Template = z.object({ columns: z.array(text), rows: z.array(z.array(text)), count: z.number() });
export type Template = z.infer<typeof Template>;

/**
 * A campaign on its way to be created. The modal is drawn from it alone, whatever happened: `job` and `work` are the
 * two pages of the form, `check` shows everything once more, `unsure` that it was sent and its end is unknown, `done`
 * what became of it.
 */
const Draft = z.object({
  id: text,
  /** Who puts it together, and the account it is for. */
  member: MemberId,
  account: AccountId,
  /** Where it was asked for: answers go there when the modal is closed. */
  channel: ChannelId.optional(),
  step: z.enum(['job', 'work', 'check', 'unsure', 'done']),
  /** Counts every change of step: what was clicked on an older page is not taken for the present one. */
  turn: z.number().int(),
  fields: Fields,
  problems: z.array(Problem),
  file: Attachment.optional(),
  csv: Attachment.optional(),
  template: Template.optional(),
  /** Counts files taken over: each time the inputs for files start empty again. */
  uploads: z.number().int(),
  /** When it was sent (ms), and the campaigns of its title that were there before. */
  sent: z.object({ at: z.number(), before: z.array(text) }).optional(),
  /** One that was begun before and not finished: offered on the first page. */
  unfinished: z.object({ id: text, title: text }).optional(),
  /** The sentences of `unsure` and `done`, in mrkdwn. */
  said: z.array(text),
});
export type Draft = z.infer<typeof Draft>;

/** The draft as it is kept. */
export const keptDraft = codec(Draft, 'Start again with `/campaign new`.');

/** What a page of the form remembers. */
export const pageState = codec(
  z.object({ draft: text, turn: z.number().int() }),
  'Start again with `/campaign new`.',
);

export function newDraft(
  id: string,
  about: Pick<Draft, 'member' | 'account' | 'channel' | 'unfinished'>,
): Draft {
  return {
    id,
    ...about,
    step: 'job',
    turn: 0,
    fields: {
      title: '',
      category: '',
      payment: '',
      positions: '',
      perWorker: '1',
      minutes: '',
      group: '',
      description: 'SAME',
      work: '',
      proofs: [''],
      fileProof: '0',
      autoRate: 'NO',
      ttr: '7',
      // The marketplace's own default.
      qtRequired: '1',
    },
    problems: [],
    uploads: 0,
    said: [],
  };
}

/** The next page, or the same one drawn anew. */
export function moved(
  draft: Draft,
  step: Draft['step'],
  { problems = [], said = [] }: { problems?: readonly Problem[]; said?: readonly string[] } = {},
): Draft {
  return { ...draft, step, turn: draft.turn + 1, problems: [...problems], said: [...said] };
}

/** The id of a field's input. Inputs for files get a new one each time, since Slack cannot fill them in. */
export function inputId({ uploads }: Pick<Draft, 'uploads'>, field: FieldName): string {
  return field === 'file' || field === 'csv' ? `${field}.${uploads}` : field;
}
