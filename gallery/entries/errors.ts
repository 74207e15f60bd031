import {
  internalError,
  loadingMessageModal,
  messageModal,
  notice,
  removed,
  section,
  triggerExpired,
  viewWithError,
} from '../../src/slack/blocks.ts';
import { entriesOf } from '../entry.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const submitted = {
  callback_id: 'x',
  private_metadata: '',
  title: plain('Campaign status'),
  submit: plain('Show'),
  close: plain('Cancel'),
  blocks: [section('What the form said before.')],
};

export const errors = [
  ...entriesOf('Errors', notice, {
    'An error of ours': () => notice(internalError('a1b2c3d4')),
    'Took too long': () => notice(triggerExpired),
    'Of something that was removed': () => notice(removed),
  }),
  ...entriesOf('Errors', messageModal, {
    'A message, answered in a modal above Home': () =>
      messageModal('Campaigns', notice('The marketplace does not answer. Try again in a minute.')),
  }),
  ...entriesOf('Errors', loadingMessageModal, {
    'A modal whose message is being loaded': () => loadingMessageModal('Campaigns'),
  }),
  ...entriesOf('Errors', viewWithError, {
    'A modal that was not accepted': () =>
      viewWithError(submitted, notice('The marketplace does not answer. Try again in a minute.')),
  }),
];
