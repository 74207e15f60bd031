import { randomUUID } from 'node:crypto';
import type { Campaign } from '../../domain/campaign.ts';
import { CampaignId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onCommand, onForm } from '../../kit/on.ts';
import { notice } from '../../slack/blocks.ts';
import type { Feature } from '../../slack/feature.ts';
import { escaped } from '../../slack/mrkdwn.ts';
import { type Change, createChangeForm, makeChange } from './change.ts';
import {
  campaignFormState,
  countryOptions,
  failedText,
  isAsShown,
  retargetedText,
  retargetForm,
  retargetUnknownText,
  retargetView,
  sendingView,
} from './change.view.ts';
import type { CampaignChooser } from './choose.ts';
import {
  type Countries,
  countriesIn,
  includeInput,
  parseCountries,
  retargetEntry,
  unlistedCodes,
  validateCountries,
} from './countries.ts';
import { campaignValue } from './words.ts';

/** Creates `/campaign retarget <id> [US GB -IN …]`, its form, and its button. */
export function createRetarget(context: Modules, chooser: CampaignChooser) {
  const { audit, campaigns, marketplace } = context;
  const form = createChangeForm(context, retargetForm, retargetView);

  const feature: Feature = {
    commands: [
      onCommand(
        {
          command: '/campaign',
          word: 'retarget',
          usage: '<id> [US GB -IN …]',
          help: 'Changes the countries of a campaign. Type it alone for a form.',
          needs: 'retarget',
        },
        async (command) => {
          const { ref, text, answer } = command;
          const [, quoted, codes = ''] = /^(["“„«].*["”“»])\s+(.+)$/u.exec(text) ?? [];
          const [first = '', ...words] = quoted ? [quoted, ...codes.split(/\s+/u)] : text.split(/\s+/u);
          const countries = parseCountries(words.join(' '), marketplace.excludeMark);
          const problems = Object.values(validateCountries(countries));
          // Either `<id> US -IN`, or a title without codes after it.
          const areAllListed = problems.length === 0 && unlistedCodes(countries).length === 0;
          const hasCodes =
            words.length > 0 &&
            (areAllListed || (await campaigns.get(ref, CampaignId.parse(first))) !== undefined);
          const resolved = await chooser.resolve(command, ref, hasCodes ? first : text, 'retarget');
          if (resolved === undefined) return;
          const { campaign } = resolved;
          if (!hasCodes || campaign.id !== first)
            return form.open(command, ref, resolved, hasCodes ? countries : undefined);
          if (problems.length > 0) throw new UserError(`Nothing was changed. ${escaped(problems.join(' '))}`);
          const change = retargetOf(campaign, countries);
          const { kind, sentence } = await makeChange(context, ref, change, doneBy(command));
          if (kind === 'failed') throw new UserError(failedText(campaign, change.command, sentence));
          if (kind === 'unknown') throw new UserError(sentence);
          await answer(notice(sentence));
        },
      ),
    ],
    clicks: {
      'campaign.retarget': onButton(
        campaignValue,
        { needs: 'retarget', isPreparing: true },
        async (click) => {
          const { ref, value } = click;
          await form.open(click, ref, await campaigns.listings.resolve(ref, value.campaign));
        },
      ),
    },
    submissions: {
      /** Makes the change once, however often Slack delivers the submission. */
      [retargetForm.callbackId]: onForm(campaignFormState, 'retarget', async (submission) => {
        const { ref, state, id, hash } = submission;
        const countries = countriesIn(submission.values);
        const errors = validateCountries(countries);
        if (Object.keys(errors).length > 0) return { errors };
        const campaign = await campaigns.listings.byId(ref, state.campaign);
        if (isAsShown(campaign, countries)) return { errors: { [includeInput]: unchanged } };
        return {
          update: sendingView(retargetForm),
          async afterwards() {
            const change = retargetOf(campaign, countries);
            const doer = { ...doneBy(submission), act: randomUUID() };
            const key = `retarget ${id} ${hash}`;
            if (!(await audit.claim(ref, key, { ...change.entry, ...doer, stage: 'claimed' }))) return;
            const result = await makeChange(context, ref, change, doer);
            const origin = { view: id, channel: state.channel };
            await form.showResult(submission, origin, { ...change, campaign, input: countries }, result);
          },
        };
      }),
    },
    /** Returns options for text typed into one of the country selects. */
    typings: { 'country.pick': { needs: 'anyone', run: async ({ text }) => countryOptions(text) } },
  };

  return { feature, chosen: form.chosen };
}

const unchanged = 'These are its current countries. Change them first, or close this form.';

/** Returns the change of a campaign's countries. */
function retargetOf(campaign: Campaign, countries: Countries): Change {
  const { include, exclude } = countries;
  return {
    entry: retargetEntry(campaign, countries),
    async send(client) {
      const { retargeted } = await client.retargetCampaign(campaign.id, countries);
      return retargetedText(campaign, retargeted);
    },
    unknownText: retargetUnknownText(campaign, countries),
    command: ['/campaign retarget', campaign.id, ...include, ...exclude.map((code) => `-${code}`)].join(' '),
  };
}
