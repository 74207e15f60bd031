import type { InputBlock, KnownBlock, ModalView, PlainTextElement, PlainTextOption } from '@slack/types';
import type { Campaign } from '../../domain/campaign.ts';
import { formatMoney, type Money, money } from '../../domain/money.ts';
import { fillPlaceholders, placeholdersIn } from '../../kit/brief.ts';
import { autoRateMeanings, columnPlaceholderExample } from '../../marketplace/api-assumptions.ts';
import { actions, button, context, input, limits, option, plainText, section } from '../../slack/blocks.ts';
import { code, inline, preformatted } from '../../slack/mrkdwn.ts';
import { fileInputId, type Problem } from '../../ui/draft.ts';
import {
  confirmPage,
  type FormWording,
  fileField,
  formPage,
  note,
  numberInput,
  textInput,
  unknownView,
} from '../../ui/draft-form.view.ts';
import { formatSize } from '../../ui/proof.view.ts';
import { capital, counted, lowerFirst, number } from '../../ui/words.ts';
import type { Catalogue, Category } from './create-fields.ts';
import {
  type CampaignDraft,
  costLine,
  costOf,
  type Fields,
  minimumsLine,
  parseWholeNumber,
  type Template,
  templateOf,
} from './create-fields.ts';

export const wording: FormWording = {
  title: 'New campaign',
  command: '/campaign new',
  noteForm: 'campaign.create.note',
  actions: {
    resume: 'campaign.create.go-on',
    discard: 'campaign.create.discard',
    lookAgain: 'campaign.create.look',
    backToForm: 'campaign.create.again',
    open: 'campaign.create.open',
  },
  send: 'Create',
  sent: 'created',
  subject: ({ values: { title } }: CampaignDraft) =>
    title.trim() === '' ? 'the campaign' : `*${inline(title)}*`,
  sendAgainOnlyIf:
    'Press Create only if `/campaign list` does not show it: a second campaign costs as much again.',
  foundIn: 'The list of campaigns',
};

/** Returns a draft's modal. */
export function draftView(draft: CampaignDraft): ModalView {
  switch (draft.step) {
    case 'job':
      return startAtTop(jobView(draft));
    case 'work':
      return startAtTop(workView(draft));
    case 'check':
      return reviewView(draft);
    case 'unknown':
      return unknownView(wording, draft);
    case 'done':
      return note(wording, draft, draft.sentences);
  }
}

/** The choice in place of the categories while there are none to choose from. */
export const noCategories = option(
  'The marketplace gives no categories right now. Try again in a minute.',
  'none',
);

/** Returns the modal shown while files are read. The inputs are stored already, so going back loses nothing. */
export function readingView(draft: CampaignDraft): ModalView {
  return note(
    wording,
    draft,
    [
      'Reading the files…',
      'What you typed is kept. If this does not change within two minutes, go back to the form and press Next again.',
    ],
    [button('Back to the form', wording.actions.backToForm, 'back')],
  );
}

export const lostPageProblem: Problem = {
  text: 'The first page is no longer available: drafts are kept for a day. Fill it in once more. What you typed on the second page is still there.',
};

/** @param made.cost as the marketplace answered */
export function createdSentences(
  draft: CampaignDraft,
  { campaignId, cost }: { readonly campaignId: string; readonly cost?: Money },
): string[] {
  const days = Number(draft.values.ttr);
  return [
    `${capital(wording.subject(draft))} was created. Its id is ${code(campaignId)}.`,
    ...(cost === undefined ? [] : [`It costs ${formatMoney(cost)}.`]),
    `The marketplace decides when it runs: \`/campaign status\` shows it. Its tasks must be rated within ${counted(days, 'day')}.`,
  ];
}

/** @param found campaigns with this title that appeared after the draft was sent */
export function foundSentence(
  found: readonly Pick<Campaign, 'id' | 'title' | 'availablePositions'>[],
): string {
  if (found.length === 0) {
    return 'So far the marketplace lists no new campaign with this title, but it may still appear.';
  }
  const lines = found
    .slice(0, 5)
    .map(
      ({ id, title, availablePositions }) =>
        `• *${inline(title.trim() || 'Untitled')}*, id ${code(id)}, ${counted(availablePositions, 'position')}`,
    );
  return `${found.length === 1 ? 'A campaign' : 'More than one campaign'} with this title has appeared since, so it was most likely created:\n${lines.join('\n')}\nCheck it with \`/campaign status\` and this id. If it is yours, there is nothing more to do.`;
}

