import {
  checkingModal,
  connected,
  connectModal,
  connectPrompt,
  decisionOnItsWay,
  disconnected,
  formClosed,
  nextSteps,
  noOwnKey,
  notConnected,
  nothingDecided,
  otherAccount,
  wrongKey,
} from '../../src/features/accounts/accounts.view.ts';
import { notice } from '../../src/slack/notice.ts';
import { entriesOf } from '../entry.ts';

export const accounts = [
  ...entriesOf('Account', connectPrompt, {
    'Not connected, after a command': () => connectPrompt(),
    'Not connected, after a click on a card': () => connectPrompt('{"kind":"decide"}'),
  }),
  ...entriesOf('Account', connectModal, { 'Enter the API key': () => connectModal('') }),
  ...entriesOf('Account', checkingModal, { 'Checking the key': () => checkingModal() }),
  ...entriesOf('Account', connected, {
    Connected: () => connected(nextSteps).view,
    'Connected, decision under way': () => connected(decisionOnItsWay).view,
    'Connected, nothing decided': () => connected(nothingDecided).view,
    'Connected, the form was closed': () => connected(formClosed).view,
    'Connected to another account': () => connected(otherAccount).view,
  }),
  ...entriesOf('Account', notConnected, { 'Key not accepted': () => notConnected(wrongKey).view }),
  ...entriesOf('Account', notice, {
    Disconnected: () => notice(disconnected(false, false)),
    'Disconnected, nobody holds a key any more': () => notice(disconnected(true, false)),
    'Disconnected, shared account remains': () => notice(disconnected(false, true)),
    'Nothing to disconnect': () => notice(noOwnKey),
  }),
];
