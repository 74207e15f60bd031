import type { Block, ElementState, Option, StateValues } from './model.ts';
import type { World } from './world.ts';

/** An element with its block. */
export type Found = { block: Block; element: Block };

/** The field that holds an element's state, and whether it holds several values; buttons have none. */
const STATE_FIELDS: Record<string, { field: string; many?: boolean; options?: boolean }> = {
  plain_text_input: { field: 'value' },
  email_text_input: { field: 'value' },
  url_text_input: { field: 'value' },
  number_input: { field: 'value' },
  rich_text_input: { field: 'rich_text_value' },
  static_select: { field: 'selected_option', options: true },
  external_select: { field: 'selected_option', options: true },
  users_select: { field: 'selected_user' },
  conversations_select: { field: 'selected_conversation' },
  channels_select: { field: 'selected_channel' },
  multi_static_select: { field: 'selected_options', many: true, options: true },
  multi_external_select: { field: 'selected_options', many: true, options: true },
  multi_users_select: { field: 'selected_users', many: true },
  multi_conversations_select: { field: 'selected_conversations', many: true },
  multi_channels_select: { field: 'selected_channels', many: true },
  checkboxes: { field: 'selected_options', many: true, options: true },
  radio_buttons: { field: 'selected_option', options: true },
  overflow: { field: 'selected_option', options: true },
  datepicker: { field: 'selected_date' },
  timepicker: { field: 'selected_time' },
  datetimepicker: { field: 'selected_date_time' },
  file_input: { field: 'files', many: true },
};

const INITIAL_FIELDS = [
  'initial_value',
  'initial_option',
  'initial_options',
  'initial_user',
  'initial_users',
  'initial_conversation',
  'initial_conversations',
  'initial_channel',
  'initial_channels',
  'initial_date',
  'initial_time',
  'initial_date_time',
];

const isBlock = (value: unknown): value is Block =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const blocksIn = (value: unknown): Block[] => (Array.isArray(value) ? value.filter(isBlock) : []);

/** Returns every interactive element of the blocks, including those inside containers and cards. */
export function elementsOf(blocks: Block[]): Found[] {
  return blocks.flatMap((block) => {
    const own = [
      ...blocksIn(block.elements),
      ...blocksIn(block.actions),
      ...(isBlock(block.accessory) ? [block.accessory] : []),
      ...(isBlock(block.element) ? [block.element] : []),
    ]
      .filter((element) => typeof element.action_id === 'string')
      .map((element) => ({ block, element }));
    return [...own, ...elementsOf(blocksIn(block.child_blocks)), ...cardsOf(block)];
  });
}

function cardsOf(block: Block): Found[] {
  return block.type === 'carousel' ? elementsOf(blocksIn(block.elements)) : [];
}

export function findElement(
  blocks: Block[],
  actionId: string,
  blockId: string | undefined,
): Found | undefined {
  return elementsOf(blocks).find(
    ({ block, element }) =>
      element.action_id === actionId && (blockId === undefined || block.block_id === blockId),
  );
}

/** Returns the blocks with missing block and action ids filled in, as Slack does. */
export function withIds(blocks: Block[], prefix = ''): Block[] {
  let n = 0;
  const fill = (block: Block): Block => {
    n += 1;
    const element = (part: unknown): unknown => {
      if (!isBlock(part) || STATELESS_PARTS.has(part.type)) return part;
      n += 1;
      return { ...part, action_id: part.action_id ?? `a${prefix}${n}` };
    };
    return {
      ...block,
      block_id: block.block_id ?? `b${prefix}${n}`,
      ...(Array.isArray(block.elements) && ELEMENT_BLOCKS.has(block.type)
        ? { elements: block.elements.map(element) }
        : {}),
      ...('accessory' in block ? { accessory: element(block.accessory) } : {}),
      ...('element' in block ? { element: element(block.element) } : {}),
      ...(Array.isArray(block.actions) ? { actions: block.actions.map(element) } : {}),
      ...(block.type === 'carousel' ? { elements: blocksIn(block.elements).map(fill) } : {}),
      ...(Array.isArray(block.child_blocks) ? { child_blocks: blocksIn(block.child_blocks).map(fill) } : {}),
    };
  };
  return blocks.map(fill);
}

