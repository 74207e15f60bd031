import {
  bool,
  byType,
  exactlyOne,
  type Fields,
  isObject,
  list,
  literal,
  must,
  opt,
  pattern,
  type Rule,
  req,
  shape,
  text,
} from './rules.ts';

/** Text objects. */
export const plain = (max: number): Rule =>
  byType({ plain_text: shape({ text: req(text(max)), emoji: opt(bool) }) });

const mrkdwnText = (max: number): Rule => shape({ text: req(text(max)), verbatim: opt(bool) });

export const mrkdwn = (max: number): Rule => byType({ mrkdwn: mrkdwnText(max) });

export const anyText = (max: number): Rule =>
  byType({ plain_text: shape({ text: req(text(max)), emoji: opt(bool) }), mrkdwn: mrkdwnText(max) });

export const ID = text(255);
export const URL_RULE = pattern(/^(https?|mailto|slack|tel|sms):\S+$/i, 'URL');

const option = (label: Rule, withUrl: boolean): Rule =>
  shape({
    text: req(label),
    value: req(text(150)),
    description: opt(anyText(75)),
    ...(withUrl ? { url: opt(URL_RULE) } : {}),
  });

export const PLAIN_OPTION = option(plain(75), false);
export const OVERFLOW_OPTION = option(plain(75), true);
export const RICH_OPTION = option(anyText(75), false);

export const OPTION_GROUP = shape({ label: req(plain(75)), options: req(list(PLAIN_OPTION, 100)) });

/** `options` or `option_groups`, 100 at most of each. */
export const OPTIONS_OR_GROUPS: Fields = {
  options: opt(list(PLAIN_OPTION, 100)),
  option_groups: opt(list(OPTION_GROUP, 100)),
};

export const CONFIRM = shape({
  title: opt(plain(100)),
  text: req(anyText(300)),
  confirm: opt(plain(30)),
  deny: opt(plain(30)),
  style: opt(literal('primary', 'danger')),
});

export const FILTER = shape({
  include: opt(list(literal('im', 'mpim', 'private', 'public'), 4)),
  exclude_external_shared_channels: opt(bool),
  exclude_bot_users: opt(bool),
});

export const DISPATCH_CONFIG = shape({
  trigger_actions_on: opt(list(literal('on_enter_pressed', 'on_character_entered'), 2)),
});

const SLACK_FILE = shape(
  { id: opt(text(255)), url: opt(URL_RULE) },
  exactlyOne('id', 'url'),
  must('invalid slack file', (value, context) =>
    context.imageFile({
      ...(typeof value.id === 'string' ? { id: value.id } : {}),
      ...(typeof value.url === 'string' ? { url: value.url } : {}),
    }),
  ),
);

/**
 * Slack fetches image URLs itself. The sandbox fetches nothing: it refuses addresses that Slack cannot reach (this
 * machine, private networks, reserved names) as Slack refuses a failed download, and accepts all others.
 */
const reachable: Rule = must(
  'downloading image failed',
  (value) => typeof value.image_url !== 'string' || !isPrivateUrl(value.image_url),
  'image_url',
);

function isPrivateUrl(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return (
    host === '' ||
    host === 'localhost' ||
    !host.includes('.') ||
    /\.(local|localhost|internal|test|invalid|example)$/.test(host) ||
    /^(127|10|0)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\.|^\[/.test(host)
  );
}

const IMAGE_FIELDS: Fields = {
  alt_text: req(text(2000)),
  image_url: opt(pattern(/^https?:\/\/\S+$/i, 'URL')),
  slack_file: opt(SLACK_FILE),
};

export const IMAGE_ELEMENT = shape(IMAGE_FIELDS, exactlyOne('image_url', 'slack_file'), reachable);

export const IMAGE_BLOCK = shape(
  { ...IMAGE_FIELDS, block_id: opt(ID), title: opt(plain(2000)) },
  exactlyOne('image_url', 'slack_file'),
  reachable,
);

/** `initial_option(s)` must be among the options, as on Slack. */
export const initialAmongOptions: Rule = must(
  'initial option must exactly match one of the provided options',
  (value) => {
    const wanted = [
      ...(isObject(value.initial_option) ? [value.initial_option] : []),
      ...(Array.isArray(value.initial_options) ? value.initial_options.filter(isObject) : []),
    ].map((given) => given.value);
    const groups = Array.isArray(value.option_groups) ? value.option_groups.filter(isObject) : [];
    const known = [value.options, ...groups.map((group) => group.options)]
      .flatMap((options) => (Array.isArray(options) ? options.filter(isObject) : []))
      .map((given) => given.value);
    return wanted.every((given) => known.includes(given));
  },
);