/** Why an approved campaign was not created, in mrkdwn. */
export const changedSince =
  'The form was changed since it was approved, so nothing was created. Send it again with `/campaign new`.';
export const draftGone =
  'The form is no longer available, so check with `/campaign list` whether it was created.';

/** Categories below their parent. */
export interface CategoryGroup {
  readonly label: PlainTextElement;
  readonly options: PlainTextOption[];
}

/** Returns the first page: the campaign's category, size and payment. */
export function jobView(draft: CampaignDraft): ModalView {
  const { values: fields } = draft;
  const { category } = fields;
  return formPage(wording, draft, { callbackId: 'campaign.create.job', submit: 'Next' }, [
    textInput('title', 'Title', fields.title, { hint: 'The first thing workers see.' }),
    categorySelect(category),
    context(
      category === undefined
        ? 'Choose a category to see its minimum payment in each zone.'
        : minimumsLine(category, fields.payment),
    ),
    dispatching(
      textInput('payment', 'Payment per task', fields.payment, { hint: 'For example, 0.05.' }),
      'campaign.create.payment',
    ),
    dispatching(
      numberInput('positions', 'Positions', fields.positions, { hint: 'How many tasks you want in total.' }),
      'campaign.create.positions',
    ),
    context(costLine(fields.positions, fields.payment)),
    numberInput('perWorker', 'Positions per worker', fields.perWorker, {
      hint: 'How many of them one worker can do.',
    }),
    numberInput('minutes', 'Minutes to finish', fields.minutes, { hint: 'Time limit for a worker.' }),
  ]);
}

/** Returns category options below their parents, up to Slack's limit, without those whose ids are too long. */
export function categoryOptions(catalogue: Catalogue): { groups: CategoryGroup[] } {
  let room: number = limits.options;
  const groups: CategoryGroup[] = [];
  for (const { title, categories } of catalogue) {
    const options = categories
      .filter(({ id }) => id !== '' && id.length <= limits.optionValue)
      .slice(0, room)
      .map(categoryOption);
    const label = plainText(title.trim() === '' ? 'Other' : title, limits.optionText);
    if (options.length > 0) groups.push({ label, options });
    room -= options.length;
  }
  return { groups };
}

function categorySelect(chosen: Category | undefined): InputBlock {
  const element = {
    type: 'external_select' as const,
    min_query_length: 0,
    placeholder: plainText('Choose a category'),
    ...(chosen ? { initial_option: categoryOption(chosen) } : {}),
  };
  return dispatching(input('category', 'Category', element), 'campaign.create.category');
}

function categoryOption({ id, title, minimums }: Category): PlainTextOption {
  const [least] = minimums.map(({ payment }) => money(payment)).sort((a, b) => a.cmp(b));
  return option(title, id, least ? `from ${formatMoney(least)} per task` : undefined);
}

const advancedFields: ReadonlySet<string | undefined> = new Set(['group', 'autoRate', 'qtRequired']);

export const autoRates = Object.entries(autoRateMeanings).map(([value, meaning]) => ({
  value,
  text: `${meaning} (${value})`,
}));

/** Assumed: the API lists NO, V and V+R without saying what they mean. */
const assumedAutoRates = 'V and V+R are undocumented. Ask the marketplace first.';

export const fileProofs = [
  { value: '0', text: 'No files' },
  { value: '1', text: 'Files are optional' },
  { value: '2', text: 'A file is required' },
] as const;

export const descriptions = [
  { value: 'SAME', text: 'The same for all workers' },
  { value: 'UNIQUE', text: 'Different for each worker', description: 'Filled in from a CSV file' },
] as const;

/** Assumed: the API does not describe the template. See src/kit/brief.ts. */
const placeholderHint = `Write ${columnPlaceholderExample} where the text of a column should appear. This syntax is undocumented. Ask the marketplace first.`;

const qtChoices = [
  { value: '1', text: 'Yes' },
  { value: '0', text: 'No' },
] as const;

