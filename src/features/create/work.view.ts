import type { KnownBlock, ModalView } from '@slack/types';
import { autoRateMeanings, columnPlaceholderExample } from '../../marketplace/api-assumptions.ts';
import { actions, button } from '../../slack/blocks.ts';
import { fileField } from '../../slack/file-field.ts';
import { fileInputId } from '../../ui/draft.ts';
import { formPage, numberInput, textInput } from '../../ui/draft-form.view.ts';
import type { CampaignDraft } from './draft.ts';
import { backButton, dispatching, radio } from './inputs.view.ts';
import { wording } from './wording.ts';

export const workForm = 'campaign.create.work';
export const descriptionChanged = 'campaign.create.description';
export const addProof = 'campaign.create.proof.add';
export const removeProof = 'campaign.create.proof.drop';
export const removeFile = 'campaign.create.file.drop';

export const autoRates = Object.entries(autoRateMeanings).map(([value, meaning]) => ({
  value,
  text: `${meaning} (${value})`,
}));

/** Assumed: the API lists NO, V and V+R without saying what they mean. */
const assumedAutoRates =
  'The marketplace does not document V and V+R: what they mean here is an assumption. Ask the marketplace before you use them.';

export const fileProofs = [
  { value: '0', text: 'No files' },
  { value: '1', text: 'Files are optional' },
  { value: '2', text: 'A file is required' },
] as const;

export const descriptions = [
  { value: 'SAME', text: 'The same for all workers' },
  { value: 'UNIQUE', text: 'Different for each worker', description: 'Filled in from a CSV file' },
] as const;

/** Assumed: the API does not describe the template. See ../shared/placeholders.ts. */
const placeholderHint = `Write ${columnPlaceholderExample} where the text of a column should appear. The API does not describe this syntax: it is an assumption.`;

const qtChoices = [
  { value: '1', text: 'Yes' },
  { value: '0', text: 'No' },
] as const;

/** Returns the second page: what workers do and submit, and how it is rated. */
export function workView(draft: CampaignDraft): ModalView {
  const { values: fields, files } = draft;
  return formPage(wording, draft, { callbackId: workForm, submit: 'Next' }, [
    dispatching(radio('description', 'Description', descriptions, fields.description), descriptionChanged),
    ...(fields.description === 'UNIQUE'
      ? fileField({
          name: fileInputId(draft, 'csv'),
          label: 'CSV template',
          hint: 'Comma-separated, UTF-8, with the column names in the first line. You see the first rows filled in before anything is sent.',
          attached: files.csv,
          remove: { actionId: removeFile, value: 'csv' },
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
      remove: { actionId: removeFile, value: 'file' },
    }),
    numberInput('ttr', 'Days to rate', fields.ttr, {
      max: 30,
      hint: '1 to 30. After that the marketplace may approve tasks automatically.',
    }),
    radio('autoRate', 'Automatic rating', autoRates, fields.autoRate, assumedAutoRates),
    radio('qtRequired', 'QT required', qtChoices, fields.qtRequired),
    backButton(),
  ]);
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
      ...(proofs.length < 3 ? [button('Add a proof', addProof, 'add')] : []),
      ...(proofs.length > 1 ? [button('Remove the last proof', removeProof, 'remove')] : []),
    ]),
  ];
}
