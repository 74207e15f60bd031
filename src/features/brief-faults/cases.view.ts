import type { KnownBlock, ModalView } from '@slack/types';
import type { Asked } from '../../domain/campaign.ts';
import type { Task } from '../../domain/task.ts';
import { context, modal, mrkdwn, section } from '../../slack/blocks.ts';
import { inline, link, preformatted, user } from '../../slack/mrkdwn.ts';
import { counted } from '../../ui/words.ts';

/** Maximum number of cases, and of characters of the request. */
export const mostCases = 10;
const shownOfAsked = 900;
/** Characters of a proof, and of a comment, in a case's column. */
const shownInColumn = 500;

/** A task that was refused for the reason, and its card. */
export interface Case {
  readonly task: Task;
  readonly card?: string;
}

/** Returns the modal with the cases below each other: submissions and what the workers were told. @param reason its name */
export function casesModal({
  campaignTitle,
  reason,
  asked,
  cases,
}: {
  readonly campaignTitle: string;
  readonly reason: string;
  readonly asked: Asked | undefined;
  readonly cases: readonly Case[];
}): ModalView {
  const shown = cases.slice(0, mostCases);
  const more = cases.length - shown.length;
  const none = 'These tasks are no longer stored here. The marketplace still has them.';
  return modal({
    callbackId: 'brief.cases',
    title: 'Cases',
    blocks: [
      section(`*${inline(campaignTitle, 100)}*\nNOK, for the reason “${inline(reason, 75)}”`),
      ...(asked === undefined
        ? []
        : [section(`Instructions:${preformatted(askedText(asked), shownOfAsked)}`)]),
      ...(cases.length === 0 ? [context(none)] : shown.flatMap(caseBlocks)),
      ...(more > 0 ? [context(`And ${more} more.`)] : []),
    ],
  });
}

function askedText({ work, proofs }: Asked): string {
  return [work, ...proofs].filter((text) => text.trim() !== '').join('\n');
}

function caseBlocks({ task, card }: Case): KnownBlock[] {
  const { worker, proof, decision, comment } = task;
  const name = inline(worker.name ?? worker.id, 60);
  const by = decision === undefined ? '' : ` · rated by ${user(decision.by)}`;
  const where = card === undefined ? '' : ` · ${link(card, 'Open its card')}`;
  const files = proof.files.length === 0 ? 'No text' : counted(proof.files.length, 'file');
  const submitted = proof.slots.join('\n\n').trim();
  const said = decision?.comment || comment;
  return [
    { type: 'divider' },
    {
      type: 'section',
      text: mrkdwn(`*${name}*${by}${where}`),
      fields: [
        mrkdwn(
          submitted === ''
            ? `Submitted: ${files}`
            : `Submitted:${preformatted(submitted, shownInColumn, 1_900)}`,
        ),
        mrkdwn(said === '' ? 'No comment' : `Comment:${preformatted(said, shownInColumn, 1_900)}`),
      ],
    },
  ];
}
