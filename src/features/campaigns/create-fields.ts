import { z } from 'zod';
import { NewAuditEntry } from '../../domain/audit.ts';
import { formatMoney, type Money, money, readMoney } from '../../domain/money.ts';
import { AccountId, type AccountRef, ChannelId, MemberId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { NewCampaign, UploadFile } from '../../marketplace/index.ts';
import { Attachment, chosen, type Values as InputValues, typed } from '../../slack/form-values.ts';
import { createCodec } from '../../store/format.ts';
import { zoneName } from './countries.ts';

const Category = z.object({
  id: z.string(),
  title: z.string(),
  /** The minimum payment per task in each zone, as decimal text; the lowest first. */
  minimums: z.array(z.object({ zone: z.string(), payment: z.string() })),
});
export type Category = z.infer<typeof Category>;

const Catalogue = z.array(z.object({ title: z.string(), categories: z.array(Category) }));
/** Categories below their parents ("Category catalogue" of the API). */
export type Catalogue = z.infer<typeof Catalogue>;

const catalogueCodec = createCodec('categories', Catalogue);

/** Long enough for one form; minimums may change. */
const cacheSeconds = 1_800;

/** Creates the lookup of an account's categories, cached because somebody types while they are searched. */
export function createCatalogue({ jobs: { expiringTexts }, marketplace }: Modules) {
  return async (ref: AccountRef, deadlineMs: number): Promise<Catalogue> => {
    const name = `categories ${ref.account}`;
    const cached = catalogueCodec.decode((await expiringTexts.get(ref.workspace, name)) ?? '');
    if (cached.ok) return cached.value;
    const parents = await (await marketplace.of(ref)).listCategories({ deadlineMs });
    const catalogue = parents.map((parent) => ({
      title: parent.title,
      categories: parent.categories.map(({ id, title, minPaymentPerTask }) => {
        const ascending = minPaymentPerTask.toSorted((a, b) => a.paymentPerTask.cmp(b.paymentPerTask));
        const minimums = ascending.map(({ zone, paymentPerTask: least }) => ({
          zone,
          payment: least.toFixed(),
        }));
        return { id, title, minimums };
      }),
    }));
    if (catalogue.length > 0)
      await expiringTexts.put(ref.workspace, name, catalogueCodec.encode(catalogue), cacheSeconds);
    return catalogue;
  };
}

const text = z.string();

/** The start of a CSV template: its columns, first rows and row count. */
const Template = z.object({ columns: z.array(text), rows: z.array(z.array(text)), count: z.number() });
export type Template = z.infer<typeof Template>;

const entered = text.default('');

/** The form's fields, exactly as entered. */
export const Fields = z.object({
  title: entered,
  /** The chosen one, as the marketplace listed it. */
  category: Category.optional(),
  payment: entered,
  positions: entered,
  perWorker: text.default('1'),
  minutes: entered,
  description: z.enum(['SAME', 'UNIQUE']).default('SAME'),
  work: entered,
  proof1: entered,
  proof2: entered,
  proof3: entered,
  fileProof: z.enum(['0', '1', '2']).default('0'),
  ttr: text.default('7'),
  /** Data read from the attached file with the id `of`. */
  template: Template.extend({ of: text }).optional(),
});
export type Fields = z.infer<typeof Fields>;

export const emptyFields: Fields = Fields.parse({});

/** Inputs that a problem can refer to. */
export type FieldName = Exclude<keyof Fields, 'template'> | 'file' | 'csv';

/** A problem with a draft, in mrkdwn. Without a field it is shown at the top of the page. */
const Problem = z.object({ field: text.optional(), text });
export type Problem = Readonly<z.infer<typeof Problem>>;

/** A partly filled-in form. Every view of the form is rendered from its draft alone. */
export const CampaignDraft = z.object({
  id: text,
  /** The member filling it in, and the account it is for. */
  member: MemberId,
  account: AccountId,
  /** Where the form was opened: results go there if the modal was closed. */
  channel: ChannelId.optional(),
  /**
   * The page it shows: `job` and `work` have inputs, `check` summarizes everything and sends it. `unknown`: it was sent, and
   * whether it arrived is not known.
   */
  step: z.enum(['job', 'work', 'check', 'unknown', 'done']),
  /** Incremented with each page, so that a click on an older page is detected. */
  version: z.number().int(),
  values: Fields,
  files: z.record(text, Attachment),
  problems: z.array(Problem).readonly(),
  /** When it was sent (ms), and the ids of the campaigns that were known before. */
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
});
export type CampaignDraft = Readonly<z.infer<typeof CampaignDraft>>;
type Step = CampaignDraft['step'];

/** Returns the next version of a draft: at a step, without the problems and sentences of the last one. */
export function nextVersion(
  draft: CampaignDraft,
  step: Step,
  change: Partial<CampaignDraft> = {},
): CampaignDraft {
  return { ...draft, step, version: draft.version + 1, problems: [], sentences: [], ...change };
}

export function withoutFile(draft: CampaignDraft, name: string): CampaignDraft {
  const { [name]: _, ...files } = draft.files;
  return { ...draft, files };
}

/** Returns a filled draft without the file that is removed: unless one attached meanwhile has already replaced it. */
export function withRemoved(filled: CampaignDraft, before: CampaignDraft, name: string): CampaignDraft {
  return filled.files[name] === before.files[name] ? withoutFile(filled, name) : filled;
}

/** Returns the data of the currently attached CSV template. */
export function templateOf({ values: { template }, files }: CampaignDraft): Template | undefined {
  return template?.of === files.csv?.id ? template : undefined;
}

const jobTexts = ['title', 'payment', 'positions', 'perWorker', 'minutes'] as const;
const texts = [...jobTexts, 'work', 'proof1', 'proof2', 'proof3', 'ttr'] as const;
const choices = ['description', 'fileProof'] as const;

/** Returns the fields merged with a page's inputs, except for the category. */
export function withInputs(fields: Fields, inputs: InputValues): Fields {
  const typedIn = texts.filter((name) => name in inputs).map((name) => [name, typed(inputs, name)]);
  const chosenIn = choices.map((name) => [name, chosen(inputs, name) ?? fields[name]]);
  return Fields.parse({ ...fields, ...Object.fromEntries([...typedIn, ...chosenIn]) });
}

/** Returns the page with a problem's field. Problems without a field are shown on the last page. */
export function pageOf({ field }: Problem): Step {
  if (field === undefined) return 'check';
  return ['category', ...jobTexts].includes(field) ? 'job' : 'work';
}

/** Returns the first page with a problem. */
export function firstPageOf(problems: readonly Problem[]): Step {
  const pages = problems.map(pageOf);
  return (['job', 'work'] as const).find((page) => pages.includes(page)) ?? 'check';
}

type Checks = Partial<Record<FieldName, string | false | undefined>>;

const problemsOf = (checks: Checks): Problem[] =>
  Object.entries(checks).flatMap(([field, text]) => (text ? [{ field, text }] : []));

const isNotCount = (typed: string): boolean => parseWholeNumber(typed) === undefined;

/** Returns the problems of the first page. */
export function jobProblems({ title, category, payment, positions, perWorker, minutes }: Fields): Problem[] {
  const paid = parsePayment(payment);
  return problemsOf({
    title: title === '' && 'Enter a title: workers see it first.',
    category: category === undefined && 'Choose a category.',
    payment: 'problem' in paid ? paid.problem : category && belowMinimum(category, paid.amount),
    positions: isNotCount(positions) && 'Enter how many positions there are: 1 or more.',
    perWorker: isNotCount(perWorker) && 'Enter how many positions one worker can take: 1 or more.',
    minutes: isNotCount(minutes) && 'Enter how many minutes the job can take: 1 or more.',
  });
}

/** Returns the problems of the second page. @param hasCsv whether a template is attached */
export function workProblems({ work, proof1, description, ttr }: Fields, hasCsv: boolean): Problem[] {
  const days = parseWholeNumber(ttr);
  return problemsOf({
    work: work === '' && 'Describe what the worker has to do.',
    proof1: proof1 === '' && 'Describe the proof that the worker submits.',
    csv: description === 'UNIQUE' && !hasCsv && 'Attach the CSV template, or use one description for all.',
    ttr: (days === undefined || days > 30) && 'Enter the days to rate a task: 1 to 30.',
  });
}

/** Returns what the worker submits as proof, by slot. */
export function proofsOf({ proof1, proof2, proof3 }: Fields): string[] {
  return [proof1, proof2, proof3].filter((proof) => proof !== '');
}

/** Maps valid fields to the parameters of new_campaign. */
export function toCampaign(fields: Fields, files: { file?: UploadFile; csv?: UploadFile }): NewCampaign {
  const payment = parsePayment(fields.payment);
  if ('problem' in payment) throw new Error('the draft was not validated before it was sent');
  return {
    title: fields.title,
    category: fields.category?.id ?? '',
    minutesToFinish: Number(fields.minutes),
    availablePositions: Number(fields.positions),
    maxPositionsPerWorker: Number(fields.perWorker),
    paymentPerTask: payment.amount,
    descriptionType: fields.description,
    requiredWork: fields.work,
    requiredProof: proofsOf(fields),
    ttr: Number(fields.ttr),
    autoRate: 'NO',
    fileProof: ({ '0': 0, '1': 1, '2': 2 } as const)[fields.fileProof],
    ...files,
  };
}

/** More than anybody pays for a task; it also keeps totals readable. */
const mostPayment = money(1_000_000);

/** Parses a whole number above 0. Returns undefined for anything else, and for more than 9 digits. */
export function parseWholeNumber(typed: string): number | undefined {
  const value = /^\+?\d{1,9}$/u.test(typed.trim()) ? Number(typed) : 0;
  return value > 0 ? value : undefined;
}

/** Parses a payment per task. Returns an error sentence if invalid. */
export function parsePayment(typed: string): { readonly amount: Money } | { readonly problem: string } {
  const read = readMoney(typed);
  if ('problem' in read) return read;
  if (read.amount.lte(0)) return { problem: 'A task must pay more than 0.' };
  if (read.amount.gt(mostPayment)) {
    return { problem: 'A task can pay 1,000,000 at most. Enter a smaller amount.' };
  }
  return read;
}

/**
 * Returns why a payment is too low for every zone, or undefined if it reaches one. new_campaign has no zone field ("must
 * reach the category minimum for the zone"), so only the marketplace can check individual zones.
 */
function belowMinimum({ minimums: [lowest] }: Category, payment: Money): string | undefined {
  return lowest && payment.lt(lowest.payment)
    ? `The minimum for this category is ${formatMoney(money(lowest.payment))} per task (${zoneName(lowest.zone)}). Enter at least that.`
    : undefined;
}

/** Returns the minimum payments by zone, in mrkdwn, the lowest first. */
export function minimumsLine({ minimums }: Category): string {
  if (minimums.length === 0) return 'The marketplace gives no minimum payment for this category.';
  const lines = minimums.map(({ zone, payment }) => `${zoneName(zone)} ${formatMoney(money(payment))}`);
  return `Minimum payment per task: ${lines.join(' · ')}`;
}
