import type { ModalView } from '@slack/types';
import type { MemberId, WorkspaceId } from '../../domain/terms.ts';
import { isCallFailure, MarketplaceError, TransportError } from '../../marketplace/index.ts';
import { answerInModal } from '../../slack/answers.ts';
import type { Actor, Feature, Submission } from '../../slack/feature.ts';
import { typed } from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import { pendingActionOf } from '../shared/connect-button.ts';
import type { FeatureContext } from '../shared/context.ts';
import { marketplaceErrorText } from '../shared/marketplace-error.ts';
import {
  type ConnectResult,
  checkingModal,
  connected,
  connectModal,
  decisionOnItsWay,
  disconnected,
  formClosed,
  keyMalformed,
  keyMissing,
  nextSteps,
  noOwnKey,
  notConnected,
  nothingDecided,
  otherAccount,
  wrongKey,
} from './accounts.view.ts';

type Deps = Pick<FeatureContext, 'accounts' | 'jobs' | 'clientFor' | 'messengerOf'> & {
  /** Runs when a member acts for another account than before, or for none. */
  readonly onAccountChange: (workspace: WorkspaceId, member: MemberId) => Promise<void>;
  /** What members clicked before they were connected: which account it is about, and carrying it out. */
  readonly pendingActions: {
    accountOf(action: string): string | undefined;
    resume(actor: Actor, action: string, id: string): Promise<ModalView | 'decided' | undefined>;
  };
};

/** Creates the feature of connecting: a member's own API key, checked before it is stored, and deleted on request. */
export function createAccountsFeature(deps: Deps): Feature {
  const { accounts, messengerOf } = deps;

  /** Checks a key with the marketplace, stores it, and carries out the pending action. */
  async function connect(submission: Submission, key: string): Promise<ConnectResult> {
    const client = deps.clientFor(key);
    try {
      await client.listCampaigns();
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      // Any other refusal still shows that the key itself is accepted.
      if (error instanceof TransportError || error.isAuthentication) {
        const isWrong = error instanceof MarketplaceError && error.code === 'API_KEY_WRONG';
        return notConnected(isWrong ? wrongKey : marketplaceErrorText(error));
      }
    } finally {
      await client.close();
    }
    const ref = await accounts.connect(submission.workspace, submission.member, key);
    await deps.jobs.add('release', ref);
    await deps.onAccountChange(submission.workspace, submission.member);
    const action = submission.state;
    const account = action === '' ? undefined : deps.pendingActions.accountOf(action);
    if (account === undefined) return connected(nextSteps);
    if (account !== ref.account) return connected(otherAccount);
    const next = await deps.pendingActions.resume(submission, action, submission.id);
    if (next === undefined) return connected(nothingDecided);
    return next === 'decided' ? connected(decisionOnItsWay) : connected(formClosed, next);
  }

  async function disconnect(workspace: WorkspaceId, member: MemberId): Promise<string> {
    const previous = await accounts.disconnect(workspace, member);
    if (previous === undefined) return noOwnKey;
    await deps.onAccountChange(workspace, member);
    const isLastKey = (await accounts.keyOf(previous)) === undefined;
    return disconnected(isLastKey, (await accounts.of(workspace, member)) !== undefined);
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
        help: 'Deletes your API key.',
        async run({ workspace, member, answer }) {
          await answer(notice(await disconnect(workspace, member)));
        },
      },
    ],
    clicks: {
      async 'account.connect'({ workspace, triggerId, value }) {
        await messengerOf(workspace).openModal(triggerId, connectModal(pendingActionOf(value)));
      },
      async 'account.disconnect'({ workspace, member, answer }) {
        await answer(notice(await disconnect(workspace, member)));
      },
    },
    submissions: {
      async 'account.connect'(submission) {
        const key = typed(submission.values, 'key');
        if (key === '') return { errors: { key: keyMissing } };
        // An HTTP header takes nothing else.
        if (!/^[\x21-\x7e]+$/.test(key)) return { errors: { key: keyMalformed } };
        return {
          update: checkingModal(),
          async afterwards() {
            const { view, sentence } = await connect(submission, key);
            const address = { viewId: submission.id, member: submission.member };
            await answerInModal(messengerOf(submission.workspace), address, view, sentence);
          },
        };
      },
    },
  };
}
