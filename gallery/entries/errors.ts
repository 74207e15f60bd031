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
    'A modal that was not accepted again, and is told about when it is closed': () => {
      const { blocks } = viewWithError(submitted, notice('Connect first.'));
      const bare = { ...submitted, submit: null, close: null, notify_on_close: true };
      return viewWithError({ ...bare, blocks: blocks as typeof submitted.blocks }, notice('Still not.'));
    },
    'A full modal that was not accepted': () =>
      viewWithError({ ...submitted, blocks: Array(100).fill(section('A line')) }, notice('Not now.')),
  }),
];