/** Returns the second page: what workers do and submit, and how it is rated. */
export function workView(draft: CampaignDraft): ModalView {
  const { values: fields, files } = draft;
  return formPage(wording, draft, { callbackId: 'campaign.create.work', submit: 'Next' }, [
    dispatching(
      radio('description', 'Description', descriptions, fields.description),
      'campaign.create.description',
    ),
    ...(fields.description === 'UNIQUE'
      ? fileField({
          name: fileInputId(draft, 'csv'),
          label: 'CSV template',
          hint: 'Comma-separated, UTF-8, with the column names in the first line. You see the first rows filled in before anything is sent.',
          attached: files.csv,
          remove: { actionId: 'campaign.create.file.drop', value: 'csv' },
          filetypes: ['csv', 'txt'],
        })
      : []),
    textInput('work', 'What the worker does', fields.work, {
      isMultiline: true,
      ...(fields.description === 'UNIQUE' ? { hint: placeholderHint } : {}),
    }),
    ...proofBlocks(draft),
    radio('fileProof', 'Files as proof', fileProofs, fields.fileProof),
    ...fileField({
      name: fileInputId(draft, 'file'),
      label: 'File for the workers',
      hint: 'Attached to the campaign. At most 10 MB.',
      attached: files.file,
      remove: { actionId: 'campaign.create.file.drop', value: 'file' },
    }),
    numberInput('ttr', 'Days to rate', fields.ttr, {
      max: 30,
      hint: '1 to 30. After that the marketplace may approve tasks automatically.',
    }),
    ...advancedBlocks(draft),
  ]);
}

/** Returns the inputs that few campaigns need, once they are asked for or one is to be corrected; and the way back. */
function advancedBlocks({ values: fields, problems }: CampaignDraft): KnownBlock[] {
  const back = button('Back', 'campaign.create.back', 'back');
  const isShown = fields.isAdvanced || problems.some(({ field }) => advancedFields.has(field));
  if (!isShown) return [actions('back', [back, button('Advanced', 'campaign.create.advanced', 'show')])];
  return [
    textInput('group', 'Group', fields.group, {
      hint: 'The id of a group at the marketplace (group_id), if you use one.',
      isOptional: true,
    }),
    radio('autoRate', 'Automatic rating', autoRates, fields.autoRate, assumedAutoRates),
    radio('qtRequired', 'QT required', qtChoices, fields.qtRequired),
    actions('back', [back]),
  ];
}

function proofBlocks(draft: CampaignDraft): KnownBlock[] {
  const { proofs } = draft.values;
  const inputs = proofs.map((proof, index) => {
    const label = proofs.length === 1 ? 'What the worker submits as proof' : `Proof ${index + 1}`;
    return textInput(`proof${index + 1}`, label, proof, { isMultiline: true });
  });
  return [
    ...inputs,
    actions('proofs', [
      ...(proofs.length < 3 ? [button('Add a proof', 'campaign.create.proof.add', 'add')] : []),
      ...(proofs.length > 1 ? [button('Remove the last proof', 'campaign.create.proof.drop', 'remove')] : []),
    ]),
  ];
}

const textShown = 600;

/** Returns the last page: a summary with the cost. */
export function reviewView(draft: CampaignDraft): ModalView {
  const { values: fields } = draft;
  const template = templateOf(draft);
  const isUnique = fields.description === 'UNIQUE';
  const cost = costOf(fields.positions, fields.payment);
  const blocks = [
    section(
      [
        `*${inline(fields.title, 300)}*`,
        inline(fields.category?.title ?? '', 150),
        costLine(fields.positions, fields.payment),
      ].join('\n'),
    ),
    ...(isUnique && template ? previewBlocks(fields.work, template, fields.positions) : []),
    ...(isUnique ? [] : [section(`*What the worker does*\n${preformatted(fields.work, textShown)}`)]),
    ...fields.proofs.map((proof, index) =>
      section(
        `*${fields.proofs.length === 1 ? 'Proof' : `Proof ${index + 1}`}*\n${preformatted(proof, textShown)}`,
      ),
    ),
    section(settingLines(draft).join('\n')),
    context('Nothing is sent before you press Create. Once created, a campaign can’t be canceled here.'),
  ];
  const text = cost === undefined ? wording.send : `${wording.send} for ${formatMoney(cost)}`;
  const confirm = { text, actionId: 'campaign.create.confirm', value: 'create' };
  return confirmPage(
    wording,
    draft,
    'campaign.create.check',
    blocks,
    confirm,
    button('Back', 'campaign.create.back', 'back'),
  );
}

