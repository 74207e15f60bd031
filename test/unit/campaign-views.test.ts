import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../src/domain/audit.ts';
import type { CampaignId, ChannelId, MemberId, TaskId } from '../../src/domain/terms.ts';
import { purposes } from '../../src/features/campaigns/button-values.ts';
import {
  campaignOptions,
  chooseMessage,
  chooseView,
} from '../../src/features/campaigns/choose-campaign.view.ts';
import { countries } from '../../src/features/campaigns/countries.ts';
import { listMessage } from '../../src/features/campaigns/list/list.view.ts';
import { restartedText, restartView } from '../../src/features/campaigns/restart/restart.view.ts';
import { resultsMessage } from '../../src/features/campaigns/results/results.view.ts';
import { createFigures, reviewersIn } from '../../src/features/campaigns/results/results-figures.ts';
import { reviewersMessage } from '../../src/features/campaigns/results/reviewers.view.ts';
import { statusMessage } from '../../src/features/campaigns/status/status.view.ts';
import type { ResultRow } from '../../src/marketplace/index.ts';
import type { Message } from '../../src/slack/blocks.ts';
import { asId } from '../harness/ids.ts';
import { campaign, expectGoodMessage, expectGoodView, hostile, longest } from './campaign-samples.ts';

const thousand = Array.from({ length: 1_000 }, (_, index) => longest(index));
const codes = countries().map(({ code }) => code);
const state = { campaign: longest(0).id, channel: asId<ChannelId>('C01REVIEW'), attempt: 1 };

const buttons = ({ blocks }: Message): string[] =>
  [...JSON.stringify(blocks).matchAll(/"type":"button","text":\{"type":"plain_text","text":"([^"]+)"/g)].map(
    ([, text]) => text ?? '',
  );

describe('the list', () => {
  test('shows a page of 10 with a way to the next, and its status button for each', () => {
    const message = listMessage({
      campaigns: Array.from({ length: 25 }, (_, index) => campaign({ id: asId(`c${index}`) })),
      filter: {},
      page: 1,
      lastSeen: undefined,
    });
    expect(buttons(message)).toEqual(['Filter', ...Array<string>(10).fill('Status'), 'Previous', 'Next']);
    expect(message.text).toContain('25 campaigns');
  });
});

describe('the status', () => {
  test('offers a restart only when it is finished', () => {
    const of = (status: 'FINISHED' | 'RUNNING') =>
      statusMessage({
        campaign: campaign({ status }),
        inCorrection: 0,
        timeToRate: { days: undefined },
        lastSeen: undefined,
      });
    const ask = 'Set time to rate';
    expect(buttons(of('FINISHED'))).toEqual([ask, 'Restart', 'Change countries', 'Results']);
    expect(buttons(of('RUNNING'))).toEqual([ask, 'Change countries', 'Results']);
  });
});

describe('picking a campaign', () => {
  test.each(purposes)('for %s: the form and 1,000 campaigns to choose from keep to the limits', (purpose) => {
    expectGoodView(chooseView(purpose, asId('C01REVIEW')));
    const offered = campaignOptions(thousand, purpose);
    const options = Array.isArray(offered) ? offered : offered.groups.flatMap((group) => group.options);
    expect(options).toHaveLength(100);
    for (const { text, value, description } of options) {
      expect([...text.text].length).toBeLessThanOrEqual(75);
      expect(value?.length).toBeLessThanOrEqual(150);
      expect([...(description?.text ?? '')].length).toBeLessThanOrEqual(75);
    }
    expectGoodMessage(chooseMessage(thousand, hostile.repeat(50), purpose, 1_000));
  });

  test('for a restart puts the finished ones first, and never an empty group', () => {
    const both = campaignOptions(
      [campaign({ id: asId('r') }), campaign({ id: asId('f'), status: 'FINISHED' })],
      'restart',
    );
    expect(both).toMatchObject({ groups: [{ options: [{ value: 'f' }] }, { options: [{ value: 'r' }] }] });
    expect(campaignOptions([campaign({ id: asId('r') })], 'restart')).toMatchObject({
      groups: [{ options: [{ value: 'r' }] }],
    });
  });
});

