import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../src/domain/audit.ts';
import {
  type CampaignId,
  type ChannelId,
  campaignStatuses,
  type MemberId,
  type TaskId,
} from '../../src/domain/terms.ts';
import { purposes } from '../../src/features/campaigns/button-values.ts';
import { resultView, sendingView } from '../../src/features/campaigns/campaign-form.view.ts';
import {
  campaignOptions,
  chooseMessage,
  chooseView,
} from '../../src/features/campaigns/choose-campaign.view.ts';
import { countries } from '../../src/features/campaigns/countries.ts';
import { filterText, filterView } from '../../src/features/campaigns/list/filter.view.ts';
import { listMessage } from '../../src/features/campaigns/list/list.view.ts';
import {
  restartedText,
  restartForm,
  restartUnknownText,
  restartView,
} from '../../src/features/campaigns/restart/restart.view.ts';
import {
  type FileFate,
  figuresUnsureSentence,
  notComeMessage,
  notSharedSentence,
  progressMessage,
  resultsMessage,
  sentMessage,
} from '../../src/features/campaigns/results/results.view.ts';
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
  const day = { from: '2026-01-01', to: '2026-12-31' };
  const filter = {
    status: 'PENDING_REVIEW',
    folder: 'ARCHIVE',
    created: day,
    restarted: day,
    finished: day,
  } as const;

  test('has a form for its filters, as they are on', () => {
    expectGoodView(filterView(filter, 'Europe/Berlin', 'x'.repeat(500)));
    expectGoodView(filterView({}, 'UTC', ''));
    expect(filterText(filter)).toBe(
      'status “Waiting for review by the marketplace” · folder “Archive” · created from 2026-01-01 to 2026-12-31 · restarted from 2026-01-01 to 2026-12-31 · finished from 2026-01-01 to 2026-12-31',
    );
  });

  test.each([0, 1, 99, 5_000])('of 1,000 campaigns keeps to the limits on page %i', (page) => {
    expectGoodMessage(listMessage({ campaigns: thousand, filter, page, lastSeen: Date.UTC(2026, 0, 1) }));
  });

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

  test('says of each campaign what matters, in words', () => {
    const { text } = listMessage({ campaigns: [campaign()], filter: {}, page: 0, lastSeen: undefined });
    expect(text).toContain(
      'Photograph a shelf: Running · 2 waiting · 12 OK, 4 NOK · 86 of 100 positions left · 0.05 per task',
    );
  });

  test('says that there is none, of all or of those that fit', () => {
    const none = listMessage({ campaigns: [], filter: {}, page: 0, lastSeen: undefined });
    expectGoodMessage(none);
    expect(none.text).toContain('no campaigns yet');
    const some = listMessage({ campaigns: [], filter: { status: 'BLOCKED' }, page: 0, lastSeen: undefined });
    expectGoodMessage(some);
    expect(some.text).toMatch(/No campaign matches the filter.*Filter: status “Blocked”/s);
    expect(buttons(some)).toEqual(['Filter', 'Clear']);
  });
});