function settingLines({ values: fields, files: { file, csv } }: CampaignDraft): string[] {
  return [
    `Description: ${lowerFirst(textOf(descriptions, fields.description))}`,
    `Positions per worker: ${inline(fields.perWorker)} · Minutes to finish: ${inline(fields.minutes)}`,
    `Days to rate: ${inline(fields.ttr)} · Files as proof: ${lowerFirst(textOf(fileProofs, fields.fileProof))}`,
    ...(fields.isAdvanced ? [advancedLine(fields)] : []),
    ...(file ? [`File for the workers: ${inline(file.name)} (${formatSize(file.size)})`] : []),
    ...(csv && fields.description === 'UNIQUE'
      ? [`CSV template: ${inline(csv.name)} (${formatSize(csv.size)})`]
      : []),
  ];
}

function advancedLine({ group, autoRate, qtRequired }: Fields): string {
  return [
    `Automatic rating: ${lowerFirst(textOf(autoRates, autoRate))}`,
    `QT required: ${qtRequired === '1' ? 'yes' : 'no'}`,
    ...(group === '' ? [] : [`Group: ${inline(group)}`]),
  ].join(' · ');
}

/** Returns the description with the template's first rows filled in, and warnings about likely mistakes. */
function previewBlocks(work: string, template: Template, positions: string): KnownBlock[] {
  const { columns, rows, count } = template;
  const { all, unknown } = placeholdersIn(work, columns);
  const wanted = parseWholeNumber(positions) ?? 0;
  const warnings = [
    ...(unknown.length > 0
      ? [
          `The template has no column for ${unknown
            .slice(0, 10)
            .map((name) => `“${inline(name, 60)}”`)
            .join(', ')}.`,
        ]
      : []),
    ...(all.length === 0
      ? ['The description uses no column. Write {{column}} where the text of a column should appear.']
      : []),
    ...(count < wanted
      ? [`The template has only ${counted(count, 'row')} for ${number(wanted)} positions.`]
      : []),
  ];
  return [
    section(
      `*What workers read* (${rows.length === 1 ? 'row 1' : `rows 1 to ${rows.length}`} of ${number(count)})\nColumns: ${columns
        .slice(0, 20)
        .map((name) => inline(name, 60))
        .join(', ')}${columns.length > 20 ? ' …' : ''}`,
    ),
    ...rows.map((row) => section(preformatted(fillPlaceholders(work, columns, row) || ' ', textShown))),
    ...(warnings.length > 0 ? [section(`*Check this.* ${warnings.join(' ')}`)] : []),
    context('This preview uses the column names. The marketplace decides how the template is filled in.'),
  ];
}

function textOf(
  choices: readonly { readonly value: string; readonly text: string }[],
  value: string,
): string {
  return choices.find((choice) => choice.value === value)?.text ?? value;
}

/** Returns radio buttons with an option selected. */
export function radio(
  name: string,
  label: string,
  choices: readonly { readonly value: string; readonly text: string; readonly description?: string }[],
  value: string,
  hint?: string,
): InputBlock {
  const options = choices.map((choice) => option(choice.text, choice.value, choice.description));
  const initial = options.find((one) => one.value === value);
  return input(
    name,
    label,
    { type: 'radio_buttons', options, ...(initial ? { initial_option: initial } : {}) },
    hint ? { hint } : {},
  );
}

/** Makes Slack report every change of an input immediately. The separate action id identifies the input. */
export function dispatching(block: InputBlock, actionId: string): InputBlock {
  const { element } = block;
  const isTyped = element.type === 'plain_text_input' || element.type === 'number_input';
  return {
    ...block,
    dispatch_action: true,
    element: {
      ...element,
      action_id: actionId,
      ...(isTyped ? { dispatch_action_config: { trigger_actions_on: ['on_character_entered'] } } : {}),
    } as InputBlock['element'],
  };
}

/**
 * Focuses the first input when the page is shown. Slack keeps the scroll position when one page replaces another, so the
 * new page would otherwise open scrolled down.
 */
export function startAtTop(view: ModalView): ModalView {
  const first = view.blocks.find((block) => block.type === 'input') as InputBlock | undefined;
  if (first === undefined) return view;
  const focused = { ...first, element: { ...first.element, focus_on_load: true } } as InputBlock;
  return { ...view, blocks: view.blocks.map((block) => (block === first ? focused : block)) };
}
