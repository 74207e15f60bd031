import type { ModalView } from '@slack/types';
import type { AccountId, AccountRef, MemberId, WorkspaceId } from '../../domain/terms.ts';
import { type CampaignEntry, isCallFailure, MarketplaceError } from '../../marketplace/index.ts';
import { answerInModal, answerInPlace, updateModalIfPossible } from '../../slack/answers.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Actor, Click, Feature, Submission, SubmissionAnswer, Unchecked } from '../../slack/feature.ts';
import { typed } from '../../slack/form-values.ts';
import { notice } from '../../slack/notice.ts';
import { pendingActionOf } from '../shared/connect-button.ts';
import type { FeatureContext } from '../shared/context.ts';
import { marketplaceErrorText } from '../shared/marketplace-error.ts';
import { type RecognizedAccount, recognizeAccount } from '../shared/same-account.ts';
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
import {
  describeAccount,
  type FoundAccount,
  type KnownAccount,
  questionExpired,
  sameAccountQuestion,
} from './found-account.view.ts';

type Deps = Pick<
  FeatureContext,
  | 'accounts'
  | 'campaigns'
  | 'claimOnce'
  | 'clientFor'
  | 'jobs'
  | 'listings'
  | 'memberData'
  | 'messengerOf'
  | 'subscriptions'
> & {
  /** Runs when a member's account changes, or ends. */
  readonly onAccountChange: (workspace: WorkspaceId, member: MemberId) => Promise<void>;
  /** Actions clicked before connecting: their account, and how to resume them. */
  readonly pendingActions: {
    accountOf(action: string): string | undefined;
    resume(actor: Actor, action: string, id: string): Promise<ModalView | 'decided' | undefined>;
  };
};

