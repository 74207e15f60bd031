import { ID, URL_RULE } from './composition.ts';
import {
  bool,
  byType,
  type Fields,
  list,
  literal,
  number,
  opt,
  type Rule,
  req,
  shape,
  text,
} from './rules.ts';

const STYLE: Fields = {
  style: opt(
    shape({
      bold: opt(bool),
      italic: opt(bool),
      strike: opt(bool),
      code: opt(bool),
      underline: opt(bool),
    }),
  ),
};
const MANY = 3000;

const INLINE: Rule = byType({
  text: shape({ ...STYLE, text: req(text(MANY * 10)) }),
  link: shape({ ...STYLE, url: req(URL_RULE), text: opt(text(MANY, 0)), unsafe: opt(bool) }),
  emoji: shape({ ...STYLE, name: req(text(255)), unicode: opt(text(255)), url: opt(URL_RULE) }),
  user: shape({ ...STYLE, user_id: req(text(255)) }),
  usergroup: shape({ ...STYLE, usergroup_id: req(text(255)) }),
  channel: shape({ ...STYLE, channel_id: req(text(255)) }),
  team: shape({ ...STYLE, team_id: req(text(255)) }),
  broadcast: shape({ ...STYLE, range: req(literal('here', 'channel', 'everyone')) }),
  color: shape({ ...STYLE, value: req(text(255)) }),
  date: shape({
    ...STYLE,
    timestamp: req(number(0, Number.MAX_SAFE_INTEGER, true)),
    format: req(text(MANY)),
    url: opt(URL_RULE),
    fallback: opt(text(MANY)),
  }),
});

const BORDER: Fields = { border: opt(number(0, 1, true)) };
const SECTION = shape({ elements: req(list(INLINE, MANY, 0)) });

/** A rich_text block. */
export const RICH_TEXT: Rule = shape({
  block_id: opt(ID),
  elements: req(
    list(
      byType({
        rich_text_section: SECTION,
        rich_text_list: shape({
          ...BORDER,
          style: req(literal('bullet', 'ordered')),
          indent: opt(number(0, 8, true)),
          offset: opt(number(0, MANY, true)),
          elements: req(list(byType({ rich_text_section: SECTION }), MANY)),
        }),
        rich_text_quote: shape({ ...BORDER, elements: req(list(INLINE, MANY, 0)) }),
        rich_text_preformatted: shape({
          ...BORDER,
          language: opt(text(255)),
          elements: req(list(INLINE, MANY, 0)),
        }),
      }),
      MANY,
    ),
  ),
});
