import type { ModalView } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { ChannelId } from '../../src/domain/terms.ts';
import { resultView, sendingView } from '../../src/features/campaigns/campaign-form.view.ts';
import { countries } from '../../src/features/campaigns/countries.ts';
import { restartView } from '../../src/features/campaigns/restart/restart.view.ts';
import { validateCountries } from '../../src/features/campaigns/retarget/country-input.ts';
import {
  countryOptions,
  retargetedText,
  retargetForm,
  retargetUnknownText,
  retargetView,
} from '../../src/features/campaigns/retarget/retarget.view.ts';
import {
  canceledText,
  endMessage,
  plannedInFormText,
  planOffer,
  plansMessage,
  refusedMessage,
} from '../../src/features/campaigns/retarget/retarget-planner.view.ts';
import { statusMessage } from '../../src/features/campaigns/status/status.view.ts';
import type { Message } from '../../src/slack/blocks.ts';
import type { PlannedRetarget, RetargetEnd } from '../../src/store/planned-retargets.ts';
import { asId } from '../harness/ids.ts';
import { campaign, expectGoodMessage, expectGoodView, longest } from './campaign-samples.ts';

const codes = countries().map(({ code }) => code);
const state = { campaign: longest(0).id, channel: asId<ChannelId>('C01REVIEW'), attempt: 1 };

/** Everything that stands in sections and notes. */
const textOf = ({ blocks }: Pick<ModalView, 'blocks'> | Message): string => JSON.stringify(blocks);

/** The values that are chosen in a select when the form opens. */
function chosenIn({ blocks }: ModalView, input: string): string[] {
  const block = JSON.stringify(blocks.find(({ block_id }) => block_id === input));
  return [...block.matchAll(/"value":"([A-Z]{2})"/g)].map(([, code]) => code ?? '');
}

