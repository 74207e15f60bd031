import type { KnownBlock, ModalView } from '@slack/types';
import { formatMoney } from '../../domain/money.ts';
import { fillPlaceholders, placeholdersIn } from '../../kit/brief.ts';
import { button, context, section } from '../../slack/blocks.ts';
import { inline, preformatted } from '../../slack/mrkdwn.ts';
import { formatSize } from '../../slack/proof-file.ts';
import { confirmPage } from '../../ui/draft-form.view.ts';
import { type Catalogue, categoryOf } from './catalogue.ts';
import { type CampaignDraft, type Template, templateOf } from './draft.ts';
import { goBack } from './inputs.view.ts';
import { costLine, costOf, parseWholeNumber } from './payment.ts';
import { wording } from './wording.ts';
import { autoRates, descriptions, fileProofs } from './work.view.ts';

export const reviewForm = 'campaign.create.check';
export const confirmCreate = 'campaign.create.confirm';

const textShown = 600;

/** Returns the last page: a summary with the cost. */
export function reviewView(draft: CampaignDraft, catalogue: Catalogue): ModalView {
  const { values: fields } = draft;
  const template = templateOf(draft);
  const category = categoryOf(catalogue, fields.category);
  const isUnique = fields.description === 'UNIQUE';
  const cost = costOf(fields.positions, fields.payment);
  const blocks = [
    section(
      [
        `*${inline(fields.title, 300)}*`,
        category ? inline(category.title, 150) : 'This category no longer exists.',
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
    context(
      'Nothing is sent before you press Create. Once created, a campaign cannot be withdrawn from here.',
    ),
  ];
  const text = cost === undefined ? wording.send : `${wording.send} for ${formatMoney(cost)}`;
  const confirm = { text, actionId: confirmCreate, value: 'create' };
  return confirmPage(wording, draft, reviewForm, blocks, confirm, button('Back', goBack, 'back'));
}

function settingLines({ values: fields, files: { file, csv } }: CampaignDraft): string[] {
  return [
    `Description: ${lowerCase(textOf(descriptions, fields.description))}`,
    `Positions per worker: ${inline(fields.perWorker)} · Minutes to finish: ${inline(fields.minutes)}`,
    `Days to rate: ${inline(fields.ttr)} · Automatic rating: ${lowerCase(textOf(autoRates, fields.autoRate))}`,
    `Files as proof: ${lowerCase(textOf(fileProofs, fields.fileProof))} · QT required: ${fields.qtRequired === '1' ? 'yes' : 'no'}`,
    ...(fields.group === '' ? [] : [`Group: ${inline(fields.group)}`]),
    ...(file ? [`File for the workers: ${inline(file.name)} (${formatSize(file.size)})`] : []),
    ...(csv && fields.description === 'UNIQUE'
      ? [`CSV template: ${inline(csv.name)} (${formatSize(csv.size)})`]
      : []),
  ];
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
      ? [`The template has ${rowsText(count)} for ${wanted.toLocaleString('en')} positions.`]
      : []),
  ];
  return [
    section(
      `*What workers read* (${rows.length === 1 ? 'row 1' : `rows 1 to ${rows.length}`} of ${count.toLocaleString('en')})\nColumns: ${columns
        .slice(0, 20)
        .map((name) => inline(name, 60))
        .join(', ')}${columns.length > 20 ? ' …' : ''}`,
    ),
    ...rows.map((row) => section(preformatted(fillPlaceholders(work, columns, row) || ' ', textShown))),
    ...(warnings.length > 0 ? [section(`*Check this.* ${warnings.join(' ')}`)] : []),
    context('This preview goes by the column names. The marketplace decides how the template is filled in.'),
  ];
}

function rowsText(count: number): string {
  return count === 1 ? 'only 1 row' : `only ${count.toLocaleString('en')} rows`;
}

function textOf(
  choices: readonly { readonly value: string; readonly text: string }[],
  value: string,
): string {
  return choices.find((choice) => choice.value === value)?.text ?? value;
}

function lowerCase(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