describe('restart', () => {
  test('is not offered while the campaign is not finished, unless that may have changed', () => {
    const running = campaign({ status: 'RUNNING' });
    const now = restartView({ campaign: running, state });
    expectGoodView(now);
    expect(now.submit).toBeUndefined();
    expect(JSON.stringify(now)).toContain('this one is not finished yet');
    const stale = restartView({ campaign: running, state, lastSeen: 0 });
    expect(stale.submit?.text).toBe('Next');
    const confirming = restartView({ campaign: running, state, input: 7, isConfirming: true });
    expect(confirming.submit).toBeUndefined();
    expect(JSON.stringify(confirming)).toContain('Add 7 for 0.35');
    expect(JSON.stringify(stale)).toContain('was not finished when last checked');
  });

  test('says what the positions cost, unless the payment is no number', () => {
    const text = restartedText(campaign(), 3);
    expect(text).toContain('got 3 more positions. 3 positions × 0.05 = 0.15, fees not included. The');
    expect(restartedText(campaign({ paymentPerTask: '0.00125' }), 1_000)).toContain(
      '1,000 positions × 0.00125 = 1.25, fees not included.',
    );
    expect(restartedText(campaign({ paymentPerTask: 'free' }), 3)).not.toContain('×');
  });
});

describe('results', () => {
  const row = (index: number): ResultRow => ({
    row: String(index),
    csvRow: '1',
    taskId: asId(`t${index}`),
    workerId: asId(`w${index % 50}`),
    username: hostile,
    rating: (['OK', 'NOK', 'REVISE', 'NOTRATED', 'NOTREVIEWED'] as const)[index % 5] ?? 'OK',
    finishedAt: new Date(Date.UTC(2026, 0, 1) + index * 7_200_000),
    ip: '203.0.113.7',
    countryCode: index % 7 === 0 ? hostile : (codes[index % codes.length] ?? ''),
    proof: [hostile],
    employerComment: '',
    userAgent: '',
  });
  const rows = Array.from({ length: 3_000 }, (_, index) => row(index));
  const figuresOf = (some: readonly ResultRow[], skipped: number) => {
    const counts = createFigures();
    for (const one of some) counts.add(one);
    return counts.figures(skipped);
  };

  test('of many countries show the first ten, and the others together, in the table and in words', () => {
    const countries = Array.from({ length: 13 }, (_, index) => ({
      name: `X${index}`,
      tasks: 20 - index,
      ok: 2,
      nok: 1,
    }));
    const { text, blocks } = resultsMessage({
      campaign: campaign(),
      figures: { ...figuresOf(rows.slice(1, 7), 0), countries },
    });
    expect(text).toContain('3 others: 27');
    const table = blocks.find(({ type }) => type === 'table') as { rows: { text: string }[][] } | undefined;
    expect(table?.rows).toHaveLength(12);
    expect(table?.rows.at(-1)?.map((cell) => cell.text)).toEqual(['3 others', '27', '6', '3']);
  });

  test('count the decisions made here by reviewer, and keep to the limits', async () => {
    async function* lines(): AsyncGenerator<AuditEntry> {
      for (let index = 0; index < 60; index++) {
        const line = {
          at: 0,
          task: asId<TaskId>(`t${index}`),
          campaign: asId<CampaignId>('c1'),
          round: 1,
          rating: 'OK',
          comment: '',
        } as const;
        const by = asId<MemberId>(`U${index % 25}`);
        yield { ...line, what: 'decided', by, verdict: 'OK' };
        yield { ...line, what: 'applied', by, verdict: index % 2 === 0 ? 'OK' : 'NOK' };
        yield { ...line, what: 'applied', campaign: asId('other'), by, verdict: 'OK' };
        yield { ...line, what: 'rated elsewhere' };
      }
    }
    const reviewers = await reviewersIn(lines(), asId('c1'));
    expect(reviewers).toHaveLength(25);
    expect(reviewers[0]).toEqual({ member: 'U0', decisions: { OK: 2, REVISE: 0, NOK: 1 }, all: 3 });
    const names = Array<string>(20).fill('Ann Reyes of the night shift');
    const chart = JSON.stringify(reviewersMessage({ reviewers, names }).blocks.at(-1));
    expect(chart.match(/"label"/gu)).toHaveLength(8 * 3);
    for (const isPlain of [true, false]) expectGoodMessage(reviewersMessage({ reviewers, names, isPlain }));
    expect(reviewersMessage({ reviewers, names }).text).toMatch(
      /<@U0>: 3 decisions \(OK 2, REVISE 0, NOK 1\).*5 others: 10 decisions/s,
    );
  });
});
