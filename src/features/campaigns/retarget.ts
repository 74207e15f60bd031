import type { ActionsBlock, PlainTextOption } from '@slack/types';
import type { Campaign } from '../../domain/campaign.ts';
import { type AccountRef, CampaignId, type ChannelId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { MarketplaceError } from '../../marketplace/index.ts';
import {
  type Click,
  type Command,
  chosenMany,
  type Submission,
  type SubmissionAnswer,
  type Typing,
} from '../../slack/feature.ts';
import { escaped } from '../../slack/mrkdwn.ts';
import { notice } from '../../slack/notice.ts';
import { type Asker, askerIn, type CampaignsDeps } from './deps.ts';
import type { Known, Listings } from './listing.ts';
import { carryOut, type Outcome } from './outcome.ts';
import type { Pick } from './pick.ts';
import {
  countryOptions,
  excludeInput,
  includeInput,
  type RetargetForm,
  retargetedSentence,
  retargetNoteView,
  retargetSendingView,
  retargetUnsureSentence,
  retargetView,
} from './retarget.view.ts';
import { nextRetargetAt, type RetargetLater } from './retarget-later.ts';
import { plannedMessage, refusedMessage, thenOffer } from './retarget-later.view.ts';
import { type Countries, problemsOf, readCountries } from './targeting.ts';
import { type CallFailure, isCallFailure, isUnsure, told } from './told.ts';
import { campaignValue, type FormState, formState } from './values.ts';
import { formWait, type Wait } from './waits.ts';

type Result =
  | { readonly kind: 'done' | 'unsure'; readonly sentence: string }
  | { readonly kind: 'failed'; readonly sentence: string; readonly error: CallFailure };

/** `/campaign retarget <id> [US GB -IN …]`, its form, and the Retarget button. */
export function createRetarget(deps: CampaignsDeps, listings: Listings, pick: Pick, later: RetargetLater) {
  const { accounts, campaigns, excludeMark, marketplaceOf, messengerOf } = deps;

  async function form(
    ref: AccountRef,
    known: Known,
    wait: Wait,
    {
      channel,
      countries,
    }: { readonly channel: ChannelId | undefined; readonly countries?: Countries | undefined },
  ) {
    const { campaign, lastSeen } = await listings.current(ref, known, wait);
    const state = { campaign: campaign.id, channel, attempt: 1 };
    return retargetView({ campaign, state, countries, lastSeen });
  }

  /** Changes the countries, and says how that went. A request whose end is unknown is never sent again. */
  async function retarget(ref: AccountRef, campaign: Campaign, countries: Countries): Promise<Result> {
    try {
      const client = await marketplaceOf(ref);
      const { retargeted } = await client.retargetCampaign(campaign.id, countries);
      return { kind: 'done', sentence: retargetedSentence(campaign, retargeted) };
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return isUnsure(error)
        ? { kind: 'unsure', sentence: retargetUnsureSentence(campaign, countries) }
        : { kind: 'failed', sentence: told(error), error };
    }
  }

  async function outcome(
    ref: AccountRef,
    campaign: Campaign,
    countries: Countries,
    state: FormState,
  ): Promise<Outcome> {
    const result = await retarget(ref, campaign, countries);
    const { sentence } = result;
    if (result.kind !== 'failed') return { sentence, view: retargetNoteView(sentence) };
    const problem = {
      about: fieldOf(result.error, countries),
      text: sentence,
      offer: offerOf(campaign, countries, result.error),
    };
    const next = { ...state, attempt: state.attempt + 1 };
    return { sentence, view: retargetView({ campaign, countries, state: next, problem }) };
  }

  return {
    async command(command: Command): Promise<void> {
      const { workspace, member, channel, text, triggerId, answer } = command;
      const wait = formWait();
      const ref = await accounts.require(workspace, member);
      if (text === '') {
        await pick.open(command, 'retarget');
        const planned = await later.planned(ref);
        if (planned.length > 0) await answer(plannedMessage(planned));
        return;
      }
      const [first = '', ...words] = text.split(/\s+/u);
      const countries = readCountries(words.join(' '), excludeMark);
      const problems = Object.values(problemsOf(countries));
      // `<id> US -IN`, or a title, which has no codes behind it.
      const hasCodes =
        words.length > 0 &&
        (problems.length === 0 || (await campaigns.get(ref, CampaignId.parse(first))) !== undefined);
      const found = await pick.resolve(command, ref, hasCodes ? first : text, 'retarget', { wait });
      if (found === undefined) return;
      if (!hasCodes || !found.byId) {
        const wanted = hasCodes ? countries : undefined;
        const view = await form(ref, found, wait, { channel, countries: wanted });
        await messengerOf(workspace).openModal(triggerId, view);
        return;
      }
      if (problems.length > 0) throw new UserError(`Nothing was changed. ${escaped(problems.join(' '))}`);
      const result = await retarget(ref, found.campaign, countries);
      const offer = result.kind === 'failed' ? offerOf(found.campaign, countries, result.error) : [];
      if (offer.length > 0) return answer(refusedMessage(result.sentence, offer));
      if (result.kind !== 'done') throw new UserError(result.sentence);
      await answer(notice(result.sentence));
    },

    async click({ workspace, member, channel, value, triggerId }: Click): Promise<void> {
      const wait = formWait();
      const ref = await accounts.require(workspace, member);
      const known = await listings.lookUp(ref, campaignValue.decode(value).campaign, wait);
      await messengerOf(workspace).openModal(triggerId, await form(ref, known, wait, { channel }));
    },

    /** Picked in the form that asks for a campaign. */
    async picked(asker: Asker, ref: AccountRef, known: Known, wait: Wait): Promise<SubmissionAnswer> {
      return { update: await form(ref, known, wait, { channel: asker.channel }) };
    },

    async submitted(submission: Submission): Promise<SubmissionAnswer> {
      const state = formState.decode(submission.state);
      const countries: Countries = {
        include: chosenMany(submission.values, includeInput),
        exclude: chosenMany(submission.values, excludeInput),
      };
      const { include, exclude } = problemsOf(countries);
      if (include !== undefined || exclude !== undefined) {
        return {
          errors: {
            ...(include === undefined ? {} : { [includeInput]: include }),
            ...(exclude === undefined ? {} : { [excludeInput]: exclude }),
          },
        };
      }
      const ref = await accounts.require(submission.workspace, submission.member);
      const campaign = await listings.byId(ref, state.campaign);
      return {
        update: retargetSendingView(),
        afterwards: () =>
          carryOut(
            deps,
            askerIn(deps, submission, state.channel),
            { viewId: submission.id, once: `retarget ${submission.id} ${state.attempt}` },
            () => outcome(ref, campaign, countries, state),
          ),
      };
    },

    /** Somebody types into one of the country selects. */
    async typing({ text }: Typing): Promise<PlainTextOption[]> {
      return countryOptions(text);
    },
  };
}

/** Offers to make the change later, where the refusal says when that can be done. */
function offerOf(campaign: Campaign, countries: Countries, error: CallFailure): ActionsBlock[] {
  const at = nextRetargetAt(error);
  return at === undefined ? [] : thenOffer(campaign.id, countries, at);
}

/** Which of the fields a refusal speaks of. */
function fieldOf(error: CallFailure, { exclude }: Countries): NonNullable<RetargetForm['problem']>['about'] {
  if (!(error instanceof MarketplaceError)) return 'both';
  switch (error.code) {
    case 'TOO_MANY_EXCLUDES':
      return 'exclude';
    case 'INCLUDES_NECESSARY':
    case 'NO_INPUT':
      return 'include';
    case 'UNKNOWN_COUNTRY_CODE':
      return exclude.includes(error.details.unknownCountry ?? '') ? 'exclude' : 'include';
    case 'COUNTRIES_NOT_AVAILABLE': {
      const codes = error.details.unavailableCountries ?? [];
      return codes.length > 0 && codes.every((code) => exclude.includes(code)) ? 'exclude' : 'include';
    }
    default:
      return 'both';
  }
}
