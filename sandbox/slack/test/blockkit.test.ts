import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkMessage, checkView, isTooLong, problemMessages } from '../src/blockkit/index.ts';

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

const cell = { type: 'raw_text', text: 'x' };

describe('what is allowed passes', () => {
  const confirm = { title: plain('t'), text: mrkdwn('x'), confirm: plain('y'), deny: plain('n') };
  const url = 'https://a.example.com/x.png';
  const richText = [
    {
      type: 'rich_text_section',
      elements: [
        { type: 'text', text: 'x', style: { bold: true } },
        { type: 'user', user_id: 'U1' },
      ],
    },
    { type: 'rich_text_list', style: 'bullet', elements: [{ type: 'rich_text_section', elements: [] }] },
    { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'code' }] },
  ];
  const elements = [
    button({ value: 'v', style: 'danger', confirm }),
    select({ placeholder: plain('p'), initial_option: option() }),
    { type: 'overflow', options: many(5, option()) },
    { type: 'datepicker', initial_date: '2026-02-28' },
    { type: 'timepicker', initial_time: '23:59' },
    { type: 'datetimepicker', initial_date_time: 1_700_000_000 },
    { type: 'multi_external_select', min_query_length: 0, max_selected_items: 3 },
    { type: 'conversations_select', filter: { include: ['public'] } },
  ];
  const pie = { type: 'pie', segments: [{ label: 'x', value: 2 }] };
  test.each([
    { type: 'section', text: mrkdwn('*x*'), fields: many(10, mrkdwn('f')), accessory: button() },
    { type: 'header', text: plain('x'.repeat(150)) },
    { type: 'divider' },
    { type: 'context', elements: [mrkdwn('x'), { type: 'image', image_url: url, alt_text: 'x' }] },
    { type: 'image', slack_file: { id: 'F1' }, alt_text: 'x', title: plain('t') },
    { type: 'actions', elements },
    { type: 'rich_text', elements: richText },
    { type: 'table', rows: [[cell, { type: 'raw_number', value: 1, text: '1' }]] },
    { type: 'data_table', caption: 'c', rows: [[cell]] },
    chart(),
    { type: 'data_visualization', title: 'T', chart: pie },
    { type: 'markdown', text: '# x' },
    input({ type: 'plain_text_input' }, { hint: plain('h'), optional: true }),
  ])('$type', (block) => {
    expect(message(block)).toEqual([]);
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
  ])('$type in a modal', (one) => {
    expect(inInput(one)).toEqual([]);
  });
});

const less = (characters: number) => `must be less than ${characters} characters`;
const most = (items: number) => `no more than ${items} items allowed`;
const unsupported = (type: string) => `unsupported type: ${type}`;
const x = (length: number) => 'x'.repeat(length);
const divider = { type: 'divider' };
const section = (extra: object) => message({ type: 'section', ...extra });
const header = (text: object) => message({ type: 'header', text });
const image = (extra: object) => message({ type: 'image', alt_text: 'x', ...extra });
const table = (rows: unknown, extra: object = { type: 'table' }) => ({ ...extra, rows });
const oneAction = 'blocks/0/elements/0';
const element = 'view/blocks/0/element';

