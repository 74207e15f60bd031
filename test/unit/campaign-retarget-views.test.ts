import type { ModalView } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { ChannelId } from '../../src/domain/terms.ts';
import { failedText, resultView, sendingView } from '../../src/features/campaigns/campaign-form.view.ts';
import { countries } from '../../src/features/campaigns/countries.ts';
import { validateCountries } from '../../src/features/campaigns/retarget/country-input.ts';
import {
  countryOptions,
  retargetedText,
  retargetForm,
  retargetUnknownText,
  retargetView,
} from '../../src/features/campaigns/retarget/retarget.view.ts';
import type { Message } from '../../src/slack/blocks.ts';
import { notice } from '../../src/slack/notice.ts';
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

  test('that was refused keeps every country that was asked for, for whoever has no form', () => {
    const message = notice(
      failedText(longest(1), `/campaign retarget c0ffee ${codes.join(' ')}`, 'Not yet.'),
    );
    expectGoodMessage(message);
    expect(textOf(message)).toContain(codes.join(' '));
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
