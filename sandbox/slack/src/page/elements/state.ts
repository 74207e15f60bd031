import type { KnownBlock } from '@slack/types';
import type { Block, ElementState, StateValues } from '../../model.ts';

/** An interactive element; the fields of each kind are in @slack/types. */
export type Actable = { type: string; action_id?: string; [field: string]: unknown };

/** Returns the blocks with their types. No checks are needed, because the server has validated them. */
export function typed(blocks: Block[]): KnownBlock[] {
  return blocks as unknown as KnownBlock[];
}

/** The field of an element's state that holds the choice, and the element's field with its initial value. */
const fields: Record<string, [state: string, initial: string, empty: unknown]> = {
  plain_text_input: ['value', 'initial_value', null],
  email_text_input: ['value', 'initial_value', null],
  url_text_input: ['value', 'initial_value', null],
  number_input: ['value', 'initial_value', null],
  rich_text_input: ['rich_text_value', 'initial_value', null],
  static_select: ['selected_option', 'initial_option', null],
  external_select: ['selected_option', 'initial_option', null],
  users_select: ['selected_user', 'initial_user', null],
  conversations_select: ['selected_conversation', 'initial_conversation', null],
  channels_select: ['selected_channel', 'initial_channel', null],
  multi_static_select: ['selected_options', 'initial_options', []],
  multi_external_select: ['selected_options', 'initial_options', []],
  multi_users_select: ['selected_users', 'initial_users', []],
  multi_conversations_select: ['selected_conversations', 'initial_conversations', []],
  multi_channels_select: ['selected_channels', 'initial_channels', []],
  checkboxes: ['selected_options', 'initial_options', []],
  radio_buttons: ['selected_option', 'initial_option', null],
  datepicker: ['selected_date', 'initial_date', null],
  timepicker: ['selected_time', 'initial_time', null],
  datetimepicker: ['selected_date_time', 'initial_date_time', null],
  file_input: ['files', '', []],
};

/** Returns the field of the state that holds the value of elements of this type. */
export function valueField(type: string): string {
  return fields[type]?.[0] ?? 'value';
}

/** Returns an element's state in Slack's shape: `{ type, selected_option: … }`. */
export function stateWith(type: string, value: unknown): ElementState {
  return { type, [valueField(type)]: value };
}

/** Returns an element's initial state. */
export function initialState(element: Actable): ElementState {
  const [, initial = '', empty = null] = fields[element.type] ?? [];
  return stateWith(element.type, element[initial] ?? empty);
}

/** Returns the state of every element that has one, from the first source that has it. */
export function collectValues(blocks: Block[], ...sources: StateValues[]): StateValues {
  const values: StateValues = {};
  for (const block of blocks.flatMap(withChildren)) {
    for (const element of actablesOf(block)) {
      const blockId = block.block_id ?? '';
      const actionId = element.action_id ?? '';
      if (!(element.type in fields)) continue;
      const known = sources
        .map((source) => source[blockId]?.[actionId])
        .find((state) => state?.type === element.type);
      values[blockId] = { ...values[blockId], [actionId]: known ?? initialState(element) };
    }
  }
  return values;
}

/** Returns a block and all blocks inside it. */
function withChildren(block: Block): Block[] {
  const children = block.child_blocks;
  return Array.isArray(children) ? [block, ...(children as Block[]).flatMap(withChildren)] : [block];
}

function actablesOf(block: Block): Actable[] {
  const candidates = [
    block.element,
    block.accessory,
    ...(Array.isArray(block.elements) ? block.elements : []),
  ];
  return candidates.filter(
    (item): item is Actable => typeof item === 'object' && item !== null && 'action_id' in item,
  );
}
