import type { InputBlock, KnownBlock, ModalView, OptionGroup, PlainTextOption } from '@slack/types';
import { type Campaign, titleKey } from '../../domain/campaign.ts';
import { formatMoney, type Money, money } from '../../domain/money.ts';
import { positionsTotal } from '../../domain/spending.ts';
import { fillPlaceholders, placeholdersIn } from '../../kit/brief.ts';
import { columnPlaceholderExample } from '../../marketplace/api-assumptions.ts';
import {
  actions,
  button,
  confirmView,
  context,
  input,
  limits,
  option,
  plainText,
  section,
} from '../../slack/blocks.ts';
import { code, inline, preformatted } from '../../slack/mrkdwn.ts';
import { formatSize } from '../../ui/proof.view.ts';
import { capital, counted, lowerFirst, number } from '../../ui/words.ts';
import {
  type CampaignDraft,
  type Catalogue,
  type Category,
  minimumsLine,
  proofsOf,
  type Template,
  templateOf,
  toCampaign,
} from './create-fields.ts';
import {
  fileField,
  formPage,
  heading,
  note,
  stateOf,
  subjectOf,
  topOfPage,
  unknownView,
} from './draft.view.ts';
import { numberInput, textInput } from './inputs.view.ts';

/** Returns a draft's modal. */
export function draftView(draft: CampaignDraft): ModalView {
  const { step } = draft;
  if (step === 'check') return reviewView(draft);
  if (step === 'unknown') return unknownView(draft);
  if (step === 'done') return note(draft, draft.sentences);
  return startAtTop(step === 'work' ? workView(draft) : jobView(draft));
}

/** The choice in place of the categories while there are none to choose from. */
export const noCategories = option(
  'The marketplace gives no categories right now. Try again in a minute.',
  'none',
);

/** @param made.cost as the marketplace answered */
export function createdSentences(
  draft: CampaignDraft,
  { campaignId, cost }: { readonly campaignId: string; readonly cost?: Money },
): string[] {
  const days = Number(draft.values.ttr);
  return [
    `${capital(subjectOf(draft))} was created. Its id is ${code(campaignId)}.`,
    ...(cost === undefined ? [] : [`It costs ${formatMoney(cost)}.`]),
    `The marketplace decides when it runs: \`/campaign status\` shows it. Its tasks must be rated within ${counted(days, 'day')}.`,
  ];
}

/** @param found campaigns with this title that appeared after the draft was sent */
export function foundSentence(found: readonly Pick<Campaign, 'id'>[]): string {
  const ids = found.slice(0, 5).map(({ id }) => code(id));
  return found.length === 0
    ? 'So far the marketplace lists no new campaign with this title, but it may still appear.'
    : `The marketplace now lists ${counted(found.length, 'new campaign')} with this title, so it was most likely created: id ${ids.join(', ')}. Check with \`/campaign status\` and the id. If it is yours, there is nothing more to do.`;
}

/** Why an approved campaign was not created, in mrkdwn. */
export const changedSince =
  'The form was changed since it was approved, so nothing was created. Send it again with `/campaign new`.';
export const firstPageGone =
  'What you typed on this page is gone: drafts are kept for a day. The second page is still there.';
export const draftGone =
  'The form is no longer available, so check with `/campaign list` whether it was created.';

/** Returns the first page: the campaign's category, size and payment. */
export function jobView(draft: CampaignDraft): ModalView {
  const { title, category, payment, positions, perWorker, minutes } = draft.values;
  return formPage(draft, 'campaign.create.job', [
    textInput('title', 'Title', title, { hint: 'The first thing workers see.' }),
    categorySelect(category),
    context(
      category === undefined
        ? 'Choose a category to see its minimum payment in each zone.'
        : minimumsLine(category),
    ),
    textInput('payment', 'Payment per task', payment, { hint: 'For example, 0.05.' }),
    numberInput('positions', 'Positions', positions, { hint: 'How many tasks you want in total.' }),
    numberInput('perWorker', 'Positions per worker', perWorker, {
      hint: 'How many of them one worker can do.',
    }),
    numberInput('minutes', 'Minutes to finish', minutes, { hint: 'Time limit for a worker.' }),
  ]);
}

