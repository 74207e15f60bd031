import type { DrawnEntry } from '../../gallery/drawn.ts';
import type { Drawn } from '../../gallery/entry.ts';

const picture = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')}`;
const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const option = (text: string) => ({ text: plain(text), value: text });
const options = ['One & only', 'Two', 'Three'].map(option);
const rich = (text: string) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
});
const confirm = {
  title: plain('Sure?'),
  text: mrkdwn('*Really* sure'),
  confirm: plain('Yes'),
  deny: plain('No'),
};

/** One of each interactive element that Slack documents, as an input or in a message. */
const elements: Readonly<Record<string, object>> = {
  button: { type: 'button', action_id: 'a', text: plain('Press :tada: me'), style: 'danger', confirm },
  overflow: { type: 'overflow', action_id: 'a', options },
  static_select: { type: 'static_select', action_id: 'a', placeholder: plain('Pick'), options },
  'static_select with groups': {
    type: 'static_select',
    action_id: 'a',
    option_groups: [
      { label: plain('Some'), options: options.slice(0, 2) },
      { label: plain('Others'), options: options.slice(2) },
    ],
    initial_option: options[2],
  },
  multi_static_select: {
    type: 'multi_static_select',
    action_id: 'a',
    options,
    initial_options: options.slice(0, 2),
  },
  external_select: {
    type: 'external_select',
    action_id: 'a',
    placeholder: plain('Find'),
    initial_option: options[0],
  },
  multi_external_select: { type: 'multi_external_select', action_id: 'a', placeholder: plain('Find some') },
  users_select: { type: 'users_select', action_id: 'a', initial_user: 'U02BEN' },
  multi_users_select: { type: 'multi_users_select', action_id: 'a', initial_users: ['U01ANN', 'U02BEN'] },
  conversations_select: { type: 'conversations_select', action_id: 'a', placeholder: plain('Where') },
  channels_select: { type: 'channels_select', action_id: 'a', placeholder: plain('Which channel') },
  multi_conversations_select: {
    type: 'multi_conversations_select',
    action_id: 'a',
    placeholder: plain('Places'),
  },
  multi_channels_select: { type: 'multi_channels_select', action_id: 'a', placeholder: plain('Channels') },
  checkboxes: { type: 'checkboxes', action_id: 'a', options, initial_options: [options[1]] },
  radio_buttons: { type: 'radio_buttons', action_id: 'a', options, initial_option: options[2] },
  datepicker: { type: 'datepicker', action_id: 'a', initial_date: '2026-12-24' },
  timepicker: { type: 'timepicker', action_id: 'a', initial_time: '17:30' },
};

/** Inputs that only forms have. */
const inputs: Readonly<Record<string, object>> = {
  plain_text_input: { type: 'plain_text_input', action_id: 'a', initial_value: 'Typed <before>' },
  'plain_text_input of lines': {
    type: 'plain_text_input',
    action_id: 'a',
    multiline: true,
    initial_value: 'One\nTwo',
  },
  email_text_input: { type: 'email_text_input', action_id: 'a', placeholder: plain('you@example.com') },
  url_text_input: { type: 'url_text_input', action_id: 'a', initial_value: 'https://example.com/?a=1&b=2' },
  number_input: { type: 'number_input', action_id: 'a', is_decimal_allowed: true, initial_value: '1.25' },
};

/** Blocks of which the bot sends none, and one that nobody knows. */
const blocks: Readonly<Record<string, object>> = {
  'section with fields and a picture': {
    type: 'section',
    text: mrkdwn('Above the *fields* of <@U02BEN>'),
    fields: [mrkdwn('_Left_'), plain('Right *as it is*')],
    accessory: { type: 'image', image_url: picture, alt_text: 'A small picture' },
  },
  'image with a title': {
    type: 'image',
    image_url: picture,
    alt_text: 'A large picture',
    title: plain('Its title'),
  },
  'rich_text of every kind': {
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: 'Bold <b>text</b>', style: { bold: true } },
          { type: 'link', url: 'https://example.com', text: 'and a link' },
        ],
      },
      {
        type: 'rich_text_list',
        style: 'bullet',
        elements: ['First point', 'Second point'].map((text) => rich(text).elements[0]),
      },
      { type: 'rich_text_quote', elements: [{ type: 'text', text: 'A quotation' }] },
      { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'const a = 1;' }] },
    ],
  },
  data_table: {
    type: 'data_table',
    caption: 'A caption',
    rows: [
      [
        { type: 'raw_text', text: 'Country' },
        { type: 'raw_text', text: 'Tasks' },
      ],
      [
        { type: 'raw_text', text: '<b>Kenya</b>' },
        { type: 'raw_number', value: 12 },
      ],
    ],
  },
  'a block of tomorrow': { type: 'hologram', text: plain('Nobody knows it') },
};

const message = (block: object): Drawn => ({ text: 'x', blocks: [block] }) as unknown as Drawn;
const modal = (block: object): Drawn =>
  ({ type: 'modal', title: plain('A form'), submit: plain('Send'), blocks: [block] }) as unknown as Drawn;

/** Entries with every block and element that the gallery's own may lack. */
export function blockSamples(): DrawnEntry[] {
  const entry = (title: string, kind: 'message' | 'modal', drawn: Drawn): DrawnEntry => ({
    feature: 'Samples',
    title: `${title} in a ${kind}`,
    kind,
    drawn,
  });
  const input = (name: string, element: object) =>
    entry(
      name,
      'modal',
      modal({ type: 'input', label: plain(`The label of ${name}`), hint: plain('A hint'), element }),
    );
  return [
    ...Object.entries(elements).map(([name, element]) =>
      entry(name, 'message', message({ type: 'actions', elements: [element] })),
    ),
    ...Object.entries(elements).flatMap(([name, element]) =>
      ['button', 'overflow'].includes(name) ? [] : [input(name, element)],
    ),
    ...Object.entries(inputs).map(([name, element]) => input(name, element)),
    ...Object.entries(blocks).map(([name, block]) => entry(name, 'message', message(block))),
  ];
}