/** Creates the connection of members: their own API key, validated before it is stored, and deleted on request. */
export function createAccountsFeature(deps: Deps): Feature {
  const { accounts, messengerOf } = deps;

  /** Lists the campaigns a key can see; undefined if the marketplace accepts the key but refuses the list. */
  async function campaignsOf(key: string): Promise<CampaignEntry[] | undefined> {
    const client = deps.clientFor(key);
    try {
      return await client.listCampaigns();
    } catch (error) {
      // Any other refusal still proves that the key is accepted. After a temporary error, the list may show that the key
      // belongs to a known account, whose work would wait forever if a new account were created.
      const mayPass = error instanceof MarketplaceError && error.code === 'SYSTEM_ERROR';
      if (error instanceof MarketplaceError && !error.isAuthentication && !mayPass) return undefined;
      throw error;
    } finally {
      await client.close();
    }
  }

  /**
   * Validates a key at the marketplace, stores it, and resumes the pending action. A new key that sees a known account's
   * campaigns is stored only after its member said whether it continues that account.
   * @param answer the member's answer
   */
  async function connect(
    actor: Actor,
    { key, action, id }: { readonly key: string; readonly action: string; readonly id: string },
    answer?: { readonly continues: AccountId | undefined },
  ): Promise<ConnectResult & { readonly message?: Message }> {
    const { workspace, member } = actor;
    let seen: CampaignEntry[] | undefined;
    try {
      seen = await campaignsOf(key);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      const isWrong = error instanceof MarketplaceError && error.code === 'API_KEY_WRONG';
      return notConnected(isWrong ? wrongKey : marketplaceErrorText(error));
    }
    if (answer === undefined && seen !== undefined && !(await accounts.ofKey(workspace, key))) {
      const same = await recognizeAccount(deps, workspace, new Set(seen.map((one) => one.id)));
      if (same !== undefined) {
        await accounts.pendingKeys.put(workspace, member, { key, action, account: same.ref.account });
        return sameAccountQuestion(await knownAccount(same, seen));
      }
    }
    const ref = await accounts.connect(workspace, member, key, answer?.continues);
    // Stores the campaigns by which later keys are recognized, and signals waiting work that a key works.
    await deps.listings.list(ref).catch(ignoreCallFailure);
    await deps.jobs.add('release', ref);
    await deps.onAccountChange(workspace, member);
    const account = describeAccount(await foundAccount(ref, member, seen));
    const wanted = action === '' ? undefined : deps.pendingActions.accountOf(action);
    if (wanted === undefined) return connected(account, nextSteps);
    if (wanted !== ref.account) return connected(account, otherAccount);
    const next = await deps.pendingActions.resume(actor, action, id);
    if (next === undefined) return connected(account, nothingDecided);
    return next === 'decided' ? connected(account, decisionOnItsWay) : connected(account, formClosed, next);
  }

  async function foundAccount(
    ref: AccountRef,
    member: MemberId,
    seen: readonly CampaignEntry[] | undefined,
  ): Promise<FoundAccount> {
    const { isShared, members } = await accounts.owners(ref);
    return {
      isShared,
      others: members.filter((owner) => owner !== member).length,
      ...(seen === undefined ? {} : { titles: seen.map(({ title }) => title) }),
    };
  }

  async function knownAccount(
    { ref, common }: RecognizedAccount,
    seen: readonly CampaignEntry[],
  ): Promise<KnownAccount> {
    const { isShared, members } = await accounts.owners(ref);
    const subscribed = await deps.subscriptions.ofAccount(ref);
    return {
      isShared,
      owners: members,
      channels: [...new Set(subscribed.map(({ channel }) => channel))],
      titles: seen.filter(({ id }) => common.includes(id)).map(({ title }) => title),
    };
  }

  /** Connects with the key that waited for an answer, and shows the result in the clicked message. */
  async function connectPending(click: Unchecked<Click>, isSame: boolean): Promise<void> {
    const { workspace, member } = click;
    if (!(await deps.claimOnce(workspace, click.id))) return;
    const pending = await accounts.pendingKeys.take(workspace, member);
    const { view, sentence } =
      pending === undefined
        ? notConnected(questionExpired)
        : await connect(
            click,
            { ...pending, id: click.view?.id ?? click.id },
            { continues: isSame ? pending.account : undefined },
          );
    if (click.view === undefined) return answerInPlace(click, notice(sentence), sentence);
    await answerInModal(messengerOf(workspace), { viewId: click.view.id, member }, view, sentence);
  }

  async function disconnect({ workspace, member, how }: Actor): Promise<string> {
    const previous = await accounts.of(workspace, member);
    if (previous === undefined || !(await accounts.hasOwnKey(workspace, member))) return noOwnKey;
    await deps.memberData.disconnect(workspace, member, how);
    await deps.onAccountChange(workspace, member);
    const isLastKey = (await accounts.keyOf(previous)) === undefined;
    return disconnected({
      isLastKey,
      hasSharedAccount: (await accounts.of(workspace, member)) !== undefined,
    });
  }

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'connect',
        usage: '',
        help: 'Connects you to your marketplace account with its API key.',
        needs: 'member',
        async run({ workspace, triggerId }) {
          await messengerOf(workspace).openModal(triggerId, connectModal(''));
        },
      },
      {
        command: '/proofdesk',
        word: 'disconnect',
        usage: '',
        help: 'Deletes your API key.',
        needs: 'anyone',
        async run(command) {
          await command.answer(notice(await disconnect(command)));
        },
      },
    ],
    clicks: {
      'account.connect': {
        needs: 'member',
        async run({ workspace, triggerId, value }) {
          await messengerOf(workspace).openModal(triggerId, connectModal(pendingActionOf(value)));
        },
      },
      'account.continue': { needs: 'member', run: (click) => connectPending(click, true) },
      'account.separate': { needs: 'member', run: (click) => connectPending(click, false) },
      'account.disconnect': {
        needs: 'anyone',
        async run(click) {
          await click.answer(notice(await disconnect(click)));
        },
      },
    },
    submissions: {
      'account.connect': { needs: 'member', run: submitKey },
    },
  };

  async function submitKey(submission: Unchecked<Submission>): Promise<SubmissionAnswer> {
    const key = typed(submission.values, 'key');
    if (key === '') return { errors: { key: keyMissing } };
    // HTTP headers accept nothing else.
    if (!/^[\x21-\x7e]+$/.test(key)) return { errors: { key: keyMalformed } };
    return {
      update: checkingModal(),
      async afterwards() {
        const { id, state: action, member } = submission;
        const { view, sentence, message } = await connect(submission, { key, action, id });
        const messenger = messengerOf(submission.workspace);
        if (!(await updateModalIfPossible(messenger, id, view)))
          await messenger.answer({ member }, message ?? notice(sentence));
      },
    };
  }
}

function ignoreCallFailure(error: unknown): void {
  if (!isCallFailure(error)) throw error;
}
