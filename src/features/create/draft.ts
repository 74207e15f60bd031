import { z } from 'zod';
import { chosen, type Values as InputValues, typed } from '../../slack/form-values.ts';
import { type Draft, draftCodec } from '../../ui/draft.ts';

const text = z.string();

/** The start of a CSV template: its columns, first rows and row count. */
const Template = z.object({ columns: z.array(text), rows: z.array(z.array(text)), count: z.number() });
export type Template = z.infer<typeof Template>;

/** The form's fields, exactly as entered. */
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
  /** Data read from the attached file with the id `of`. */
  template: Template.extend({ of: text }).optional(),
});
export type Fields = z.infer<typeof Fields>;

/** Inputs that a problem can refer to, without the proofs. */
export type FieldName =
  | Exclude<keyof Fields, 'proofs' | 'template'>
  | 'proof1'
  | 'proof2'
  | 'proof3'
  | 'file'
  | 'csv';

/** `job` and `work` are the pages with inputs; `check` summarizes everything and sends it. */
export type Page = 'job' | 'work' | 'check';
export type CampaignDraft = Draft<Page, Fields>;

export const campaignDraft = draftCodec<Page, Fields>({
  pages: ['job', 'work', 'check'],
  values: Fields,
});

export const emptyFields: Fields = {
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
};

/** Returns the data of the currently attached CSV template. */
export function templateOf({ values: { template }, files }: CampaignDraft): Template | undefined {
  return template?.of === files.csv?.id ? template : undefined;
}

/** Returns the fields merged with the first page's inputs. */
export function jobInputs(fields: Fields, inputs: InputValues): Fields {
  return {
    ...fields,
    title: typed(inputs, 'title'),
    category: chosen(inputs, 'category') ?? '',
    payment: typed(inputs, 'payment'),
    positions: typed(inputs, 'positions'),
    perWorker: typed(inputs, 'perWorker'),
    minutes: typed(inputs, 'minutes'),
    group: typed(inputs, 'group'),
  };
}

/** Returns the fields merged with the second page's inputs. */
export function workInputs(fields: Fields, inputs: InputValues): Fields {
  const proofs = ['proof1', 'proof2', 'proof3'].filter((name) => name in inputs);
  return {
    ...fields,
    description: oneOf(['SAME', 'UNIQUE'], chosen(inputs, 'description')) ?? fields.description,
    work: typed(inputs, 'work'),
    proofs: proofs.length > 0 ? proofs.map((name) => typed(inputs, name)) : fields.proofs,
    fileProof: oneOf(['0', '1', '2'], chosen(inputs, 'fileProof')) ?? fields.fileProof,
    autoRate: oneOf(['NO', 'V', 'V+R'], chosen(inputs, 'autoRate')) ?? fields.autoRate,
    ttr: typed(inputs, 'ttr'),
    qtRequired: oneOf(['0', '1'], chosen(inputs, 'qtRequired')) ?? fields.qtRequired,
  };
}

function oneOf<const T extends string>(allowed: readonly T[], value: string | undefined): T | undefined {
  return allowed.find((known) => known === value);
}
