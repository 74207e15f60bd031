import { AccountId } from '../../src/domain/terms.ts';
import {
  alreadyNamed,
  checkingModal,
  connected,
  connectModal,
  connectPrompt,
  decisionOnItsWay,
  describeAccount,
  disconnected,
  formClosed,
  keyOfOther,
  listsNoCampaign,
  nextSteps,
  noOwnKey,
  notConnected,
  nothingDecided,
  onlyOwnersAdd,
  onlyOwnersReplace,
  otherAccount,
  statusModal,
  wrongKey,
} from '../../src/features/people/accounts.view.ts';
import { notice } from '../../src/slack/blocks.ts';
import { entriesOf } from '../entry.ts';

const titles = ['Photo of a shelf', 'Type a menu', 'Find opening hours', 'Label 20 pictures', 'Call a shop'];
const found = { name: 'Acme', isReplaced: false, titles, isShared: false, others: 1 };
const known = [
  { account: AccountId.parse('a1'), name: 'default', isOwner: true },
  { account: AccountId.parse('a2'), name: 'Acme <Europe>', isOwner: false },
];

export const accounts = [
  ...entriesOf('Account', connectPrompt, {
    'Not connected, after a command': () => connectPrompt(),
    'Not connected, after a click on a card': () => connectPrompt('{"kind":"decide"}'),
  }),
  ...entriesOf('Account', connectModal, {
    'Enter the API key, first account': () => connectModal(''),
    'Enter the API key': () => connectModal('', known),
  }),
  ...entriesOf('Account', [checkingModal, statusModal], { 'Checking the key': () => checkingModal() }),
  ...entriesOf('Account', connected, {
    Connected: () => connected(describeAccount(found), nextSteps).view,
    'Connected, shared account without campaigns': () =>
      connected(
        describeAccount({ ...found, name: 'default', titles: [], isShared: true, others: 0 }),
        nextSteps,
      ).view,
    'Key replaced': () => connected(describeAccount({ ...found, isReplaced: true }), '').view,
    'Connected, decision under way': () => connected(describeAccount(found), decisionOnItsWay).view,
    'Connected, nothing decided': () => connected(describeAccount(found), nothingDecided).view,
    'Connected, the form was closed': () => connected(describeAccount(found), formClosed).view,
    'Connected to another account': () => connected(describeAccount(found), otherAccount).view,
  }),
  ...entriesOf('Account', notConnected, {
    'Key not accepted': () => notConnected(wrongKey).view,
    'The name is taken': () => notConnected(alreadyNamed('Acme <Europe>')).view,
    'The key of another account': () => notConnected(keyOfOther('Acme', 'default')).view,
    'A key without the account’s campaigns': () => notConnected(listsNoCampaign('default')).view,
    'Not an owner, account without campaigns': () => notConnected(onlyOwnersAdd('default')).view,
    'Not an owner, replacing a key': () => notConnected(onlyOwnersReplace('default')).view,
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
