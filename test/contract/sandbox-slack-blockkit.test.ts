import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkMessage,
  checkView,
  isTooLong,
  problemMessages,
} from '../../src/sandbox/slack/blockkit/index.ts';

const known = (reference: { id?: string }) => reference.id === 'F1';
const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const button = (extra: object = {}) => ({ type: 'button', text: plain('OK'), ...extra });
const option = (text = 'One', value = '1') => ({ text: plain(text), value });
const select = (extra: object = {}) => ({ type: 'static_select', options: [option()], ...extra });
const input = (element: object, extra: object = {}) => ({
  type: 'input',
  label: plain('L'),
  element,
  ...extra,
});
const modal = (blocks: object[], extra: object = {}) => ({
  type: 'modal',
  title: plain('T'),
  submit: plain('S'),
  blocks,
  ...extra,
});
const many = <Item>(n: number, item: Item): Item[] => Array.from({ length: n }, () => item);

const message = (...blocks: unknown[]) => problemMessages(checkMessage(blocks, known));
const view = (value: unknown) => problemMessages(checkView(value, known));
/** An element in a modal's input. */
const inInput = (element: object) => view(modal([input(element)]));
const inActions = (...elements: object[]) => message({ type: 'actions', elements });

const series = (name: string, ...labels: string[]) => ({
  name,
  data: labels.map((label) => ({ label, value: 1 })),
});
const chart = (extra: object = {}, title = 'T') => ({
  type: 'data_visualization',
  title,
  chart: { type: 'bar', series: [series('A', 'x')], axis_config: { categories: ['x'] }, ...extra },
});

describe('what is allowed passes', () => {
  test.each<[string, unknown[]]>([
    ['no blocks', []],
    [
      'section',
      [{ type: 'section', text: mrkdwn('*x*'), fields: many(10, mrkdwn('f')), accessory: button() }],
    ],
    [
      'header, divider, context',
      [
        { type: 'header', text: plain('x'.repeat(150)) },
        { type: 'divider' },
        {
          type: 'context',
          elements: [mrkdwn('x'), { type: 'image', image_url: 'https://a.example.com/x.png', alt_text: 'x' }],
        },
      ],
    ],
    ['image by file', [{ type: 'image', slack_file: { id: 'F1' }, alt_text: 'x', title: plain('t') }]],
    [
      'actions',
      [
        {
          type: 'actions',
          elements: [
            button({
              value: 'v',
              style: 'danger',
              confirm: { title: plain('t'), text: mrkdwn('x'), confirm: plain('y'), deny: plain('n') },
            }),
            select({ placeholder: plain('p'), initial_option: option() }),
            { type: 'overflow', options: many(5, option()) },
            { type: 'datepicker', initial_date: '2026-02-28' },
            { type: 'timepicker', initial_time: '23:59' },
            { type: 'datetimepicker', initial_date_time: 1_700_000_000 },
            { type: 'multi_external_select', min_query_length: 0, max_selected_items: 3 },
            { type: 'conversations_select', filter: { include: ['public'] } },
          ],
        },
      ],
    ],
    [
      'rich text',
      [
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_section',
              elements: [
                { type: 'text', text: 'x', style: { bold: true } },
                { type: 'user', user_id: 'U1' },
              ],
            },
            {
              type: 'rich_text_list',
              style: 'bullet',
              elements: [{ type: 'rich_text_section', elements: [] }],
            },
            { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'code' }] },
          ],
        },
      ],
    ],
    [
      'table',
      [
        {
          type: 'table',
          rows: [
            [
              { type: 'raw_text', text: 'x' },
              { type: 'raw_number', value: 1, text: '1' },
            ],
          ],
        },
      ],
    ],
    ['data table', [{ type: 'data_table', caption: 'c', rows: [[{ type: 'raw_text', text: 'x' }]] }]],
    [
      'charts',
      [
        chart(),
        {
          type: 'data_visualization',
          title: 'T',
          chart: { type: 'pie', segments: [{ label: 'x', value: 2 }] },
        },
      ],
    ],
    ['markdown', [{ type: 'markdown', text: '# x' }]],
    ['input in a message', [input({ type: 'plain_text_input' }, { hint: plain('h'), optional: true })]],
  ])('%s', (_name, blocks) => {
    expect(message(...blocks)).toEqual([]);
  });

  test.each([
    { type: 'plain_text_input', multiline: true, min_length: 1, max_length: 3000, initial_value: '' },
    { type: 'number_input', is_decimal_allowed: true, min_value: '-1', max_value: '2.5' },
    { type: 'email_text_input' },
    { type: 'url_text_input', dispatch_action_config: { trigger_actions_on: ['on_enter_pressed'] } },
    { type: 'file_input', filetypes: ['png'], max_files: 10 },
    { type: 'checkboxes', options: [{ text: mrkdwn('*x*'), value: '1', description: mrkdwn('d') }] },
    { type: 'radio_buttons', options: many(10, option()) },
    { type: 'multi_users_select', initial_users: ['U1'] },
    { type: 'external_select', min_query_length: 0 },
    select({ options: undefined, option_groups: [{ label: plain('g'), options: [option()] }] }),
  ])('$type in a modal', (element) => {
    expect(inInput(element)).toEqual([]);
  });
});

