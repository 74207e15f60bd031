import {
  anyText,
  CONFIRM,
  DISPATCH_CONFIG,
  FILTER,
  ID,
  IMAGE_ELEMENT,
  initialAmongOptions,
  OPTIONS_OR_GROUPS,
  OVERFLOW_OPTION,
  PLAIN_OPTION,
  plain,
  RICH_OPTION,
  URL_RULE,
} from './composition.ts';
import { RICH_TEXT } from './rich-text.ts';
import {
  bool,
  byType,
  exactlyOne,
  type Fields,
  list,
  literal,
  must,
  number,
  onlyOn,
  opt,
  pattern,
  type Rule,
  req,
  shape,
  text,
} from './rules.ts';

const DATE = pattern(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'date (YYYY-MM-DD)');
const TIME = pattern(/^([01]\d|2[0-3]):[0-5]\d$/, 'time (HH:mm)');
const NUMERIC = pattern(/^-?\d+(\.\d+)?$/, 'number');

const ACTION: Fields = { action_id: opt(ID) };
const CONFIRMED: Fields = { ...ACTION, confirm: opt(CONFIRM) };
const CHOICE: Fields = { ...CONFIRMED, focus_on_load: opt(bool) };
const SELECT: Fields = { ...CHOICE, placeholder: opt(plain(150)) };
const MULTI: Fields = { ...SELECT, max_selected_items: opt(number(1, Number.MAX_SAFE_INTEGER, true)) };
const TYPED: Fields = {
  ...ACTION,
  placeholder: opt(plain(150)),
  focus_on_load: opt(bool),
  dispatch_action_config: opt(DISPATCH_CONFIG),
};
const EXTERNAL: Fields = { min_query_length: opt(number(0, 3000, true)) };
const CONVERSATION: Fields = { default_to_current_conversation: opt(bool), filter: opt(FILTER) };
const IDS = list(text(255), 100, 0);
const BUTTON_STYLE = opt(literal('primary', 'danger'));
const FEEDBACK = shape({ text: req(plain(75)), value: req(text(2000)), accessibility_label: opt(text(75)) });