/**
 * Returns options for the categories with the text in their own or their parent's title, below their parents: up to Slack's
 * limit, without those whose ids are too long.
 */
export function categoryOptions(catalogue: Catalogue, text = ''): { groups: OptionGroup[] } {
  const fits = (title: string) => titleKey(title).includes(titleKey(text));
  let room: number = limits.options;
  const groups = catalogue.flatMap(({ title, categories }) => {
    const options = categories
      .filter(
        (one) => one.id !== '' && one.id.length <= limits.optionValue && (fits(title) || fits(one.title)),
      )
      .slice(0, room)
      .map(categoryOption);
    room -= options.length;
    const label = plainText(title.trim() || 'Other', limits.optionText);
    return options.length > 0 ? [{ label, options }] : [];
  });
  return { groups };
}

function categorySelect(chosen: Category | undefined): InputBlock {
  const element = {
    type: 'external_select' as const,
    min_query_length: 0,
    placeholder: plainText('Choose a category'),
    ...(chosen ? { initial_option: categoryOption(chosen) } : {}),
  };
  return input('category', 'Category', element, { dispatches: 'campaign.create.category' });
}

function categoryOption({ id, title, minimums }: Category): PlainTextOption {
  const [least] = minimums;
  return option(title, id, least && `from ${formatMoney(money(least.payment))} per task`);
}

/** What can be chosen in a radio group: values, texts and what explains them. */
type Choices = readonly (readonly [value: string, text: string, description?: string])[];

const fileProofs: Choices = [
  ['0', 'No files'],
  ['1', 'Files are optional'],
  ['2', 'A file is required'],
];

const descriptions: Choices = [
  ['SAME', 'The same for all workers'],
  ['UNIQUE', 'Different for each worker', 'Filled in from a CSV file'],
];

/** Assumed: the API does not describe the template. See src/kit/brief.ts. */
const placeholderHint = `Write ${columnPlaceholderExample} where the text of a column should appear. This syntax is undocumented. Ask the marketplace first.`;

/** Returns the second page: what workers do and submit, and how it is rated. */
export function workView(draft: CampaignDraft): ModalView {
  const { description, work, proof1, proof2, proof3, fileProof, ttr } = draft.values;
  const proof = { isMultiline: true, isOptional: true };
  const isUnique = description === 'UNIQUE';
  return formPage(draft, 'campaign.create.work', [
    radio('description', 'Description', descriptions, description, {
      dispatches: 'campaign.create.description',
    }),
    ...(isUnique
      ? fileField(draft, 'csv', 'CSV template', {
          hint: 'Comma-separated, UTF-8, with the column names in the first line. You see the first rows filled in before anything is sent.',
          filetypes: ['csv', 'txt'],
        })
      : []),
    textInput('work', 'What the worker does', work, {
      isMultiline: true,
      ...(isUnique ? { hint: placeholderHint } : {}),
    }),
    textInput('proof1', 'What the worker submits as proof', proof1, { isMultiline: true }),
    textInput('proof2', 'Second proof', proof2, proof),
    textInput('proof3', 'Third proof', proof3, proof),
    radio('fileProof', 'Files as proof', fileProofs, fileProof),
    ...fileField(draft, 'file', 'File for the workers', {
      hint: 'Attached to the campaign. At most 10 MB.',
    }),
    numberInput('ttr', 'Days to rate', ttr, {
      max: 30,
      hint: '1 to 30. After that the marketplace may approve tasks automatically.',
    }),
    actions('back', [back]),
  ]);
}

const back = button('Back', 'campaign.create.back', 'back');

const textShown = 600;