describe('limits, with the failing path', () => {
  test.each<[string, string[], string]>([
    [
      '51 blocks',
      message(...many(51, { type: 'divider' })),
      'no more than 50 items allowed [json-pointer:/blocks]',
    ],
    [
      '101 blocks of a view',
      view(modal(many(101, { type: 'divider' }))),
      'no more than 100 items allowed [json-pointer:/view/blocks]',
    ],
    ['an unknown block', message({ type: 'shout' }), 'unsupported type: shout [json-pointer:/blocks/0/type]'],
    ['no type', message({}), 'missing required field: type [json-pointer:/blocks/0]'],
    [
      'no text',
      message({ type: 'section' }),
      'must define either `text` or `fields` [json-pointer:/blocks/0]',
    ],
    [
      'an empty text',
      message({ type: 'section', text: mrkdwn('') }),
      'must be more than 0 characters [json-pointer:/blocks/0/text/text]',
    ],
    [
      'a long section',
      message({ type: 'section', text: mrkdwn('x'.repeat(3001)) }),
      'must be less than 3001 characters [json-pointer:/blocks/0/text/text]',
    ],
    [
      '11 fields',
      message({ type: 'section', fields: many(11, mrkdwn('x')) }),
      'no more than 10 items allowed [json-pointer:/blocks/0/fields]',
    ],
    [
      'a long field',
      message({ type: 'section', fields: [mrkdwn('x'.repeat(2001))] }),
      'must be less than 2001 characters [json-pointer:/blocks/0/fields/0/text]',
    ],
    [
      'a long header',
      message({ type: 'header', text: plain('x'.repeat(151)) }),
      'must be less than 151 characters [json-pointer:/blocks/0/text/text]',
    ],
    [
      'mrkdwn in a header',
      message({ type: 'header', text: mrkdwn('x') }),
      'unsupported type: mrkdwn [json-pointer:/blocks/0/text/type]',
    ],
    [
      '11 context elements',
      message({ type: 'context', elements: many(11, mrkdwn('x')) }),
      'no more than 10 items allowed [json-pointer:/blocks/0/elements]',
    ],
    [
      'a long block id',
      message({ type: 'divider', block_id: 'x'.repeat(256) }),
      'must be less than 256 characters [json-pointer:/blocks/0/block_id]',
    ],
    [
      'a block id twice',
      message({ type: 'divider', block_id: 'a' }, { type: 'divider', block_id: 'a' }),
      'block_id already exists: "a" [json-pointer:/blocks/1/block_id]',
    ],
    [
      'a field nobody knows',
      message({ type: 'divider', color: 'red' }),
      'invalid additional property: color [json-pointer:/blocks/0]',
    ],
    [
      '26 actions',
      inActions(...many(26, button())),
      'no more than 25 items allowed [json-pointer:/blocks/0/elements]',
    ],
    [
      'an action id twice',
      inActions(button({ action_id: 'a' }), button({ action_id: 'a' })),
      'action_id already exists: "a" [json-pointer:/blocks/0/elements/1/action_id]',
    ],
    [
      'a long action id',
      inActions(button({ action_id: 'x'.repeat(256) })),
      'must be less than 256 characters [json-pointer:/blocks/0/elements/0/action_id]',
    ],
    [
      'a long button',
      inActions(button({ text: plain('x'.repeat(76)) })),
      'must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]',
    ],
    [
      'a long value',
      inActions(button({ value: 'x'.repeat(2001) })),
      'must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]',
    ],
    [
      'a wrong style',
      inActions(button({ style: 'green' })),
      'must be one of: primary, danger [json-pointer:/blocks/0/elements/0/style]',
    ],
    [
      'a long confirm text',
      inActions(button({ confirm: { text: plain('x'.repeat(301)) } })),
      'must be less than 301 characters [json-pointer:/blocks/0/elements/0/confirm/text/text]',
    ],
    [
      '6 overflow options',
      inActions({ type: 'overflow', options: many(6, option()) }),
      'no more than 5 items allowed [json-pointer:/blocks/0/elements/0/options]',
    ],
    [
      '101 options',
      inActions(select({ options: many(101, option()) })),
      'no more than 100 items allowed [json-pointer:/blocks/0/elements/0/options]',
    ],
    [
      'no options',
      inActions(select({ options: [] })),
      'no less than 1 items allowed [json-pointer:/blocks/0/elements/0/options]',
    ],
    [
      'a long option',
      inActions(select({ options: [option('x'.repeat(76))] })),
      'must be less than 76 characters [json-pointer:/blocks/0/elements/0/options/0/text/text]',
    ],
    [
      'a long option value',
      inActions(select({ options: [option('x', 'x'.repeat(151))] })),
      'must be less than 151 characters [json-pointer:/blocks/0/elements/0/options/0/value]',
    ],
    [
      'an initial option that is none',
      inActions(select({ initial_option: option('x', 'other') })),
      'initial option must exactly match one of the provided options [json-pointer:/blocks/0/elements/0]',
    ],
    [
      'a long placeholder',
      inActions(select({ placeholder: plain('x'.repeat(151)) })),
      'must be less than 151 characters [json-pointer:/blocks/0/elements/0/placeholder/text]',
    ],
    [
      'a wrong date',
      inActions({ type: 'datepicker', initial_date: '2026-13-01' }),
      'must be a valid date (YYYY-MM-DD) [json-pointer:/blocks/0/elements/0/initial_date]',
    ],
    [
      'an input among actions',
      inActions({ type: 'plain_text_input' }),
      'unsupported type: plain_text_input [json-pointer:/blocks/0/elements/0/type]',
    ],
    [
      'a file input in a message',
      message(input({ type: 'file_input' })),
      'unsupported type: file_input [json-pointer:/blocks/0/element/type]',
    ],
    [
      'an image without alternative',
      message({ type: 'image', image_url: 'https://a.example.com/x.png' }),
      'missing required field: alt_text [json-pointer:/blocks/0]',
    ],
    [
      'an image of two sources',
      message({
        type: 'image',
        alt_text: 'x',
        image_url: 'https://a.example.com/x.png',
        slack_file: { id: 'F1' },
      }),
      'must provide exactly one of: image_url, slack_file [json-pointer:/blocks/0]',
    ],
    [
      'an image Slack cannot fetch',
      message({ type: 'image', alt_text: 'x', image_url: 'http://localhost:4001/x.png' }),
      'downloading image failed [json-pointer:/blocks/0/image_url]',
    ],
    [
      'an unknown file',
      message({ type: 'image', alt_text: 'x', slack_file: { id: 'F2' } }),
      'invalid slack file [json-pointer:/blocks/0/slack_file]',
    ],
    [
      'two tables',
      message(...many(2, { type: 'table', rows: [[{ type: 'raw_text', text: 'x' }]] })),
      'no more than 1 table blocks allowed [json-pointer:/blocks]',
    ],
    [
      '101 rows',
      message({ type: 'table', rows: many(101, [{ type: 'raw_text', text: 'x' }]) }),
      'no more than 100 items allowed [json-pointer:/blocks/0/rows]',
    ],
    [
      '21 columns',
      message({ type: 'table', rows: [many(21, { type: 'raw_text', text: 'x' })] }),
      'no more than 20 items allowed [json-pointer:/blocks/0/rows/0]',
    ],
    [
      'a table in a modal',
      view(modal([{ type: 'table', rows: [[{ type: 'raw_text', text: 'x' }]] }])),
      'unsupported type: table [json-pointer:/view/blocks/0/type]',
    ],
    [
      'a ragged data table',
      message({ type: 'data_table', caption: 'c', rows: [[{ type: 'raw_text', text: 'x' }], []] }),
      'no less than 1 items allowed [json-pointer:/blocks/0/rows/1]',
    ],
    [
      'three charts',
      message(...many(3, chart())),
      'no more than 2 data_visualization blocks allowed [json-pointer:/blocks]',
    ],
    [
      '7 series',
      message(chart({ series: Array.from({ length: 7 }, (_, n) => series(`s${n}`, 'x')) })),
      'no more than 6 items allowed [json-pointer:/blocks/0/chart/series]',
    ],
    [
      'series of one name',
      message(chart({ series: [series('A', 'x'), series('A', 'x')] })),
      'series names must be unique [json-pointer:/blocks/0/chart/series]',
    ],
    [
      'points that are no categories',
      message(chart({ series: [series('A', 'y')] })),
      'every series must have one data point per category, in the same order [json-pointer:/blocks/0/chart/series]',
    ],
    [
      'a long label',
      message(chart({ series: [series('x'.repeat(21), 'x')] })),
      'must be less than 21 characters [json-pointer:/blocks/0/chart/series/0/name]',
    ],
    [
      'a long chart title',
      message(chart({}, 'x'.repeat(51))),
      'must be less than 51 characters [json-pointer:/blocks/0/title]',
    ],
    [
      'a chart in a modal',
      view(modal([chart()])),
      'unsupported type: data_visualization [json-pointer:/view/blocks/0/type]',
    ],
    [
      'inputs without submit',
      view(modal([input({ type: 'plain_text_input' })], { submit: undefined })),
      'missing required field: submit (a view with input blocks needs it) [json-pointer:/view]',
    ],
    [
      'a long modal title',
      view(modal([], { title: plain('x'.repeat(25)) })),
      'must be less than 25 characters [json-pointer:/view/title/text]',
    ],
    [
      'long metadata',
      view(modal([], { private_metadata: 'x'.repeat(3001) })),
      'must be less than 3001 characters [json-pointer:/view/private_metadata]',
    ],
    [
      'a long callback id',
      view(modal([], { callback_id: 'x'.repeat(256) })),
      'must be less than 256 characters [json-pointer:/view/callback_id]',
    ],
    [
      'an unknown view',
      view({ type: 'dialog', blocks: [] }),
      'must be one of: modal, home [json-pointer:/view/type]',
    ],
    [
      'a long label of an input',
      view(modal([input({ type: 'plain_text_input' }, { label: plain('x'.repeat(2001)) })])),
      'must be less than 2001 characters [json-pointer:/view/blocks/0/label/text]',
    ],
    [
      'a number input that does not say',
      inInput({ type: 'number_input' }),
      'missing required field: is_decimal_allowed [json-pointer:/view/blocks/0/element]',
    ],
    [
      'a number where text is wanted',
      inInput({ type: 'number_input', is_decimal_allowed: false, min_value: 1 }),
      'must provide a string [json-pointer:/view/blocks/0/element/min_value]',
    ],
    [
      'a large max_length',
      inInput({ type: 'plain_text_input', max_length: 3001 }),
      'must be less than or equal to 3000 [json-pointer:/view/blocks/0/element/max_length]',
    ],
    [
      '11 files',
      inInput({ type: 'file_input', max_files: 11 }),
      'must be less than or equal to 10 [json-pointer:/view/blocks/0/element/max_files]',
    ],
    [
      '11 checkboxes',
      inInput({ type: 'checkboxes', options: many(11, option()) }),
      'no more than 10 items allowed [json-pointer:/view/blocks/0/element/options]',
    ],
    [
      'a button as an input',
      inInput(button()),
      'unsupported type: button [json-pointer:/view/blocks/0/element/type]',
    ],
  ])('%s', (_name, problems, expected) => {
    expect(problems).toContain(`[ERROR] ${expected}`);
  });
});

