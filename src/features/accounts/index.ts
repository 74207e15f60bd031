import type { ModalView } from '@slack/types';
import type { MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Jobs } from '../../jobs/queue.ts';
import { type MarketplaceClient, MarketplaceError, TransportError } from '../../marketplace/index.ts';
import { sentenceFor } from '../../marketplace/sentences.ts';
import { answerInModal } from '../../slack/answers.ts';
import type { Actor, Feature, Submission } from '../../slack/feature.ts';
import { typed } from '../../slack/feature.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { escaped } from '../../slack/mrkdwn.ts';
import { notice } from '../../slack/notice.ts';
import type { Accounts } from '../../store/accounts.ts';
import {
  type Connected,
  checkingModal,
  connected,
  connectModal,
  disconnected,
  formClosed,
  intentOf,
  keyMissing,
  keyShape,
  notConnected,
  nothingSent,
  onItsWay,
  otherAccount,
  wasNotConnected,
  whatNext,
  wrongKey,
} from './accounts.view.ts';

export interface AccountsDeps {
  readonly accounts: Accounts;
  readonly jobs: Jobs;
  /** A client for a key that is not kept (yet). */
  readonly clientFor: (key: string) => MarketplaceClient;
  readonly messengerOf: (workspace: WorkspaceId) => Messenger;
  /** A member acts for another account than before, or for none. */
  readonly changed: (workspace: WorkspaceId, member: MemberId) => Promise<void>;
  /** What somebody meant before they were connected: which account it is about, and carrying it out. */
  readonly intents: {
    accountOf(intent: string): string | undefined;
    resume(actor: Actor, intent: string, id: string): Promise<ModalView | 'decided' | undefined>;
  };
}

/** Connecting: a member's own API key, checked before it is kept, and forgotten on request. */
export function createAccountsFeature(deps: AccountsDeps): Feature {
  const { accounts, messengerOf } = deps;

  /** Checks a key with the marketplace; then keeps it, and carries out what the person meant. */
  async function connect(submission: Submission, key: string): Promise<Connected> {
    const client = deps.clientFor(key);
    try {
      await client.listCampaigns();
    } catch (error) {
      const isKnown = error instanceof MarketplaceError || error instanceof TransportError;
      if (!isKnown) throw error;
      // Any other refusal still shows that the key itself is accepted.
      if (error instanceof TransportError || error.isAuthentication) {
        const isWrong = error instanceof MarketplaceError && error.code === 'API_KEY_WRONG';
        return notConnected(isWrong ? wrongKey : escaped(sentenceFor(error)));
      }
    } finally {
      await client.close();
    }
    const ref = await accounts.connect(submission.workspace, submission.member, key);
    await deps.jobs.add('release', ref);
    await deps.changed(submission.workspace, submission.member);
    const intent = submission.state;
    const wanted = intent === '' ? undefined : deps.intents.accountOf(intent);
    if (wanted === undefined) return connected(whatNext);
    if (wanted !== ref.account) return connected(otherAccount);
    const next = await deps.intents.resume(submission, intent, submission.id);
    if (next === undefined) return connected(nothingSent);
    return next === 'decided' ? connected(onItsWay) : connected(formClosed, next);
  }

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'connect',
        usage: '',
        help: 'Connects you to your marketplace account with its API key.',
        async run({ workspace, triggerId }) {
          await messengerOf(workspace).openModal(triggerId, connectModal(''));
        },
      },
      {
        command: '/proofdesk',
        word: 'disconnect',
        usage: '',
        help: 'Forgets your API key.',
        async run({ workspace, member, answer }) {
          await answer(notice(await disconnect(workspace, member)));
        },
      },
    ],
    clicks: {
      async 'account.connect'({ workspace, triggerId, value }) {
        await messengerOf(workspace).openModal(triggerId, connectModal(intentOf(value)));
      },
      async 'account.disconnect'({ workspace, member, answer }) {
        await answer(notice(await disconnect(workspace, member)));
      },
    },
    submissions: {
      async 'account.connect'(submission) {
        const key = typed(submission.values, 'key');
        if (key === '') return { errors: { key: keyMissing } };
        // A header takes nothing else, and a key has nothing else.
        if (!/^[\x21-\x7e]+$/.test(key)) return { errors: { key: keyShape } };
        return {
          update: checkingModal(),
          async afterwards() {
            const { view, sentence } = await connect(submission, key);
            const place = { viewId: submission.id, member: submission.member };
            await answerInModal(messengerOf(submission.workspace), place, view, sentence);
          },
        };
      },
    },
  };

  async function disconnect(workspace: WorkspaceId, member: MemberId): Promise<string> {
    const had = await accounts.disconnect(workspace, member);
    if (had === undefined) return wasNotConnected;
    await deps.changed(workspace, member);
    const isOrphan = (await accounts.keyOf(had)) === undefined;
    return disconnected(isOrphan, (await accounts.of(workspace, member)) !== undefined);
  }
}