describe('the status', () => {
  test.each(campaignStatuses)('of a campaign that is %s keeps to the limits', (status) => {
    expectGoodMessage(
      statusMessage({
        campaign: { ...longest(1), status },
        inCorrection: 5,
        timeToRate: { days: undefined },
        oldestWaiting: 1e12,
        lastSeen: Date.UTC(2026, 0, 1),
      }),
    );
  });

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

  test('tells the figures, in the message and in the text for notifications', () => {
    const message = statusMessage({
      campaign: campaign(),
      inCorrection: 3,
      timeToRate: { days: undefined },
      oldestWaiting: Date.UTC(2026, 0, 31, 9),
      lastSeen: undefined,
    });
    expect(message.text).toContain('12 OK, 4 NOK, 2 waiting for review, 3 sent back for correction, 83 left');
    expect(message.text).toContain('2 tasks wait for review, the oldest since 2026-01-31 09:00 UTC.');
    expect(JSON.stringify(message.blocks)).toContain(
      '12 OK · 4 NOK · 2 waiting for review · 3 sent back for correction · 83 left',
    );
    expect(JSON.stringify(message)).not.toMatch(/[█▓▒▚▞░]/u);
  });

  test('of a campaign without positions, and with an unreadable payment, still says what there is', () => {
    expectGoodMessage(
      statusMessage({
        campaign: campaign({
          title: ' ',
          availablePositions: 0,
          tasksOk: 0,
          tasksNok: 0,
          tasksNotRated: 0,
          paymentPerTask: 'free',
          speed: '',
          targetedCountries: '',
        }),
        inCorrection: 0,
        timeToRate: { days: undefined },
        lastSeen: undefined,
      }),
    );
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
  test('proposes what is missing of the accepted tasks', () => {
    const view = restartView({
      campaign: campaign({ status: 'FINISHED', availablePositions: 16, tasksOk: 12, tasksNok: 4 }),
      state,
    });
    expectGoodView(view);
    expect(JSON.stringify(view)).toContain('"initial_value":"4"');
    expect(JSON.stringify(view)).toContain(
      '4 of 16 positions still lack an accepted task. 4 positions × 0.05 = 0.20, fees not included.',
    );
  });

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

  test('keeps to the limits in every state', () => {
    const sentences = [restartedText(longest(1), 1e9), restartUnknownText(longest(1), 1e9)];
    for (const sentence of sentences) expectGoodView(resultView(restartForm, sentence));
    expectGoodView(sendingView(restartForm));
    for (const status of ['FINISHED', 'RUNNING'] as const) {
      const finished = { ...longest(1), status };
      expectGoodView(restartView({ campaign: finished, state, input: 5, problem: 'x'.repeat(4_000) }));
    }
  });

  test('of unknown end says what to look at', () => {
    expect(restartUnknownText(campaign({ availablePositions: 16 }), 4)).toMatch(
      /may or may not have got 4 more positions.* was not repeated\. 4 positions × 0\.05 = 0\.20, fees not included\. Check `\/campaign status c1` .* had 16 positions .* has 20 /,
    );
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

  test('keep to the limits with charts and without, for one and for all', () => {
    const figures = figuresOf(rows, 2);
    expectGoodMessage(resultsMessage({ campaign: longest(3), figures }));
    expectGoodMessage(resultsMessage({ campaign: longest(3), figures, postedBy: asId('U02BEN') }));
    expectGoodMessage(resultsMessage({ campaign: longest(3), figures, isPlain: true }));
    expectGoodMessage(resultsMessage({ campaign: longest(3), figures: figuresOf([], 0) }));
    for (const mayPost of [true, false])
      expectGoodMessage(sentMessage(longest(3), { permalink: 'https://example.slack.com/x|y', mayPost }));
  });

  test('that take long say how far they are', () => {
    for (const read of [0, 43_000]) expectGoodMessage(progressMessage(longest(3), read));
    expectGoodMessage(notComeMessage(longest(3)));
    const counts = { tasksOk: 60_000, tasksNok: 20_000, tasksNotRated: 19_000, tasksNotReviewed: 1_000 };
    expect(progressMessage({ ...campaign(), ...counts }, 43_000).text).toContain(
      '43,000 tasks of about 100,000',
    );
    expect(progressMessage({ ...campaign(), tasksOk: 1 }, 43_000).text).toMatch(/: 43,000 tasks\.$/);
  });

  test('say what became of the file, to everybody who was told that it comes', () => {
    const figures = figuresOf(rows.slice(1, 7), 0);
    const textOf = (file: FileFate, postedBy?: MemberId) => {
      const message = resultsMessage({
        campaign: campaign(),
        figures,
        file,
        ...(postedBy ? { postedBy } : {}),
      });
      expectGoodMessage(message);
      expect(JSON.stringify(message.blocks.at(-1))).toContain('file');
      return message.text;
    };
    for (const who of [undefined, asId<MemberId>('U02BEN')]) {
      expect(textOf('coming', who)).toMatch(/file follows .*, with the last part of IP addresses hidden/);
      expect(textOf('not shared', who)).toMatch(/file could not be shared.*\/campaign results/);
      expect(textOf('not shared', who)).not.toContain('follows');
      expect(textOf('unknown', who)).toMatch(
        /not known whether it was shared. Look (below|in the thread) before/,
      );
    }
    expect(textOf('not shared', asId('U02BEN'))).toContain('<@U02BEN> was told why');
  });

  test('say in words what the charts draw', () => {
    const { text } = resultsMessage({
      campaign: campaign(),
      figures: figuresOf(rows.slice(1, 7), 1),
    });
    expect(text).toContain('6 tasks by 6 workers');
    expect(text).toContain('OK 1 · NOK 2 · Sent back 1 · Waiting 1 · In review 1');
    expect(text).toContain('1 row could not be read and is not in the file.');
  });

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

  test('that Slack does not take end in what to do', () => {
    for (const code of ['not_in_channel', 'is_archived', 'missing_scope', 'no_such_code']) {
      expect(notSharedSentence(code, false)).toMatch(/\. (Invite|Ask|Try) /);
    }
    expect(notSharedSentence('no_answer', true)).toContain('may or may not have arrived');
    expect(notSharedSentence('no_answer', false)).toContain('the file was not shared');
    expect(figuresUnsureSentence).toMatch(/The file was not sent\. Ask for /);
  });
});
