import type { Call } from './endpoint.ts';
import type { Lie } from './faults.ts';
import { resultsCsv } from './results-csv.ts';

const firstColumn = 'ROW,';
const page = '<html><head><title>Maintenance</title></head><body><h1>Back soon</h1></body></html>';

/** Returns the body of an answer as changed by a fault of kind `lie`, or unchanged if the lie does not apply to it. */
export function distorted(body: Record<string, unknown>, lie: Lie, call: Call): Record<string, unknown> {
  if (typeof body.csv === 'string') return { ...body, csv: distortedCsv(body.csv, lie, call) };
  for (const name of ['campaigns', 'messages']) {
    const items = body[name];
    if (Array.isArray(items)) return { ...body, [name]: distortedItems(items, lie) };
  }
  return body;
}

function distortedCsv(csv: string, lie: Lie, call: Call): string {
  const header = csv.startsWith(firstColumn) ? 0 : csv.indexOf(`\n${firstColumn}`) + 1;
  const rowsAt = csv.indexOf('\n', header) + 1;
  const [head, rows] = rowsAt === 0 ? [`${csv}\n`, ''] : [csv.slice(0, rowsAt), csv.slice(rowsAt)];
  const lines = rows === '' ? [] : rows.split('\n');
  const half = lines.slice(0, Math.floor(lines.length / 2));
  switch (lie) {
    case 'no csv':
      return page;
    case 'no header':
      return `${head.slice(0, header)}${rows}`;
    case 'other columns':
      return `${head.slice(0, header)}${head.slice(header).replace('TASK_RATING', 'STATE')}${rows}`;
    case 'cut end':
      // Cuts within the last row, before the rating.
      return csv.slice(0, csv.lastIndexOf('\n') + 12);
    case 'fewer rows':
      return `${head}${half.join('\n')}`.trimEnd();
    case 'unreadable rows':
      return `${head}${lines.map((line, at) => (at < half.length ? line : line.replaceAll('NOTRATED', 'N/A'))).join('\n')}`;
    case 'repeated rows':
      return `${head}${[...lines, ...lines].join('\n')}`;
    case 'other campaign': {
      const other = [...call.world.campaigns.values()].find(({ campaign_id }) => campaign_id !== call.id);
      return other === undefined ? page : resultsCsv(other, call);
    }
    default:
      return csv;
  }
}

function distortedItems(items: readonly unknown[], lie: Lie): unknown[] {
  const half = Math.floor(items.length / 2);
  if (lie === 'fewer items') return items.slice(0, half);
  if (lie === 'null counts')
    return items.map((item, at) =>
      at < items.length - 1 ? item : { ...(item as object), tasks_ok: null, tasks_not_rated: null },
    );
  if (lie !== 'unreadable items') return [...items];
  return items.map((item, at) => (at < half ? item : { broken: true }));
}