/** Returns the last page: a summary with the cost. */
export function reviewView(draft: CampaignDraft): ModalView {
  const { title, category, work } = draft.values;
  const template = templateOf(draft);
  const { availablePositions: count, paymentPerTask: paid } = toCampaign(draft.values, {});
  const total = formatMoney(positionsTotal(paid, count));
  const cost = `Total cost: ${number(count)} × ${formatMoney(paid)} = *${total}*, fees not included`;
  const blocks = [
    section([`*${inline(title, 300)}*`, inline(category?.title ?? ''), cost].join('\n')),
    ...(template
      ? previewBlocks(work, template, count)
      : [section(`*What the worker does*\n${preformatted(work, textShown)}`)]),
    ...proofsOf(draft.values).map((proof) => section(`*Proof*\n${preformatted(proof, textShown)}`)),
    section(settingLines(draft).join('\n')),
    context('Nothing is sent before you press Create. Once created, a campaign can’t be canceled here.'),
  ];
  const confirm = { text: `Create for ${total}`, actionId: 'campaign.create.confirm', value: 'create' };
  const frame = { callbackId: 'campaign.create.check', title: heading, state: stateOf(draft) };
  return confirmView(frame, [...topOfPage(draft), ...blocks], confirm, back);
}

function settingLines({ values: fields, files: { file, csv } }: CampaignDraft): string[] {
  const chosenIn = (choices: Choices, value: string) =>
    lowerFirst(choices.find(([one]) => one === value)?.[1] ?? value);
  return [
    `Description: ${chosenIn(descriptions, fields.description)}`,
    `Positions per worker: ${inline(fields.perWorker)} · Minutes to finish: ${inline(fields.minutes)}`,
    `Days to rate: ${inline(fields.ttr)} · Files as proof: ${chosenIn(fileProofs, fields.fileProof)}`,
    ...(file ? [`File for the workers: ${inline(file.name)} (${formatSize(file.size)})`] : []),
    ...(csv ? [`CSV template: ${inline(csv.name)} (${formatSize(csv.size)})`] : []),
  ];
}

/** Returns the description with the template's first rows filled in, and warnings about likely mistakes. */
function previewBlocks(work: string, template: Template, wanted: number): KnownBlock[] {
  const { columns, rows, count } = template;
  const { all, unknown } = placeholdersIn(work, columns);
  const names = (some: readonly string[]) => some.map((name) => inline(name, 60));
  const missing = names(unknown.slice(0, 10)).map((name) => `“${name}”`);
  const warnings = [
    missing.length > 0 && `The template has no column for ${missing.join(', ')}.`,
    all.length === 0 &&
      'The description uses no column. Write {{column}} where the text of a column should appear.',
    count < wanted && `The template has only ${counted(count, 'row')} for ${number(wanted)} positions.`,
  ].filter(Boolean);
  const shown = rows.length === 1 ? 'row 1' : `rows 1 to ${rows.length}`;
  const listed = `${names(columns.slice(0, 20)).join(', ')}${columns.length > 20 ? ' …' : ''}`;
  return [
    section(`*What workers read* (${shown} of ${number(count)})\nColumns: ${listed}`),
    ...rows.map((row) => section(preformatted(fillPlaceholders(work, columns, row) || ' ', textShown))),
    ...(warnings.length > 0 ? [section(`*Check this.* ${warnings.join(' ')}`)] : []),
    context('This preview uses the column names. The marketplace decides how the template is filled in.'),
  ];
}

/** Returns radio buttons with an option selected. */
function radio(
  name: string,
  label: string,
  choices: Choices,
  value: string,
  rest: Parameters<typeof input>[3] = {},
): InputBlock {
  const options = choices.map(([one, text, description]) => option(text, one, description));
  const initial = options.find((one) => one.value === value);
  const element = {
    type: 'radio_buttons' as const,
    options,
    ...(initial ? { initial_option: initial } : {}),
  };
  return input(name, label, element, rest);
}

/**
 * Focuses the first input when the page is shown. Slack keeps the scroll position when one page replaces another, so the
 * new page would otherwise open scrolled down.
 */
export function startAtTop(view: ModalView): ModalView {
  const first = view.blocks.find((block) => block.type === 'input') as InputBlock;
  const focused = { ...first, element: { ...first.element, focus_on_load: true } } as InputBlock;
  return { ...view, blocks: view.blocks.map((block) => (block === first ? focused : block)) };
}
