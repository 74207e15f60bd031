import type { DataTableBlock, TableBlock } from '@slack/types';
import type { ReactNode } from 'react';
import { LibraryBlock } from './library-block.tsx';

type Cell = TableBlock['rows'][number][number];

/** Renders a table or data_table block; the first row has the headings. */
export function Table({ block }: { block: TableBlock | DataTableBlock }): ReactNode {
  const [head = [], ...rows] = block.rows;
  const align = (column: number) =>
    block.type === 'table' ? block.column_settings?.[column]?.align : undefined;
  const cells = (row: Cell[], Tag: 'th' | 'td') =>
    row.map((cell, column) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: cells have no id but their position
      <Tag key={column} style={{ textAlign: align(column) }}>
        <CellText cell={cell} />
      </Tag>
    ));
  return (
    <div className="table">
      <table>
        {block.type === 'data_table' && <caption>{block.caption}</caption>}
        <thead>
          <tr>{cells(head, 'th')}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id but their position
            <tr key={index}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CellText({ cell }: { cell: Cell }): ReactNode {
  if (cell.type === 'rich_text') return <LibraryBlock block={cell} />;
  if (cell.type === 'raw_number') return cell.text ?? String(cell.value);
  return cell.text;
}
