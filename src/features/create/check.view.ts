import type { KnownBlock, ModalView } from '@slack/types';
import { context, section } from '../../slack/blocks.ts';
import { inline, preformatted } from '../../slack/mrkdwn.ts';
import { formatSize } from '../../slack/proof-file.ts';
import { costLine, minimumsLine, wholeNumber } from './amounts.ts';
import { type Catalogue, categoryOf } from './catalogue.ts';
import type { Draft, Template } from './draft.ts';
import { merged, placeholdersOf } from './merge.ts';
import { backButton, page, problemsOnTop } from './parts.view.ts';
import { autoRates, descriptions, fileProofs } from './work.view.ts';

export const checkForm = 'campaign.create.check';

const textShown = 600;

/** The last page: everything once more, with what it costs. */
export function checkView(draft: Draft, catalogue: Catalogue): ModalView {
  const { fields, template } = draft;
  const category = categoryOf(catalogue, fields.category);
  const isUnique = fields.description === 'UNIQUE';
  return page(
    draft,
    checkForm,
    [
      ...problemsOnTop(draft),
      section(
        [
          `*${inline(fields.title, 300)}*`,
          category ? inline(category.title, 150) : 'The category does not exist any more.',
          costLine(fields.positions, fields.payment),
        ].join('\n'),
      ),
      ...(category ? [context(minimumsLine(category, fields.payment))] : []),
      ...(isUnique && template ? previewBlocks(fields.work, template, fields.positions) : []),
      ...(isUnique ? [] : [section(`*What the worker does*\n${preformatted(fields.work, textShown)}`)]),
      ...fields.proofs.map((proof, index) =>
        section(
          `*${fields.proofs.length === 1 ? 'Proof' : `Proof ${index + 1}`}*\n${preformatted(proof, textShown)}`,
        ),
      ),
      section(settingLines(draft).join('\n')),
      context('Nothing is sent before you press Create. A campaign cannot be taken back from here.'),
      backButton(),
    ],
    'Create',
  );
}

function settingLines({ fields, file, csv }: Draft): string[] {
  return [
    `Description: ${lowered(textOf(descriptions, fields.description))}`,
    `Positions per worker: ${inline(fields.perWorker)} · Minutes to finish: ${inline(fields.minutes)}`,
    `Days to rate: ${inline(fields.ttr)} · Automatic rating: ${lowered(textOf(autoRates, fields.autoRate))}`,
    `Files as proof: ${lowered(textOf(fileProofs, fields.fileProof))} · QT required: ${fields.qtRequired === '1' ? 'yes' : 'no'}`,
    ...(fields.group === '' ? [] : [`Group: ${inline(fields.group)}`]),
    ...(file ? [`File for the workers: ${inline(file.name)} (${formatSize(file.size)})`] : []),
    ...(csv && fields.description === 'UNIQUE'
      ? [`CSV template: ${inline(csv.name)} (${formatSize(csv.size)})`]
      : []),
  ];
}

/** The description as the first rows of the template fill it in, and what about it may be a mistake. */
function previewBlocks(work: string, template: Template, positions: string): KnownBlock[] {
  const { columns, rows, count } = template;
  const { all, unknown } = placeholdersOf(work, columns);
  const wanted = wholeNumber(positions) ?? 0;
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
      ? ['The description uses no column: write {{column}} where its text shall stand.']
      : []),
    ...(count < wanted
      ? [`The template has ${rowsText(count)} for ${wanted.toLocaleString('en')} positions.`]
      : []),
  ];
  return [
    section(
      `*What workers read: the first ${rows.length === 1 ? 'row' : `${rows.length} rows`} of ${count.toLocaleString('en')}*\nColumns: ${columns
        .slice(0, 20)
        .map((name) => inline(name, 60))
        .join(', ')}${columns.length > 20 ? ' …' : ''}`,
    ),
    ...rows.map((row) => section(preformatted(merged(work, columns, row) || ' ', textShown))),
    ...(warnings.length > 0 ? [section(`*Check this.* ${warnings.join(' ')}`)] : []),
    context(
      'This is a preview made here, by the names of the columns. How the template is filled in for good, the marketplace decides.',
    ),
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

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
