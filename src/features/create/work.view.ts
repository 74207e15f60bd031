import type { KnownBlock, ModalView } from '@slack/types';
import { autoRateMeanings, columnPlaceholderExample } from '../../marketplace/api-assumptions.ts';
import { actions, button, input } from '../../slack/blocks.ts';
import { fileField } from '../../slack/file-field.ts';
import { type Draft, inputId } from './draft.ts';
import { initialText } from './job.view.ts';
import { backButton, numberInput, page, problemsAt, problemsOnTop, radio, telling } from './parts.view.ts';

export const workForm = 'campaign.create.work';
export const descriptionChanged = 'campaign.create.description';
export const addProof = 'campaign.create.proof.add';
export const dropProof = 'campaign.create.proof.drop';
export const dropFile = 'campaign.create.file.drop';

export const autoRates = Object.entries(autoRateMeanings).map(([value, meaning]) => ({
  value,
  text: `${meaning} (${value})`,
}));

export const fileProofs = [
  { value: '0', text: 'No files' },
  { value: '1', text: 'A file may be handed in' },
  { value: '2', text: 'A file must be handed in' },
] as const;

export const descriptions = [
  { value: 'SAME', text: 'All workers read the same' },
  { value: 'UNIQUE', text: 'Each worker reads their own', description: 'Filled in from a CSV file' },
] as const;

/** The second page: what workers do and hand in, and how it is rated. */
export function workView(draft: Draft): ModalView {
  const { fields } = draft;
  return page(
    draft,
    workForm,
    [
      ...problemsOnTop(draft),
      telling(radio('description', 'Description', descriptions, fields.description), descriptionChanged),
      ...problemsAt(draft, 'description'),
      ...(fields.description === 'UNIQUE'
        ? [
            ...fileField({
              name: inputId(draft, 'csv'),
              label: 'CSV template',
              hint: 'Commas between columns, text in UTF-8, the names of the columns in the first line. You see the first rows filled in before anything is sent.',
              attached: draft.csv,
              drop: { actionId: dropFile, value: 'csv' },
              filetypes: ['csv', 'txt'],
            }),
            ...problemsAt(draft, 'csv'),
          ]
        : []),
      input(
        'work',
        'What the worker does',
        { type: 'plain_text_input', multiline: true, ...initialText(fields.work) },
        fields.description === 'UNIQUE'
          ? {
              hint: `Write ${columnPlaceholderExample} where the text of a column belongs. Assumed: the API description does not give the syntax.`,
            }
          : {},
      ),
      ...problemsAt(draft, 'work'),
      ...proofBlocks(draft),
      radio('fileProof', 'Files as proof', fileProofs, fields.fileProof),
      ...problemsAt(draft, 'fileProof'),
      ...fileField({
        name: inputId(draft, 'file'),
        label: 'File for the workers',
        hint: 'Attached to the campaign. 10 MB at the most.',
        attached: draft.file,
        drop: { actionId: dropFile, value: 'file' },
      }),
      ...problemsAt(draft, 'file'),
      numberInput('ttr', 'Days to rate', fields.ttr, {
        max: 30,
        hint: '1 to 30. Tasks may be approved automatically when they run out.',
      }),
      ...problemsAt(draft, 'ttr'),
      radio(
        'autoRate',
        'Automatic rating',
        autoRates,
        fields.autoRate,
        'What V and V+R do is assumed: the API description does not say.',
      ),
      ...problemsAt(draft, 'autoRate'),
      radio(
        'qtRequired',
        'QT required',
        [
          { value: '1', text: 'Yes' },
          { value: '0', text: 'No' },
        ],
        fields.qtRequired,
        'Sent as qt_required; the marketplace takes yes where nothing is said.',
      ),
      ...problemsAt(draft, 'qtRequired'),
      backButton(),
    ],
    'Next',
  );
}

function proofBlocks(draft: Draft): KnownBlock[] {
  const { proofs } = draft.fields;
  const names = ['proof1', 'proof2', 'proof3'] as const;
  const inputs = proofs.flatMap((proof, index): KnownBlock[] => {
    const name = names[index];
    if (name === undefined) return [];
    const label = proofs.length === 1 ? 'What the worker hands in as proof' : `Proof ${index + 1}`;
    return [
      input(name, label, { type: 'plain_text_input', multiline: true, ...initialText(proof) }),
      ...problemsAt(draft, name),
    ];
  });
  return [
    ...inputs,
    actions('proofs', [
      ...(proofs.length < 3 ? [button('Add a proof', addProof, 'add')] : []),
      ...(proofs.length > 1 ? [button('Take the last proof away', dropProof, 'drop')] : []),
    ]),
  ];
}
