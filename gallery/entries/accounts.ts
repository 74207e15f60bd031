import { AccountId } from '../../src/domain/terms.ts';
import {
  alreadyNamed,
  checking,
  connected,
  connectedTo,
  connectModal,
  connectPrompt,
  decisionOnItsWay,
  disconnected,
  formClosed,
  keyOfOther,
  keyReplaced,
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
import { askButton } from '../../src/features/people/public.ts';
import { notice } from '../../src/slack/blocks.ts';
import { entriesOf } from '../entry.ts';

const acmeId = AccountId.parse('a1');
const acme = connectedTo('Acme');
const taken = (account: string, next: string) => statusModal(connected(account, next));
const refused = (why: string) => statusModal(notConnected(why));
const known = [
  { account: acmeId, name: 'default', isOwner: true },
  { account: AccountId.parse('a2'), name: 'Acme <Europe>', isOwner: false },
];

export const accounts = [
  ...entriesOf('Account', connectPrompt, {
    'Not connected, after a command': () => connectPrompt(),
    'Not connected, after a click on a card': () => connectPrompt('{"kind":"decide"}'),
    'Not connected, where owners can be asked': () => connectPrompt(undefined, askButton(acmeId, 'rate')),
  }),
  ...entriesOf('Account', connectModal, {
    'Enter the API key, first account': () => connectModal(''),
    'Enter the API key': () => connectModal('', known),
    'Enter the API key, more accounts than can be listed': () =>
      connectModal(
        '',
        Array.from({ length: 50 }, (_, at) => ({
          account: AccountId.parse(`a${at}`),
          name: `A${at}`,
          isOwner: true,
        })),
      ),
  }),
  ...entriesOf('Account', statusModal, {
    'Checking the key': () => statusModal(checking),
    Connected: () => taken(acme, nextSteps),
    'Key replaced': () => taken(keyReplaced('Acme'), ''),
    'Connected, decision under way': () => taken(acme, decisionOnItsWay),
    'Connected, nothing decided': () => taken(acme, nothingDecided),
    'Connected, the form was closed': () => taken(acme, formClosed),
    'Connected to another account': () => taken(acme, otherAccount),
    'Key not accepted': () => refused(wrongKey),
    'The name is taken': () => refused(alreadyNamed('Acme <Europe>')),
    'The key of another account': () => refused(keyOfOther('Acme', 'default')),
    'A key without the account’s campaigns': () => refused(listsNoCampaign('default')),
    'Not an owner, account without campaigns': () => refused(onlyOwnersAdd('default')),
    'Not an owner, replacing a key': () => refused(onlyOwnersReplace('default')),
  }),
  ...entriesOf('Account', notice, {
    Disconnected: () => notice(disconnected(false)),
    'Disconnected, nobody holds a key any more': () => notice(disconnected(true)),
    'Nothing to disconnect': () => notice(noOwnKey),
  }),
];
