import type { KnownBlock, ModalView } from '@slack/types';

type Drawn = ModalView | { text: string; blocks: KnownBlock[] };

/** One block or element, in a message or a form. */
interface Sample {
  readonly feature: string;
  readonly title: string;
  readonly kind: 'message' | 'modal';
  readonly drawn: Drawn;
}

const picture = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')}`;
const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const option = (text: string) => ({ text: plain(text), value: text });
const options = ['One & only', 'Two', 'Three'].map(option);
const rich = (text: string) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
});
const asked = { title: plain('Sure?'), text: mrkdwn('*Really* sure') };
const rawText = (text: string) => ({ type: 'raw_text', text });
const confirm = { ...asked, confirm: plain('Yes'), deny: plain('No') };

/** One of each interactive element that Slack documents, as an input or in a message; its type is the first word of its name. */
const elements: Readonly<Record<string, object>> = {
  button: { text: plain('Press :tada: me'), style: 'danger', confirm },
  overflow: { options },
  static_select: { placeholder: plain('Pick'), options },
  'static_select with groups': {
    option_groups: [
      { label: plain('Some'), options: options.slice(0, 2) },
      { label: plain('Others'), options: options.slice(2) },
    ],
    initial_option: options[2],
  },
  multi_static_select: { options, initial_options: options.slice(0, 2) },
  external_select: { placeholder: plain('Find'), initial_option: options[0] },
  multi_external_select: { placeholder: plain('Find some') },
  users_select: { initial_user: 'U02BEN' },
  multi_users_select: { initial_users: ['U01ANN', 'U02BEN'] },
  conversations_select: { placeholder: plain('Where') },
  channels_select: { placeholder: plain('Which channel') },
  multi_conversations_select: { placeholder: plain('Places') },
  multi_channels_select: { placeholder: plain('Channels') },
  checkboxes: { options, initial_options: [options[1]] },
  radio_buttons: { options, initial_option: options[2] },
  datepicker: { initial_date: '2026-12-24' },
  timepicker: { initial_time: '17:30' },
  datetimepicker: { initial_date_time: 1_798_133_400 },
  rich_text_input: { initial_value: rich('Rich <i>before</i>') },
};

/** Elements that only messages have. */
const messageElements: Readonly<Record<string, object>> = {
  workflow_button: {
    text: plain('Start a workflow'),
    workflow: { trigger: { url: 'https://slack.com/shortcuts/Ft0/1' } },
  },
};

/** Inputs that only forms have. */
const inputs: Readonly<Record<string, object>> = {
  plain_text_input: { initial_value: 'Typed <before>' },
  'plain_text_input of lines': { multiline: true, initial_value: 'One\nTwo' },
  email_text_input: { placeholder: plain('you@example.com') },
  url_text_input: { initial_value: 'https://example.com/?a=1&b=2' },
  number_input: { is_decimal_allowed: true, initial_value: '1.25' },
  'rich_text_input without a value': { placeholder: plain('Write richly') },
  file_input: { filetypes: ['csv', 'pdf'], max_files: 3 },
  'file_input of one file': { max_files: 1 },
};

const image = (alt_text: string) => ({ type: 'image', image_url: picture, alt_text });
const card = (name: string) => ({
  type: 'card',
  icon: image(`The icon of ${name}`),
  title: mrkdwn(`*${name}* of <@U02BEN>`),
  subtitle: mrkdwn(`Below ${name}`),
  body: mrkdwn(`What ${name} says, _slanted_`),
  actions: [{ type: 'button', action_id: `open ${name}`, text: plain(`Open ${name}`), confirm }],
});
const task = (title: string, status: string) => ({ type: 'task_card', task_id: title, title, status });
const states = ['pending', 'in_progress', 'complete', 'error'];
const levels = ['default', 'info', 'warning', 'error', 'success'];

