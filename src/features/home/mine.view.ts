import type { KnownBlock } from '@slack/types';
import type { AccountId } from '../../domain/terms.ts';
import { actions, section } from '../../slack/blocks.ts';
import { date, inline } from '../../slack/mrkdwn.ts';
import { number } from '../../ui/words.ts';
import { mineButton } from '../focus/public.ts';

/** Tasks somebody has taken or been assigned. Times are milliseconds since 1970. */
export interface MineSummary {
  readonly account: AccountId;
  readonly count: number;
  /** The first of them, earliest deadline first. */
  readonly first: readonly {
    readonly campaignTitle: string;
    readonly worker: string;
    readonly dueAt?: number;
  }[];
}

/** Renders a member's own tasks; nothing if they have none. */
export function mineBlocks({ account, count, first }: MineSummary): KnownBlock[] {
  if (count === 0) return [];
  const many = count === 1 ? '*1 task is yours*' : `*${number(count)} tasks are yours*`;
  const lines = first.map(({ campaignTitle, worker, dueAt }) => {
    const due = dueAt === undefined ? '' : ` · due ${date(dueAt)}`;
    return `• ${inline(campaignTitle, 60)} · ${inline(worker, 40)}${due}`;
  });
  const more = count - first.length;
  if (more > 0) lines.push(`…and ${number(more)} more.`);
  return [
    section([`${many}: you took them, or somebody assigned them to you.`, ...lines].join('\n')),
    actions('home.mine', [mineButton(account)]),
  ];
}
