import type { Refusal } from '../../src/domain/permissions.ts';
import { ChannelId, MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import {
  addRoleModal,
  alreadyAnswered,
  answeredBy,
  askedBefore,
  askedText,
  askerMessage,
  confirmedText,
  lastOwner,
  mayNow,
  nobodyToAsk,
  ownerMessage,
  refusalMessage,
  saved,
  settingsModal,
  settingsState,
  sharedChannelMessage,
} from '../../src/features/people/roles.view.ts';
import { notice } from '../../src/slack/blocks.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, ben, chloe, reviewChannel } from '../samples/people.ts';

const ref = { workspace: WorkspaceId.parse('T0SANDBOX'), account };
const refusals: readonly Refusal[] = ['stranger', 'guest', 'bot', 'deactivated', 'unchecked'];
const asked = { id: 'id', account, member: ben, capability: 'restart' } as const;

const shared = {
  page: 0,
  account,
  rights: { grants: [], confirmedChannels: [] },
  isShared: true,
  ownersByKey: [ann],
  channels: [reviewChannel],
  sharedChannels: [],
};
const at = 1_763_700_000_000;
const many = {
  ...shared,
  isShared: false,
  rights: {
    grants: [
      { to: { kind: 'member', id: ben }, role: 'manager', by: ann, at },
      { to: { kind: 'channel', id: reviewChannel }, role: 'viewer', by: ann, at },
    ],
    confirmedChannels: [],
  },
  sharedChannels: [reviewChannel],
} as const;

export const rights = [
  ...entriesOf('Rights', refusalMessage, {
    'A role that is too low': () =>
      refusalMessage({
        ref,
        capability: 'restart',
        role: 'reviewer',
        owners: [ann, ben, chloe, ann, ben, chloe],
      }),
    'No role, and no owner by name': () => refusalMessage({ ref, capability: 'rate', owners: [] }),
    'A guest connects': () => refusalMessage({ refusal: 'guest' }),
    ...Object.fromEntries(
      refusals.map((refusal) => [
        `No access: ${refusal}`,
        () => refusalMessage({ ref, capability: 'rate', refusal }),
      ]),
    ),
  }),
  ...entriesOf('Rights', ownerMessage, {
    'A member asks for a role': () => ownerMessage(asked),
    'A guest asks for a role': () => ownerMessage({ ...asked, isGuest: true }),
    'Given, as owners see it': () => ownerMessage({ ...asked, answer: { by: ann, isGranted: true } }),
    'Declined, as owners see it': () => ownerMessage({ ...asked, answer: { by: ann, isGranted: false } }),
  }),
  ...entriesOf('Rights', askerMessage, {
    'Given, as whoever asked sees it': () => askerMessage({ ...asked, answer: { by: ann, isGranted: true } }),
    'Declined, as whoever asked sees it': () =>
      askerMessage({ ...asked, answer: { by: ann, isGranted: false } }),
  }),
  ...entriesOf('Rights', notice, {
    'The owners are asked': () => notice(askedText),
    'A shared channel was confirmed': () => notice(confirmedText(reviewChannel)),
    'Asked before': () => notice(askedBefore),
    'Nobody to ask': () => notice(nobodyToAsk),
    'It is allowed now': () => notice(mayNow),
    'The request is gone': () => notice(alreadyAnswered),
    'Another owner granted the request': () => notice(answeredBy(ann, true)),
    'Another owner declined the request': () => notice(answeredBy(ann, false)),
  }),
  ...entriesOf('Rights', settingsModal, {
    'The shared account, as it begins': () => settingsModal(shared),
    'Roles and a shared channel': () => settingsModal({ ...many, outcome: saved }),
    'A shared channel that was confirmed': () =>
      settingsModal({
        ...many,
        rights: { ...many.rights, confirmedChannels: [reviewChannel] },
        outcome: saved,
      }),
    'More roles and shared channels than can be listed': () =>
      settingsModal({
        ...shared,
        rights: {
          ...shared.rights,
          grants: Array.from({ length: 80 }, (_, index) => ({
            to: { kind: 'member', id: MemberId.parse(`U02BEN${index}`) },
            role: index < 20 ? 'manager' : 'reviewer',
            by: ann,
            at,
          })),
        },
        sharedChannels: Array.from({ length: 40 }, (_, index) => ChannelId.parse(`C01SHARED${index}`)),
      }),
    'The last owner stays': () => settingsModal({ ...shared, outcome: lastOwner }),
  }),
  ...entriesOf('Rights', addRoleModal, {
    'Add a role': () => addRoleModal(settingsState.encode({ account, page: 0 })),
  }),
  ...entriesOf('Rights', sharedChannelMessage, {
    'A channel is shared with another company': () => sharedChannelMessage(account, reviewChannel),
  }),
];