test.each<[string[], string, string]>([
  [message(...many(51, divider)), most(50), 'blocks'],
  [view(modal(many(101, divider))), most(100), 'view/blocks'],
  [message({ type: 'shout' }), unsupported('shout'), 'blocks/0/type'],
  [message({}), 'missing required field: type', 'blocks/0'],
  [section({}), 'must define either `text` or `fields`', 'blocks/0'],
  [section({ text: mrkdwn('') }), 'must be more than 0 characters', 'blocks/0/text/text'],
  [section({ text: mrkdwn(x(3001)) }), less(3001), 'blocks/0/text/text'],
  [section({ fields: many(11, mrkdwn('x')) }), most(10), 'blocks/0/fields'],
  [section({ fields: [mrkdwn(x(2001))] }), less(2001), 'blocks/0/fields/0/text'],
  [header(plain(x(151))), less(151), 'blocks/0/text/text'],
  [header(mrkdwn('x')), unsupported('mrkdwn'), 'blocks/0/text/type'],
  [message({ type: 'context', elements: many(11, mrkdwn('x')) }), most(10), 'blocks/0/elements'],
  [message({ ...divider, block_id: x(256) }), less(256), 'blocks/0/block_id'],
  [message(...many(2, { ...divider, block_id: 'a' })), 'block_id already exists: "a"', 'blocks/1/block_id'],
  [message({ ...divider, color: 'red' }), 'invalid additional property: color', 'blocks/0'],
  [inActions(...many(26, button())), most(25), 'blocks/0/elements'],
  [
    inActions(...many(2, button({ action_id: 'a' }))),
    'action_id already exists: "a"',
    'blocks/0/elements/1/action_id',
  ],
  [inActions(button({ action_id: x(256) })), less(256), `${oneAction}/action_id`],
  [inActions(button({ text: plain(x(76)) })), less(76), `${oneAction}/text/text`],
  [inActions(button({ value: x(2001) })), less(2001), `${oneAction}/value`],
  [inActions(button({ style: 'green' })), 'must be one of: primary, danger', `${oneAction}/style`],
  [inActions(button({ confirm: { text: plain(x(301)) } })), less(301), `${oneAction}/confirm/text/text`],
  [inActions({ type: 'overflow', options: many(6, option()) }), most(5), `${oneAction}/options`],
  [inActions(select({ options: many(101, option()) })), most(100), `${oneAction}/options`],
  [inActions(select({ options: [] })), 'no less than 1 items allowed', `${oneAction}/options`],
  [inActions(select({ options: [option(x(76))] })), less(76), `${oneAction}/options/0/text/text`],
  [inActions(select({ options: [option('x', x(151))] })), less(151), `${oneAction}/options/0/value`],
  [
    inActions(select({ initial_option: option('x', 'other') })),
    'initial option must exactly match one of the provided options',
    oneAction,
  ],
  [inActions(select({ placeholder: plain(x(151)) })), less(151), `${oneAction}/placeholder/text`],
  [
    inActions({ type: 'datepicker', initial_date: '2026-13-01' }),
    'must be a valid date (YYYY-MM-DD)',
    `${oneAction}/initial_date`,
  ],
  [inActions({ type: 'plain_text_input' }), unsupported('plain_text_input'), `${oneAction}/type`],
  [message(input({ type: 'file_input' })), unsupported('file_input'), 'blocks/0/element/type'],
  [message({ type: 'image', slack_file: { id: 'F1' } }), 'missing required field: alt_text', 'blocks/0'],
  [
    image({ image_url: 'https://a.example.com/x.png', slack_file: { id: 'F1' } }),
    'must provide exactly one of: image_url, slack_file',
    'blocks/0',
  ],
  [image({ image_url: 'http://localhost:4001/x' }), 'downloading image failed', 'blocks/0/image_url'],
  [image({ slack_file: { id: 'F2' } }), 'invalid slack file', 'blocks/0/slack_file'],
  [message(...many(2, table([[cell]]))), 'no more than 1 table blocks allowed', 'blocks'],
  [message(table(many(101, [cell]))), most(100), 'blocks/0/rows'],
  [message(table([many(21, cell)])), most(20), 'blocks/0/rows/0'],
  [view(modal([table([[cell]])])), unsupported('table'), 'view/blocks/0/type'],
  [
    message(table([[cell], []], { type: 'data_table', caption: 'c' })),
    'no less than 1 items allowed',
    'blocks/0/rows/1',
  ],
  [message(...many(3, chart())), 'no more than 2 data_visualization blocks allowed', 'blocks'],
  [
    message(chart({ series: Array.from({ length: 7 }, (_, n) => series(`s${n}`, 'x')) })),
    most(6),
    'blocks/0/chart/series',
  ],
  [
    message(chart({ series: many(2, series('A', 'x')) })),
    'series names must be unique',
    'blocks/0/chart/series',
  ],
  [
    message(chart({ series: [series('A', 'y')] })),
    'every series must have one data point per category, in the same order',
    'blocks/0/chart/series',
  ],
  [message(chart({ series: [series(x(21), 'x')] })), less(21), 'blocks/0/chart/series/0/name'],
  [message(chart({}, x(51))), less(51), 'blocks/0/title'],
  [view(modal([chart()])), unsupported('data_visualization'), 'view/blocks/0/type'],
  [
    view(modal([input({ type: 'plain_text_input' })], { submit: undefined })),
    'missing required field: submit (a view with input blocks needs it)',
    'view',
  ],
  [view(modal([], { title: plain(x(25)) })), less(25), 'view/title/text'],
  [view(modal([], { private_metadata: x(3001) })), less(3001), 'view/private_metadata'],
  [view(modal([], { callback_id: x(256) })), less(256), 'view/callback_id'],
  [view({ type: 'dialog', blocks: [] }), 'must be one of: modal, home', 'view/type'],
  [
    view(modal([input({ type: 'plain_text_input' }, { label: plain(x(2001)) })])),
    less(2001),
    'view/blocks/0/label/text',
  ],
  [inInput({ type: 'number_input' }), 'missing required field: is_decimal_allowed', element],
  [
    inInput({ type: 'number_input', is_decimal_allowed: false, min_value: 1 }),
    'must provide a string',
    `${element}/min_value`,
  ],
  [
    inInput({ type: 'plain_text_input', max_length: 3001 }),
    'must be less than or equal to 3000',
    `${element}/max_length`,
  ],
  [
    inInput({ type: 'file_input', max_files: 11 }),
    'must be less than or equal to 10',
    `${element}/max_files`,
  ],
  [inInput({ type: 'checkboxes', options: many(11, option()) }), most(10), `${element}/options`],
  [inInput(button()), unsupported('button'), `${element}/type`],
])('%j: %s at /%s', (problems, expected, path) => {
  expect(problems).toContain(`[ERROR] ${expected} [json-pointer:/${path}]`);
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
  const types = 'section actions input image table data_visualization rich_text context container'.split(' ');
  const any = fc.jsonValue();
  const block = fc.record(
    { type: fc.constantFrom(...types), text: any, elements: any, element: any, rows: any, chart: any },
    { requiredKeys: ['type'] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(any, block), { maxLength: 5 }), (blocks) => {
      for (const problem of checkMessage(blocks, known)) expect(problem.path).toMatch(/^\/blocks/);
      for (const problem of checkView({ type: 'modal', blocks }, known))
        expect(problem.path).toMatch(/^\/view/);
    }),
  );
});

test('all text that a message shows counts together', () => {
  const sections = (n: number) => many(n, { type: 'section', text: mrkdwn('x'.repeat(1300)) });
  expect(isTooLong(sections(10))).toBe(false);
  expect(isTooLong(sections(11))).toBe(true);
});
