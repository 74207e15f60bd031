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
  statusModal,
  wrongKey,
} from '../../src/features/accounts/accounts.view.ts';
import {
  describeAccount,
  questionExpired,
  sameAccountQuestion,
  sharedKeyReplaced,
} from '../../src/features/accounts/found-account.view.ts';
import { notice } from '../../src/slack/notice.ts';
import { entriesOf } from '../entry.ts';
import { ann, reviewChannel } from '../samples/people.ts';

const titles = ['Photo of a shelf', 'Type a menu', 'Find opening hours', 'Label 20 pictures', 'Call a shop'];
const found = { titles, isShared: false, others: 1 };
const known = { isShared: false, owners: [ann], channels: [reviewChannel], titles };

export const accounts = [
  ...entriesOf('Account', connectPrompt, {
    'Not connected, after a command': () => connectPrompt(),
    'Not connected, after a click on a card': () => connectPrompt('{"kind":"decide"}'),
  }),
  ...entriesOf('Account', connectModal, { 'Enter the API key': () => connectModal('') }),
  ...entriesOf('Account', [checkingModal, statusModal], { 'Checking the key': () => checkingModal() }),
  ...entriesOf('Account', connected, {
    Connected: () => connected(describeAccount(found), nextSteps).view,
    'Connected, shared account without campaigns': () =>
      connected(describeAccount({ titles: [], isShared: true, others: 0 }), nextSteps).view,
    'Connected, campaigns not listed': () =>
      connected(describeAccount({ isShared: false, others: 2 }), nextSteps).view,
    'Connected, decision under way': () => connected(describeAccount(found), decisionOnItsWay).view,
    'Connected, nothing decided': () => connected(describeAccount(found), nothingDecided).view,
    'Connected, the form was closed': () => connected(describeAccount(found), formClosed).view,
    'Connected to another account': () => connected(describeAccount(found), otherAccount).view,
  }),
  ...entriesOf('Account', sameAccountQuestion, {
    'New key of the same account?': () => sameAccountQuestion(known).view,
    'New key of the same account? (the form was closed)': () =>
      sameAccountQuestion({ isShared: true, owners: [], channels: [], titles: ['Photo of a shelf'] }).message,
  }),
  ...entriesOf('Account', sharedKeyReplaced, {
    'MARKETPLACE_API_KEY is a new key of the same account': () => sharedKeyReplaced(titles),
  }),
  ...entriesOf('Account', notConnected, {
    'Key not accepted': () => notConnected(wrongKey).view,
    'The question has expired': () => notConnected(questionExpired).view,
  }),
  ...entriesOf('Account', notice, {
    Disconnected: () => notice(disconnected({ isLastKey: false, hasSharedAccount: false })),
    'Disconnected, nobody holds a key any more': () =>
      notice(disconnected({ isLastKey: true, hasSharedAccount: false })),
    'Disconnected, shared account remains': () =>
      notice(disconnected({ isLastKey: false, hasSharedAccount: true })),
    'Nothing to disconnect': () => notice(noOwnKey),
  }),
];