/** Blocks that hold others, and those of agents. */
const layouts: Readonly<Record<string, object>> = {
  video: {
    video_url: 'https://example.com/embed/1',
    thumbnail_url: picture,
    alt_text: 'A frame of the video',
    title: plain('How to photograph a receipt'),
    title_url: 'https://example.com/watch/1',
    author_name: 'Ann & Ben',
    provider_name: 'Videos',
    provider_icon_url: picture,
    description: plain('Two minutes'),
  },
  'video with no more than it needs': {
    video_url: 'https://example.com/embed/2',
    thumbnail_url: picture,
    alt_text: 'Another frame',
    title: plain('Bare'),
  },
  file: { source: 'remote', external_id: 'receipt-2026-12' },
  card: { ...card('One card'), hero_image: image('Over the width') },
  'card with a text alone': { body: mrkdwn('Nothing but a text') },
  carousel: { elements: [card('First card'), card('Second card')] },
  container: {
    icon: image('The icon of a container'),
    title: plain('A container'),
    subtitle: mrkdwn('with a *subtitle*'),
    has_header_divider: true,
    child_blocks: [
      { type: 'section', text: mrkdwn('Inside it') },
      { type: 'actions', elements: [{ type: 'button', action_id: 'in', text: plain('Press inside') }] },
      { type: 'context', elements: [mrkdwn('At its end')] },
    ],
  },
  'container that can be folded': {
    rich_text_title: rich('A rich title'),
    is_collapsible: true,
    child_blocks: [{ type: 'header', text: plain('Below the fold') }],
  },
  context_actions: {
    elements: [
      {
        type: 'feedback_buttons',
        action_id: 'feedback',
        positive_button: { text: plain('Good answer'), value: 'good' },
        negative_button: { text: plain('Bad answer'), value: 'bad' },
      },
      { type: 'icon_button', action_id: 'remove', icon: 'trash', text: plain('Delete it') },
    ],
  },
  ...Object.fromEntries(
    levels.map((level) => [`alert, ${level}`, { type: 'alert', level, text: mrkdwn(`It is *${level}*`) }]),
  ),
  'alert without a level': { text: plain('No level *at all*') },
  ...Object.fromEntries(states.map((status) => [`task_card, ${status}`, task(`A step ${status}`, status)])),
  'task_card with everything': {
    ...task('Looked for copies', 'complete'),
    details: rich('Compared with 1,200 proofs'),
    output: rich('Two are alike'),
    sources: [{ type: 'url', url: 'https://example.com/source', text: 'Where it stands' }],
  },
  plan: { title: 'What is done next', tasks: [task('Step one', 'complete'), task('Step two', 'pending')] },
  markdown: {
    text: '# A heading\n\nSome **bold** text with `code`\n\n- First of a list\n- Second of a list\n',
  },
};

/** Blocks of which the bot sends none, and one that nobody knows. */
const blocks: Readonly<Record<string, object>> = {
  'section with fields and a picture': {
    text: mrkdwn('Above the *fields* of <@U02BEN>'),
    fields: [mrkdwn('_Left_'), plain('Right *as it is*')],
    accessory: { type: 'image', image_url: picture, alt_text: 'A small picture' },
  },
  'image with a title': { image_url: picture, alt_text: 'A large picture', title: plain('Its title') },
  'rich_text of every kind': {
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
    caption: 'A caption',
    rows: [['Country', 'Tasks'].map(rawText), [rawText('<b>Kenya</b>'), { type: 'raw_number', value: 12 }]],
  },
  ...Object.fromEntries(
    ['line', 'area'].map((type) => [
      `data_visualization, ${type}`,
      {
        type: 'data_visualization',
        title: `A chart, ${type}`,
        chart: {
          type,
          series: [{ name: 'Accepted', data: ['Mon', 'Tue'].map((label, at) => ({ label, value: at + 3 })) }],
          axis_config: { categories: ['Mon', 'Tue'] },
        },
      },
    ]),
  ),
  'a block of tomorrow': { type: 'hologram', text: plain('Nobody knows it') },
};

const message = (block: object): Drawn => ({ text: 'x', blocks: [block] }) as unknown as Drawn;
const modal = (block: object): Drawn =>
  ({ type: 'modal', title: plain('A form'), submit: plain('Send'), blocks: [block] }) as unknown as Drawn;

/** Returns every block and element that Slack documents, each in a message or a form. */
export function blockSamples(): Sample[] {
  const typed = (name: string, more: object) => ({ type: name.split(/[ ,]/)[0], ...more });
  const element = (name: string, more: object) => typed(name, { action_id: 'a', ...more });
  const entry = (title: string, kind: 'message' | 'modal', drawn: Drawn): Sample => ({
    feature: 'Samples',
    title: `${title} in a ${kind}`,
    kind,
    drawn,
  });
  const input = (name: string, more: object) => {
    const label = plain(`The label of ${name}`);
    const about = { label, hint: plain('A hint'), element: element(name, more) };
    return entry(name, 'modal', modal({ type: 'input', ...about }));
  };
  return [
    ...Object.entries({ ...elements, ...messageElements }).map(([name, more]) =>
      entry(name, 'message', message({ type: 'actions', elements: [element(name, more)] })),
    ),
    ...Object.entries(elements).flatMap(([name, more]) =>
      ['button', 'overflow'].includes(name) ? [] : [input(name, more)],
    ),
    ...Object.entries(inputs).map(([name, more]) => input(name, more)),
    ...Object.entries({ ...blocks, ...layouts }).map(([name, more]) =>
      entry(name, 'message', message(typed(name, more))),
    ),
  ];
}
