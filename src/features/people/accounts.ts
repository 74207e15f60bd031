import type { ModalView } from '@slack/types';
import type { AccountRef, MemberId, WorkspaceId } from '../../domain/terms.ts';
import { marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { type CampaignEntry, isCallFailure, MarketplaceError } from '../../marketplace/index.ts';
import { notice } from '../../slack/blocks.ts';
import type { Actor, Feature, Opener, Submission, SubmissionAnswer, Unchecked } from '../../slack/feature.ts';
import { typed } from '../../slack/form-values.ts';
import {
  type AccountChoice,
  accountChosen,
  alreadyNamed,
  checking,
  connected,
  connectedTo,
  connectModal,
  decisionOnItsWay,
  disconnected,
  formClosed,
  keyMalformed,
  keyMissing,
  keyOfOther,
  keyReplaced,
  listsNoCampaign,
  nameMissing,
  nextSteps,
  noOwnKey,
  notConnected,
  nothingDecided,
  onlyOwnersAdd,
  onlyOwnersReplace,
  otherAccount,
  statusModal,
  wrongKey,
} from './accounts.view.ts';
import { pendingActionOf } from './public.ts';

type Deps = Modules & {
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
  const { people } = deps;

  /** Lists the campaigns a key can see; undefined if the marketplace accepts the key but refuses the list. */
  async function campaignsOf(key: string): Promise<CampaignEntry[] | undefined> {
    try {
      return await deps.marketplace.clientFor(key).listCampaigns();
    } catch (error) {
      // Any other refusal still proves that the key is accepted; after a temporary error, the list may yet prove more.
      const mayPass = error instanceof MarketplaceError && error.code === 'SYSTEM_ERROR';
      if (error instanceof MarketplaceError && !error.isAuthentication && !mayPass) return undefined;
      throw error;
    }
  }

  /**
   * Returns the account that a key is for, or why it is not taken. A key that is new to an account with campaigns must list
   * one of them.
   */
  async function accountFor(
    actor: Actor,
    key: string,
    choice: AccountChoice,
    seen: readonly CampaignEntry[] | undefined,
  ): Promise<AccountRef | string> {
    const { workspace } = actor;
    if (choice.kind === 'new')
      return (await people.accounts.create(workspace, key, choice.name)) ?? alreadyNamed(choice.name);
    const ref = { workspace, account: choice.account };
    const known = await people.accounts.ofKey(workspace, key);
    const name = (await people.accounts.nameOf(ref)) ?? '';
    if (known !== undefined && known.account !== ref.account)
      return keyOfOther((await people.accounts.nameOf(known)) ?? '', name);
    const isOwner = await people.access.has(actor, ref, 'settings');
    if (choice.kind === 'replace' && !isOwner) return onlyOwnersReplace(name);
    if (known !== undefined) return ref;
    const ids = new Set(await deps.campaigns.ids(ref));
    if (ids.size === 0) return isOwner ? ref : onlyOwnersAdd(name);
    return seen?.some(({ id }) => ids.has(id)) ? ref : listsNoCampaign(name);
  }

  /** Validates a key at the marketplace, stores it, and resumes the pending action. */
  async function connect(
    actor: Actor,
    { key, choice, action, id }: { key: string; choice: AccountChoice; action: string; id: string },
  ): Promise<{ readonly sentence: string; readonly view?: ModalView }> {
    const { workspace, member } = actor;
    let seen: CampaignEntry[] | undefined;
    try {
      seen = await campaignsOf(key);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      const isWrong = error instanceof MarketplaceError && error.code === 'API_KEY_WRONG';
      return { sentence: notConnected(isWrong ? wrongKey : marketplaceErrorText(error)) };
    }
    const ref = await accountFor(actor, key, choice, seen);
    if (typeof ref === 'string') return { sentence: notConnected(ref) };
    if (choice.kind === 'replace') await people.accounts.replace(ref, key, member);
    else await people.accounts.connect(ref, member, key, member);
    // Stores the campaigns that a later key must list, and signals waiting work that a key works.
    await deps.campaigns.listings.list(ref).catch(ignoreCallFailure);
    await deps.jobs.add('release', ref);
    await deps.onAccountChange(workspace, member);
    const name = (await people.accounts.nameOf(ref)) ?? '';
    const isReplaced = choice.kind === 'replace';
    const account = isReplaced ? keyReplaced(name) : connectedTo(name);
    const wanted = action === '' ? undefined : deps.pendingActions.accountOf(action);
    if (wanted === undefined) return { sentence: connected(account, isReplaced ? '' : nextSteps) };
    if (wanted !== ref.account) return { sentence: connected(account, otherAccount) };
    const next = await deps.pendingActions.resume(actor, action, id);
    if (next === undefined) return { sentence: connected(account, nothingDecided) };
    if (next === 'decided') return { sentence: connected(account, decisionOnItsWay) };
    return { sentence: connected(account, formClosed), view: next };
  }

  /** Opens the form; the account of the pending action, or that of the member, comes first. */
  async function openForm(actor: Actor & Pick<Opener, 'open'>, pendingAction: string): Promise<void> {
    const { workspace } = actor;
    const names = await people.accounts.names(workspace);
    const known = await Promise.all(
      [...names].map(async ([account, name]) => {
        const isOwner = await people.access.has(actor, { workspace, account }, 'settings');
        return { account, name, isOwner };
      }),
    );
    const chosen =
      deps.pendingActions.accountOf(pendingAction) ?? (await people.access.accountOf(actor))?.account;
    const byLikelihood = known.sort((a, b) => Number(b.account === chosen) - Number(a.account === chosen));
    await actor.open(connectModal(pendingAction, byLikelihood));
  }

  async function disconnect({ workspace, member, how, answer }: Actor): Promise<void> {
    const previous = await people.accounts.of(workspace, member);
    if (previous === undefined || (await people.accounts.keySourceOf(previous, member)) !== 'own')
      return answer(notice(noOwnKey));
    await people.data.disconnect(workspace, member, how);
    await deps.onAccountChange(workspace, member);
    const isLastKey = (await people.accounts.keyOf(previous)) === undefined;
    await answer(notice(disconnected(isLastKey)));
  }

  return {
    commands: [
      {
        command: '/proofdesk',
        word: 'connect',
        usage: '',
        help: 'Connects you to your marketplace account with its API key.',
        needs: 'member',
        run: (command) => openForm(command, ''),
      },
      {
        command: '/proofdesk',
        word: 'disconnect',
        usage: '',
        help: 'Deletes your API key.',
        needs: 'anyone',
        run: disconnect,
      },
    ],
    clicks: {
      'account.connect': {
        needs: 'member',
        run: (click) => openForm(click, pendingActionOf(click.value)),
      },
      'account.disconnect': { needs: 'anyone', run: disconnect },
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
    const choice = accountChosen(submission.values);
    if (choice.kind === 'new' && choice.name === '') return { errors: { name: nameMissing } };
    return {
      update: statusModal(checking),
      async afterwards() {
        const { id, state: action } = submission;
        const { view, sentence } = await connect(submission, { key, choice, action, id });
        await submission.show(view ?? statusModal(sentence), sentence);
      },
    };
  }
}

function ignoreCallFailure(error: unknown): void {
  if (!isCallFailure(error)) throw error;
}
