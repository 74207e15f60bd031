import type { KnownBlock } from '@slack/types';
import { tellApart } from '../../domain/campaign-search.ts';
import { formatMoney } from '../../domain/money.ts';
import { partOf } from '../../domain/text.ts';
import { button, section } from '../../slack/blocks.ts';
import { code, date, inline } from '../../slack/mrkdwn.ts';
import { pageButtons } from '../../slack/paging.ts';
import { number } from '../../ui/words.ts';
import type { Board, BoardRow } from './board.view.ts';

/** Prefix of the paging action ids, followed by `.previous` or `.next`. */
export const campaignPageAction = 'home.campaigns';

/** The button that opens a campaign's status. */
const statusAction = 'campaign.status';

/** Renders one page of campaigns with progress and waiting tasks. */
export function campaignBlocks({ rows, page, pages }: Pick<Board, 'rows' | 'page' | 'pages'>): KnownBlock[] {
  if (rows.length === 0) return [];
  const told = tellApart(rows.map(asCampaign));
  return [
    { type: 'divider' },
    section('*Campaigns*'),
    ...rows.map((row) => rowSection(row, told(asCampaign(row)))),
    ...pageButtons({ blockId: campaignPageAction, actionId: campaignPageAction, page, pages }),
  ];
}

function asCampaign({ campaign, title }: BoardRow) {
  return { id: campaign, title };
}

function rowSection(row: BoardRow, told: string): KnownBlock {
  const { campaign, title, progress } = row;
  const name = title.trim() === '' ? `Campaign ${campaign}` : title;
  const lines = [
    `*${inline(name, 80)}*${told && ` ${code(told)}`}`,
    ...(progress === undefined ? [] : [progressLine(progress)]),
    waitingLine(row),
  ];
  return section(lines.join('\n'), {
    accessory: button('Status', statusAction, JSON.stringify({ campaign }), { label: `Status of ${name}` }),
  });
}

const barLength = 10;

/** Draws the share of positions with an accepted task, and with an undecided one. */
function progressLine({ positions, accepted, submitted }: NonNullable<BoardRow['progress']>): string {
  if (positions <= 0) return `${number(accepted)} accepted`;
  const cells = (tasks: number) => Math.round((Math.min(tasks, positions) / positions) * barLength);
  const full = Math.min(cells(accepted), accepted < positions ? barLength - 1 : barLength);
  const half = Math.min(Math.max(cells(submitted), submitted > 0 ? 1 : 0), barLength - full);
  const bar = `${'█'.repeat(full)}${'▒'.repeat(half)}${'░'.repeat(barLength - full - half)}`;
  const percent = Math.floor((Math.min(accepted, positions) / positions) * 100);
  return `${bar} ${percent} % · ${partOf(accepted, positions, 'accepted')}`;
}

function waitingLine({ waiting, oldest, dueAt, dueToday, money }: BoardRow): string {
  if (waiting === 0) return 'Nothing is waiting.';
  return [
    `*${number(waiting)} waiting*`,
    ...(oldest === undefined ? [] : [`oldest ${date(oldest)}`]),
    ...(dueToday === undefined || dueToday === 0 ? [] : [`${number(dueToday)} due today`]),
    ...(dueAt === undefined ? [] : [`first due ${date(dueAt)}`]),
    ...(money === undefined ? [] : [formatMoney(money)]),
  ].join(' · ');
}