/** Every element with its rule. */
const ELEMENTS: Record<string, Rule> = {
  button: shape({
    ...CONFIRMED,
    text: req(plain(75)),
    value: opt(text(2000)),
    url: opt(URL_RULE),
    style: BUTTON_STYLE,
    accessibility_label: opt(text(75)),
  }),
  workflow_button: shape({
    ...CONFIRMED,
    text: req(plain(75)),
    workflow: req(
      shape({
        trigger: req(
          shape({
            url: req(URL_RULE),
            customizable_input_parameters: opt(
              list(shape({ name: req(text(255)), value: req(text(3000, 0)) }), 100),
            ),
          }),
        ),
      }),
    ),
    style: BUTTON_STYLE,
    accessibility_label: opt(text(75)),
  }),
  icon_button: shape({
    ...CONFIRMED,
    icon: req(text(255)),
    text: req(plain(75)),
    value: opt(text(2000)),
    accessibility_label: opt(text(75)),
    visible_to_user_ids: opt(IDS),
  }),
  feedback_buttons: shape({ ...ACTION, positive_button: req(FEEDBACK), negative_button: req(FEEDBACK) }),
  checkboxes: shape(
    { ...CHOICE, options: req(list(RICH_OPTION, 10)), initial_options: opt(list(RICH_OPTION, 10)) },
    initialAmongOptions,
  ),
  radio_buttons: shape(
    { ...CHOICE, options: req(list(RICH_OPTION, 10)), initial_option: opt(RICH_OPTION) },
    initialAmongOptions,
  ),
  overflow: shape({ ...CONFIRMED, options: req(list(OVERFLOW_OPTION, 5)) }),
  datepicker: shape({ ...SELECT, initial_date: opt(DATE) }),
  timepicker: shape({ ...SELECT, initial_time: opt(TIME), timezone: opt(text(255)) }),
  datetimepicker: shape({ ...CHOICE, initial_date_time: opt(number(1e9, 9_999_999_999, true)) }),
  static_select: shape(
    { ...SELECT, ...OPTIONS_OR_GROUPS, initial_option: opt(PLAIN_OPTION) },
    exactlyOne('options', 'option_groups'),
    initialAmongOptions,
  ),
  external_select: shape({ ...SELECT, ...EXTERNAL, initial_option: opt(PLAIN_OPTION) }),
  users_select: shape({ ...SELECT, initial_user: opt(text(255)) }),
  conversations_select: shape({
    ...SELECT,
    ...CONVERSATION,
    initial_conversation: opt(text(255)),
    response_url_enabled: opt(bool),
  }),
  channels_select: shape({ ...SELECT, initial_channel: opt(text(255)), response_url_enabled: opt(bool) }),
  multi_static_select: shape(
    { ...MULTI, ...OPTIONS_OR_GROUPS, initial_options: opt(list(PLAIN_OPTION, 100)) },
    exactlyOne('options', 'option_groups'),
    initialAmongOptions,
  ),
  multi_external_select: shape({ ...MULTI, ...EXTERNAL, initial_options: opt(list(PLAIN_OPTION, 100)) }),
  multi_users_select: shape({ ...MULTI, initial_users: opt(IDS) }),
  multi_conversations_select: shape({ ...MULTI, ...CONVERSATION, initial_conversations: opt(IDS) }),
  multi_channels_select: shape({ ...MULTI, initial_channels: opt(IDS) }),
  plain_text_input: shape(
    {
      ...TYPED,
      initial_value: opt(text(3000, 0)),
      multiline: opt(bool),
      min_length: opt(number(0, 3000, true)),
      max_length: opt(number(1, 3000, true)),
    },
    must(
      'must be greater than or equal to min_length',
      ({ min_length: min, max_length: max }) =>
        typeof min !== 'number' || typeof max !== 'number' || max >= min,
      'max_length',
    ),
  ),
  rich_text_input: shape({
    ...TYPED,
    initial_value: opt(byType({ rich_text: RICH_TEXT })),
    min_lines: opt(number(1, 100, true)),
    max_lines: opt(number(1, 100, true)),
  }),
  email_text_input: shape({ ...TYPED, initial_value: opt(text(3000, 0)) }),
  url_text_input: shape({ ...TYPED, initial_value: opt(text(3000, 0)) }),
  number_input: shape(
    {
      ...TYPED,
      is_decimal_allowed: req(bool),
      initial_value: opt(NUMERIC),
      min_value: opt(NUMERIC),
      max_value: opt(NUMERIC),
    },
    must(
      'must be greater than or equal to min_value',
      ({ min_value: min, max_value: max }) =>
        typeof min !== 'string' || typeof max !== 'string' || Number(max) >= Number(min),
      'max_value',
    ),
  ),
  file_input: shape(
    { ...ACTION, filetypes: opt(list(text(255), 100)), max_files: opt(number(1, 10, true)) },
    onlyOn('file_input', 'modal'),
  ),
  image: IMAGE_ELEMENT,
};

/** The names of all elements. */
export const elementTypes: readonly string[] = Object.keys(ELEMENTS);

const only = (...types: string[]): Rule =>
  byType(
    Object.fromEntries(
      types.flatMap((type) => {
        const rule = ELEMENTS[type];
        return rule === undefined ? [] : [[type, rule]];
      }),
    ),
  );

const SELECTS = ['static', 'external', 'users', 'conversations', 'channels'].flatMap((kind) => [
  `${kind}_select`,
  `multi_${kind}_select`,
]);
const CHOICES = ['checkboxes', 'radio_buttons', 'datepicker', 'timepicker', ...SELECTS];

export const ACTIONS_ELEMENT = only(
  'button',
  'workflow_button',
  'overflow',
  'datetimepicker',
  'rich_text_input',
  ...CHOICES,
);
export const ACCESSORY = only('button', 'workflow_button', 'overflow', 'image', ...CHOICES);
export const INPUT_ELEMENT = only(
  'plain_text_input',
  'rich_text_input',
  'email_text_input',
  'url_text_input',
  'number_input',
  'file_input',
  'datetimepicker',
  ...CHOICES,
);
export const CONTEXT_ACTIONS_ELEMENT = only('feedback_buttons', 'icon_button');
export const CARD_ACTION = only('button');

export const CONTEXT_ELEMENT: Rule = (value, path, context) => {
  const image = only('image');
  const isImage = typeof value === 'object' && value !== null && 'type' in value && value.type === 'image';
  return (isImage ? image : anyText(3000))(value, path, context);
};
