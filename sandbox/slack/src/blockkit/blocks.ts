import { anyText, ID, IMAGE_BLOCK, IMAGE_ELEMENT, mrkdwn, plain, URL_RULE } from './composition.ts';
import { DATA_TABLE, DATA_VISUALIZATION, TABLE } from './data-blocks.ts';
import {
  ACCESSORY,
  ACTIONS_ELEMENT,
  CARD_ACTION,
  CONTEXT_ACTIONS_ELEMENT,
  CONTEXT_ELEMENT,
  INPUT_ELEMENT,
} from './elements.ts';
import { RICH_TEXT } from './rich-text.ts';
import {
  bool,
  byType,
  type Fields,
  isObject,
  list,
  literal,
  must,
  onlyOn,
  opt,
  type Problem,
  type Rule,
  req,
  shape,
  text,
} from './rules.ts';

const BLOCK: Fields = { block_id: opt(ID) };
const IMAGE = byType({ image: IMAGE_ELEMENT });

/** Action ids must be unique within a block. */
const uniqueActionIds: Rule = (value, path) => {
  if (!isObject(value) || !Array.isArray(value.elements)) return [];
  const seen = new Set<unknown>();
  return value.elements.flatMap((element, index): Problem[] => {
    const id = isObject(element) ? element.action_id : undefined;
    if (id === undefined) return [];
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [
      {
        path: `${path}/elements/${index}/action_id`,
        message: `action_id already exists: ${JSON.stringify(id)}`,
      },
    ];
  });
};

const CARD: Rule = shape({
  ...BLOCK,
  hero_image: opt(IMAGE),
  icon: opt(IMAGE),
  title: opt(mrkdwn(150)),
  subtitle: opt(mrkdwn(150)),
  body: opt(mrkdwn(3000)),
  actions: opt(list(CARD_ACTION, 5)),
});

const TASK_CARD: Rule = shape({
  ...BLOCK,
  task_id: req(text(255)),
  title: req(text(255)),
  details: opt(byType({ rich_text: RICH_TEXT })),
  output: opt(byType({ rich_text: RICH_TEXT })),
  sources: opt(list(byType({ url: shape({ url: req(URL_RULE), text: req(text(255)) }) }), 100, 0)),
  status: req(literal('pending', 'in_progress', 'complete', 'error')),
});

/** Every block with its rule; `container` is added below because it contains other blocks. */
const BLOCKS: Record<string, Rule> = {
  section: shape(
    {
      ...BLOCK,
      text: opt(anyText(3000)),
      fields: opt(list(anyText(2000), 10)),
      accessory: opt(ACCESSORY),
      expand: opt(bool),
    },
    must('must define either `text` or `fields`', (value) => value.text != null || value.fields != null),
  ),
  header: shape({ ...BLOCK, text: req(plain(150)) }),
  divider: shape(BLOCK),
  image: IMAGE_BLOCK,
  context: shape({ ...BLOCK, elements: req(list(CONTEXT_ELEMENT, 10)) }),
  actions: shape({ ...BLOCK, elements: req(list(ACTIONS_ELEMENT, 25)) }, uniqueActionIds),
  context_actions: shape(
    { ...BLOCK, elements: req(list(CONTEXT_ACTIONS_ELEMENT, 5)) },
    onlyOn('context_actions', 'message'),
    uniqueActionIds,
  ),
  input: shape({
    ...BLOCK,
    label: req(plain(2000)),
    hint: opt(plain(2000)),
    optional: opt(bool),
    dispatch_action: opt(bool),
    element: req(INPUT_ELEMENT),
  }),
  rich_text: RICH_TEXT,
  markdown: shape({ ...BLOCK, text: req(text(12_000)) }, onlyOn('markdown', 'message')),
  video: shape({
    ...BLOCK,
    video_url: req(URL_RULE),
    thumbnail_url: req(URL_RULE),
    alt_text: req(text(2000)),
    title: req(plain(200)),
    title_url: opt(URL_RULE),
    author_name: opt(text(50)),
    provider_name: opt(text(255)),
    provider_icon_url: opt(URL_RULE),
    description: opt(plain(200)),
  }),
  file: shape({ ...BLOCK, source: req(literal('remote')), external_id: req(ID) }, onlyOn('file', 'message')),
  table: TABLE,
  data_table: DATA_TABLE,
  data_visualization: DATA_VISUALIZATION,
  alert: shape({
    ...BLOCK,
    text: req(anyText(200)),
    level: opt(literal('default', 'info', 'warning', 'error', 'success')),
  }),
  card: CARD,
  carousel: shape({ ...BLOCK, elements: req(list(byType({ card: CARD }), 10)) }),
  task_card: TASK_CARD,
  plan: shape({ ...BLOCK, title: req(text(255)), tasks: opt(list(byType({ task_card: TASK_CARD }), 50, 0)) }),
};

const CHILD_TYPES = [
  'actions',
  'context',
  'divider',
  'file',
  'header',
  'image',
  'input',
  'rich_text',
  'section',
  'table',
  'video',
];

const CHILDREN = byType(
  Object.fromEntries(
    CHILD_TYPES.flatMap((type) => {
      const rule = BLOCKS[type];
      return rule === undefined ? [] : [[type, rule]];
    }),
  ),
);

/** The names of all blocks. */
export const blockTypes: readonly string[] = [...Object.keys(BLOCKS), 'container'];

/** Any block. */
export const ANY_BLOCK: Rule = byType({
  ...BLOCKS,
  container: shape({
    ...BLOCK,
    title: opt(plain(150)),
    rich_text_title: opt(byType({ rich_text: RICH_TEXT })),
    subtitle: opt(anyText(150)),
    child_blocks: req(list(CHILDREN, 50)),
    width: opt(literal('narrow', 'standard', 'wide', 'full')),
    icon: opt(IMAGE),
    is_collapsible: opt(bool),
    default_collapsed: opt(bool),
    has_header_divider: opt(bool),
  }),
});
