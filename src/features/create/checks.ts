import type { NewCampaign, UploadFile } from '../../marketplace/index.ts';
import { readPayment, tooLow, wholeNumber } from './amounts.ts';
import type { Category } from './catalogue.ts';
import type { Draft, FieldName, Fields, Problem } from './draft.ts';

const jobFields: readonly (FieldName | undefined)[] = [
  'title',
  'category',
  'payment',
  'positions',
  'perWorker',
  'minutes',
  'group',
];

/** The page on which a problem is shown at its field; what has none is said above everything. */
export function pageOf({ field }: Problem): 'job' | 'work' | 'check' {
  if (field === undefined) return 'check';
  return jobFields.includes(field) ? 'job' : 'work';
}

/** The first page on which something is wrong. */
export function firstPage(problems: readonly Problem[]): 'job' | 'work' | 'check' {
  const pages = problems.map(pageOf);
  return (['job', 'work'] as const).find((page) => pages.includes(page)) ?? 'check';
}

/** What is wrong with the first page, before anything is sent. `category`: the one chosen, if it still exists. */
export function jobProblems(fields: Fields, category: Category | undefined): Problem[] {
  const payment = readPayment(fields.payment);
  const paymentProblem =
    'problem' in payment ? payment.problem : category && tooLow(category, payment.amount);
  return [
    ...problem('title', fields.title === '' && 'Enter a title: workers see it first.'),
    ...problem('category', category === undefined && 'Choose a category.'),
    ...problem('payment', paymentProblem),
    ...problem('positions', isNoNumber(fields.positions) && 'Enter how many positions there are: 1 or more.'),
    ...problem(
      'perWorker',
      isNoNumber(fields.perWorker) && 'Enter how many positions one worker may take: 1 or more.',
    ),
    ...problem('minutes', isNoNumber(fields.minutes) && 'Enter how many minutes the job takes: 1 or more.'),
  ];
}

/** What is wrong with the second page. `hasCsv`: a template is attached, now or before. */
export function workProblems(fields: Fields, hasCsv: boolean): Problem[] {
  const days = wholeNumber(fields.ttr);
  return [
    ...problem('work', fields.work === '' && 'Describe what the worker has to do.'),
    ...fields.proofs.flatMap((proof, index) =>
      problem(
        (['proof1', 'proof2', 'proof3'] as const)[index] ?? 'proof1',
        proof === '' &&
          (fields.proofs.length === 1
            ? 'Describe what the worker hands in as proof.'
            : 'Describe this proof, or take the last one away.'),
      ),
    ),
    ...problem(
      'csv',
      fields.description === 'UNIQUE' &&
        !hasCsv &&
        'Attach the CSV template, or use one description for all.',
    ),
    ...problem('ttr', (days === undefined || days > 30) && 'Enter the days to rate a task: 1 to 30.'),
  ];
}

/** Everything that is wrong with a draft. */
export function allProblems(draft: Draft, category: Category | undefined): Problem[] {
  return [
    ...jobProblems(draft.fields, category),
    ...workProblems(draft.fields, draft.csv !== undefined && draft.template !== undefined),
  ];
}

/** Parameters of new_campaign; throws when the fields were not checked. */
export function toCampaign(fields: Fields, files: { file?: UploadFile; csv?: UploadFile }): NewCampaign {
  const payment = readPayment(fields.payment);
  if ('problem' in payment) throw new Error('a draft is sent that was not checked');
  return {
    title: fields.title,
    ...(fields.group === '' ? {} : { groupId: fields.group }),
    category: fields.category,
    minutesToFinish: Number(fields.minutes),
    availablePositions: Number(fields.positions),
    maxPositionsPerWorker: Number(fields.perWorker),
    paymentPerTask: payment.amount,
    descriptionType: fields.description,
    requiredWork: fields.work,
    requiredProof: fields.proofs,
    ttr: Number(fields.ttr),
    autoRate: fields.autoRate,
    fileProof: ({ '0': 0, '1': 1, '2': 2 } as const)[fields.fileProof],
    ...files,
    qtRequired: fields.qtRequired === '1',
  };
}

function isNoNumber(typed: string): boolean {
  return wholeNumber(typed) === undefined;
}

function problem(field: FieldName, text: string | false | undefined): Problem[] {
  return text ? [{ field, text }] : [];
}