describe('retarget', () => {
  test('keeps to the limits with every country chosen, and names those that do not fit', () => {
    const countriesChosen = { include: codes, exclude: codes };
    expect(codes.length).toBeGreaterThan(200);
    for (const about of ['include', 'exclude', 'both'] as const) {
      const view = retargetView({
        campaign: longest(2),
        state,
        input: countriesChosen,
        problem: { field: about, text: 'x'.repeat(4_000) },
      });
      expectGoodView(view);
      const text = textOf(view);
      expect(text).toContain(`Only the first 100 of ${codes.length} countries fit in this field`);
      expect(text).toContain(`the other ${codes.length - 100} will no longer be included: `);
      for (const code of codes.slice(100)) expect(text).toMatch(new RegExp(`\\b${code}\\b`));
    }
    expectGoodView(sendingView(retargetForm));
    expectGoodView(resultView(retargetForm, retargetedText(longest(1), countriesChosen)));
    expectGoodView(resultView(retargetForm, retargetUnknownText(longest(1), countriesChosen)));
  });

  test('has every exclude there is, also those too many for a change, and says what to do about them', () => {
    const excludes = codes.slice(0, 13);
    const formOf = (some: readonly string[]) =>
      retargetView({
        campaign: campaign({ targetedCountries: 'US', excludedCountries: some.join(',') }),
        state,
      });
    const view = formOf(excludes);
    expectGoodView(view);
    expect(chosenIn(view, 'exclude')).toEqual(excludes);
    expect(textOf(view)).toMatch(
      /13 countries are excluded, but a change can exclude at most 10.* Remove 3 of them: nothing is changed before you do.* To keep all 13/s,
    );
    expect(validateCountries({ include: ['US'], exclude: chosenIn(view, 'exclude') }).exclude).toContain(
      'Exclude at most 10',
    );
    expect(textOf(formOf(excludes.slice(0, 11)))).toContain('Remove one of them');
    expect(textOf(formOf(excludes.slice(0, 10)))).not.toContain('can exclude at most');
    expect(JSON.stringify(formOf(excludes.slice(0, 10)))).toContain('"max_selected_items":10');
  });

  test('says that a change replaces countries that could not be filled in', () => {
    const formOf = (fields: Partial<Campaign>) => textOf(retargetView({ campaign: campaign(fields), state }));
    const note = 'A change replaces all countries';
    expect(formOf({ targetedCountries: 'US', excludedCountries: 'Brazil and its neighbors' })).toContain(
      note,
    );
    expect(formOf({ targetedCountries: 'europe1', excludedCountries: '' })).toContain(note);
    expect(formOf({ targetedCountries: 'US,GB', excludedCountries: 'BR' })).not.toContain(note);
    expect(formOf({ targetedCountries: '', excludedCountries: '' })).not.toContain(note);
  });

  test('says when it shows what was last seen', () => {
    const lastSeen = Date.UTC(2026, 0, 31, 9);
    expect(textOf(retargetView({ campaign: campaign(), state, lastSeen }))).toContain('2026-01-31 09:00 UTC');
    expect(textOf(restartView({ campaign: campaign(), state, lastSeen }))).toContain(
      'did not answer in time',
    );
  });

  test('writes codes that the marketplace answers as text', () => {
    const odd = { include: ['US', '<!channel>', '*X*'], exclude: ['<@U01ANN>'] };
    const sentences = [retargetedText(campaign(), odd), retargetUnknownText(campaign(), odd)];
    for (const sentence of sentences) {
      expect(sentence).toContain('&lt;!channel&gt;');
      expectGoodView(resultView(retargetForm, sentence));
    }
    expect(sentences[0]).toContain('*\u2060X*\u2060');
  });

  test('puts a refusal beside the field that it speaks of', () => {
    const view = retargetView({
      campaign: campaign(),
      state,
      input: { include: ['US'], exclude: [] },
      problem: { field: 'exclude', text: 'Too many.' },
    });
    const exclude = view.blocks.findIndex(({ block_id }) => block_id === 'exclude');
    expect(JSON.stringify(view.blocks[exclude + 1])).toContain('Too many.');
  });

  const plan: PlannedRetarget = {
    id: 'p1',
    campaign: longest(1).id,
    title: longest(1).title,
    include: codes,
    exclude: codes.slice(0, 10),
    by: asId('U02BEN'),
    firstDueAt: Date.UTC(2026, 0, 31, 9),
    dueAt: Date.UTC(2026, 0, 31, 9),
    stage: { state: 'planned' },
  };

  test('until a time: the offer, the list and the end keep to the limits', () => {
    const offer = planOffer(plan.campaign, plan, plan.dueAt);
    expect(offer).toHaveLength(1);
    expectGoodMessage(refusedMessage('Not yet.', offer));
    expect(textOf(plansMessage(Array<PlannedRetarget>(11).fill(plan)))).toContain(
      '1 more is planned after these.',
    );
    expectGoodMessage(plansMessage(Array<PlannedRetarget>(50).fill(plan), canceledText(plan)));
    expectGoodMessage(plansMessage([]));
    expectGoodView(resultView(retargetForm, plannedInFormText(plan)));
    const ends: readonly RetargetEnd[] = [
      { kind: 'done' },
      { kind: 'unsure' },
      { kind: 'refused', sentence: 'x'.repeat(2_000), nextAt: plan.dueAt },
    ];
    for (const end of ends) {
      const message = endMessage({ ...plan, stage: { state: 'ended', end } });
      if (message === undefined) throw new Error('nothing is told');
      expectGoodMessage(message);
    }
    expect(endMessage(plan)).toBeUndefined();
    expect(plansMessage([{ ...plan, include: ['US'], exclude: [] }]).text).toMatch(
      /1 country change is planned.*: 2026-01-31 09:00 UTC, to United States \(US\)\. Requested by <@U02BEN>/s,
    );
  });

  test('that is planned stands in the status, with a way to cancel it while it waits', () => {
    const statusWith = (some: PlannedRetarget | undefined) =>
      statusMessage({
        campaign: campaign(),
        inCorrection: 0,
        timeToRate: { days: undefined },
        lastSeen: undefined,
        plan: some,
      });
    const waiting = statusWith(plan);
    expectGoodMessage(waiting);
    expect(waiting.text).toMatch(/Its countries will be changed 2026-01-31 09:00 UTC, to .*<@U02BEN>/s);
    expect(JSON.stringify(waiting.blocks)).toContain('"text":"Cancel"');
    const underWay = statusWith({ ...plan, stage: { state: 'sending', until: plan.dueAt } });
    expectGoodMessage(underWay);
    expect(underWay.text).toContain('Its countries are being changed right now');
    expect(JSON.stringify(underWay.blocks)).not.toContain('"text":"Cancel"');
    expect(statusWith(undefined).text).not.toContain('Its countries');
  });

  test('offers at most 100 countries, by name or code', () => {
    expect(countryOptions('')).toHaveLength(100);
    expect(countryOptions('germ')[0]).toMatchObject({ value: 'DE', text: { text: 'Germany (DE)' } });
    expect(countryOptions('GB')[0]).toMatchObject({ value: 'GB' });
    expect(countryOptions('cote d')[0]).toMatchObject({ value: 'CI' });
    expect(countryOptions('zzzz')).toEqual([]);
    expect(countryOptions('xk').map(({ value }) => value)).toEqual(['XK']);
    expect(countryOptions('uk').map(({ value }) => value)).not.toContain('UK');
  });
});
