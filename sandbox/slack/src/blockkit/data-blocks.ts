import { ID } from './composition.ts';
import { RICH_TEXT } from './rich-text.ts';
import {
  bool,
  byType,
  isObject,
  lengthOf,
  list,
  literal,
  must,
  number,
  onlyOn,
  opt,
  type Rule,
  req,
  shape,
  text,
} from './rules.ts';

const RAW_NUMBER = shape({ value: req(number()), text: opt(text(3000)) });
const CELL: Rule = byType({
  raw_text: shape({ text: req(text(3000)) }),
  raw_number: RAW_NUMBER,
  rich_text: RICH_TEXT,
});

/** Returns the number of characters in all cells of a table. */
function cellCharacters(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + cellCharacters(part), 0);
  if (!isObject(value)) return 0;
  const own = typeof value.text === 'string' ? lengthOf(value.text) : 0;
  return own + cellCharacters(value.elements);
}

const sameWidth: Rule = must(
  'all rows must have the same number of columns',
  ({ rows }) =>
    !Array.isArray(rows) || new Set(rows.map((row) => (Array.isArray(row) ? row.length : 0))).size <= 1,
  'rows',
);

const atMostCharacters = (max: number): Rule =>
  must(`must be less than ${max + 1} characters`, ({ rows }) => cellCharacters(rows) <= max, 'rows');

export const TABLE: Rule = shape(
  {
    block_id: opt(ID),
    rows: req(list(list(CELL, 20), 100)),
    column_settings: opt(
      list(shape({ align: opt(literal('left', 'center', 'right')), is_wrapped: opt(bool) }), 20, 0),
    ),
  },
  onlyOn('table', 'message'),
  atMostCharacters(10_000),
);

export const DATA_TABLE: Rule = shape(
  {
    block_id: opt(ID),
    rows: req(list(list(CELL, 20), 101)),
    caption: req(text(255)),
    page_size: opt(number(1, 100, true)),
    row_header_column_index: opt(number(0, 19, true)),
  },
  onlyOn('data_table', 'message'),
  sameWidth,
  atMostCharacters(20_000),
);

const LABEL = text(20);
const POINT = shape({ label: req(LABEL), value: req(number()) });

const SERIES_CHART: Rule = shape(
  {
    series: req(list(shape({ name: req(LABEL), data: req(list(POINT, 20)) }), 6)),
    axis_config: req(
      shape({ categories: req(list(LABEL, 20)), x_label: opt(text(50)), y_label: opt(text(50)) }),
    ),
  },
  must(
    'series names must be unique',
    ({ series }) => {
      const names = (Array.isArray(series) ? series : []).map((one) => (isObject(one) ? one.name : one));
      return new Set(names).size === names.length;
    },
    'series',
  ),
  must(
    'every series must have one data point per category, in the same order',
    ({ series, axis_config: axis }) => {
      if (!Array.isArray(series) || !isObject(axis) || !Array.isArray(axis.categories)) return true;
      const categories = JSON.stringify(axis.categories);
      return series.every(
        (one) =>
          !isObject(one) ||
          !Array.isArray(one.data) ||
          JSON.stringify(one.data.map((point) => (isObject(point) ? point.label : point))) === categories,
      );
    },
    'series',
  ),
);

export const DATA_VISUALIZATION: Rule = shape(
  {
    block_id: opt(ID),
    title: req(text(50)),
    chart: req(
      byType({
        pie: shape({
          segments: req(list(shape({ label: req(LABEL), value: req(number(Number.MIN_VALUE)) }), 12)),
        }),
        bar: SERIES_CHART,
        line: SERIES_CHART,
        area: SERIES_CHART,
      }),
    ),
  },
  onlyOn('data_visualization', 'message'),
);