const ELEMENT_BLOCKS = new Set(['actions', 'context_actions']);
const STATELESS_PARTS = new Set(['image', 'mrkdwn', 'plain_text', 'url']);

/** Returns the state before any interaction: initial values where there are any, otherwise empty. */
export function initialState(blocks: Block[]): StateValues {
  const values: StateValues = {};
  for (const { block, element } of elementsOf(blocks)) {
    const shape = STATE_FIELDS[element.type];
    if (shape === undefined || element.type === 'overflow') continue;
    const given = INITIAL_FIELDS.map((field) => element[field]).find((value) => value !== undefined);
    put(values, block, element, { type: element.type, [shape.field]: given ?? (shape.many ? [] : null) });
  }
  return values;
}

function put(values: StateValues, block: Block, element: Block, state: ElementState): void {
  const blockId = String(block.block_id);
  values[blockId] = { ...values[blockId], [String(element.action_id)]: state };
}

/** Returns the state that survives an update: that of elements that still exist under the same block and action id. */
export function carriedState(blocks: Block[], before: StateValues): StateValues {
  const values = initialState(blocks);
  for (const { block, element } of elementsOf(blocks)) {
    const kept = before[String(block.block_id)]?.[String(element.action_id)];
    if (kept !== undefined && kept.type === element.type) put(values, block, element, kept);
  }
  return values;
}

/** Returns all options of a select, including those in groups. */
export function optionsOf(element: Record<string, unknown>): Option[] {
  const groups = Array.isArray(element.option_groups) ? element.option_groups : [];
  return [
    ...(Array.isArray(element.options) ? (element.options as Option[]) : []),
    ...groups.flatMap((group: { options?: Option[] }) => group.options ?? []),
  ];
}

/**
 * Converts a value from a control call to an element's state. The value may have Slack's own shape
 * (`{ selected_option: … }`) or be a plain string (text, or an option's value or text), a list of those, or null for
 * nothing. Throws with a sentence if there is no such option.
 */
export function stateFrom(world: World, element: Block, given: unknown, offered: Option[]): ElementState {
  const shape = STATE_FIELDS[element.type];
  if (shape === undefined) throw new Error(`A ${element.type} keeps no state`);
  const bare =
    typeof given === 'object' && given !== null && !Array.isArray(given) && shape.field in given
      ? (given as Record<string, unknown>)[shape.field]
      : given;
  const one = (value: unknown): unknown => {
    if (value === null || value === undefined || value === '') return null;
    if (element.type === 'file_input') return fileOf(world, value);
    if (shape.options !== true) return value;
    return optionOf(element, value, offered);
  };
  const value = shape.many
    ? (Array.isArray(bare) ? bare : bare === null || bare === undefined ? [] : [bare]).map(one)
    : one(bare);
  const extra = element.type === 'timepicker' && element.timezone ? { timezone: element.timezone } : {};
  return { type: element.type, [shape.field]: value, ...extra };
}

function optionOf(element: Block, value: unknown, offered: Option[]): Option {
  const wanted =
    typeof value === 'object' && value !== null && 'value' in value ? String(value.value) : String(value);
  const options = [...optionsOf(element), ...offered];
  const found = options.find((option) => option.value === wanted || option.text.text === wanted);
  if (found !== undefined) return found;
  // The options of an external select are not known here, so the whole option must be given.
  if (element.type.endsWith('external_select') && typeof value === 'object' && value !== null)
    return value as Option;
  const known = options.map((option) => option.text.text).join(', ');
  throw new Error(`There is no option "${wanted}"; there are: ${known || 'none (type into it first)'}`);
}

function fileOf(world: World, value: unknown): unknown {
  const id = typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : String(value);
  const stored = world.files.get(id);
  if (stored === undefined) throw new Error(`There is no file ${id}; upload it first`);
  return stored.file;
}

/** Returns whether nothing is typed or chosen. */
export function isBlankState(state: ElementState | undefined): boolean {
  if (state === undefined) return true;
  return Object.entries(state).every(
    ([field, value]) =>
      field === 'type' ||
      field === 'timezone' ||
      value === null ||
      value === undefined ||
      (Array.isArray(value) && value.length === 0),
  );
}