test('characters are code points, whatever they are', () => {
  const letter = fc.constantFrom('x', 'ü', '字', '😀', '\u0000', '&', '\u{10ffff}');
  fc.assert(
    fc.property(letter, fc.integer({ min: 1, max: 200 }), (one, length) => {
      const problems = message({ type: 'header', text: plain(one.repeat(length)) });
      expect(problems.length === 0).toBe(length <= 150);
    }),
  );
});

test('no input makes the validator throw, and every problem has a path into it', () => {
  const types = [
    'section',
    'actions',
    'input',
    'image',
    'table',
    'data_visualization',
    'rich_text',
    'context',
    'container',
  ];
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.jsonValue(),
          fc.record(
            {
              type: fc.constantFrom(...types),
              text: fc.jsonValue(),
              elements: fc.jsonValue(),
              element: fc.jsonValue(),
              rows: fc.jsonValue(),
              chart: fc.jsonValue(),
            },
            { requiredKeys: ['type'] },
          ),
        ),
        { maxLength: 5 },
      ),
      (blocks) => {
        for (const problem of checkMessage(blocks, known)) expect(problem.path).toMatch(/^\/blocks/);
        for (const problem of checkView({ type: 'modal', blocks }, known))
          expect(problem.path).toMatch(/^\/view/);
      },
    ),
  );
});

test('all text that a message shows counts together', () => {
  const sections = (n: number) => many(n, { type: 'section', text: mrkdwn('x'.repeat(1300)) });
  expect(isTooLong(sections(10))).toBe(false);
  expect(isTooLong(sections(11))).toBe(true);
});
