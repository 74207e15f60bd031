import type { NewCampaign, UploadFile } from '../../marketplace/index.ts';
import type { Problem } from '../../ui/draft.ts';
import type { Category } from './catalogue.ts';
import { type CampaignDraft, type FieldName, type Fields, type Page, templateOf } from './draft.ts';
import { belowMinimum, parsePayment, parseWholeNumber } from './payment.ts';

const jobFields: readonly (string | undefined)[] = [
  'title',
  'category',
  'payment',
  'positions',
  'perWorker',
  'minutes',
  'group',
];

/** Returns the page with a problem's field. Problems without a field are shown on the last page. */
export function pageOf({ field }: Problem): Page {
  if (field === undefined) return 'check';
  return jobFields.includes(field) ? 'job' : 'work';
}

/** Returns the first page with a problem. */
export function firstPageOf(problems: readonly Problem[]): Page {
  const pages = problems.map(pageOf);
  return (['job', 'work'] as const).find((page) => pages.includes(page)) ?? 'check';
}

/** Returns the problems of the first page. @param category the chosen one, if it still exists */
export function jobProblems(fields: Fields, category: Category | undefined): Problem[] {
  const payment = parsePayment(fields.payment);
  const paymentProblem =
    'problem' in payment ? payment.problem : category && belowMinimum(category, payment.amount);
  return [
    ...problem('title', fields.title === '' && 'Enter a title: workers see it first.'),
    ...problem('category', category === undefined && 'Choose a category.'),
    ...problem('payment', paymentProblem),
    ...problem('positions', isNotCount(fields.positions) && 'Enter how many positions there are: 1 or more.'),
    ...problem(
      'perWorker',
      isNotCount(fields.perWorker) && 'Enter how many positions one worker may take: 1 or more.',
    ),
    ...problem(
      'minutes',
      isNotCount(fields.minutes) && 'Enter how many minutes the job may take: 1 or more.',
    ),
  ];
}

/** Returns the problems of the second page. @param hasCsv whether a template is attached */
export function workProblems(fields: Fields, hasCsv: boolean): Problem[] {
  const days = parseWholeNumber(fields.ttr);
  return [
    ...problem('work', fields.work === '' && 'Describe what the worker has to do.'),
    ...fields.proofs.flatMap((proof, index) =>
      problem(
        (['proof1', 'proof2', 'proof3'] as const)[index] ?? 'proof1',
        proof === '' &&
          (fields.proofs.length === 1
            ? 'Describe the proof that the worker submits.'
            : 'Describe this proof, or remove the last one.'),
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

/** Returns all problems of a draft. */
export function allProblems(draft: CampaignDraft, category: Category | undefined): Problem[] {
  return [
    ...jobProblems(draft.values, category),
    ...workProblems(draft.values, templateOf(draft) !== undefined),
  ];
}

/** Maps valid fields to the parameters of new_campaign. */
export function toCampaign(fields: Fields, files: { file?: UploadFile; csv?: UploadFile }): NewCampaign {
  const payment = parsePayment(fields.payment);
  if ('problem' in payment) throw new Error('the draft was not validated before it was sent');
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

function isNotCount(typed: string): boolean {
  return parseWholeNumber(typed) === undefined;
}

function problem(field: FieldName, text: string | false | undefined): Problem[] {
  return text ? [{ field, text }] : [];
}
