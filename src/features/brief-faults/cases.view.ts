import type { KnownBlock, ModalView } from '@slack/types';
import type { Asked } from '../../domain/brief.ts';
import type { SecondLookOutcome } from '../../domain/second-look/outcome.ts';
import type { Task } from '../../domain/task.ts';
import { context, modal, mrkdwn, section } from '../../slack/blocks.ts';
import { inline, link, preformatted, user } from '../../slack/mrkdwn.ts';

/** Maximum number of cases, and of characters of the request. */
export const mostCases = 10;
const shownOfAsked = 900;
/** Characters of a proof, and of a comment, in a case's column. */
const shownInColumn = 500;

/** A task that was refused for the reason, or on which two looks differ, and its card. */
export interface Case {
  readonly task: Task;
  readonly card?: string;
  readonly look?: SecondLookOutcome;
}

/** Why the instructions may be at fault: a saved reason, or differing second looks. */
export type ShownFault = { readonly reason: string } | { readonly differing: number; readonly of: number };

/** Returns the modal with the cases side by side: submissions and verdicts. */
export function casesModal({
  campaignTitle,
  fault,
  asked,
  cases,
}: {
  readonly campaignTitle: string;
  readonly fault: ShownFault;
  readonly asked: Asked | undefined;
  readonly cases: readonly Case[];
}): ModalView {
  const shown = cases.slice(0, mostCases);
  const more = cases.length - shown.length;
  const none = 'Nothing of these tasks is stored here any more. The marketplace still has them.';
  return modal({
    callbackId: 'brief.cases',
    title: 'Cases',
    blocks: [
      section(`*${inline(campaignTitle, 100)}*\n${faultText(fault)}`),
      ...(asked === undefined
        ? []
        : [section(`What was asked:${preformatted(askedText(asked), shownOfAsked)}`)]),
      ...(cases.length === 0 ? [context(none)] : shown.flatMap(caseBlocks)),
      ...(more > 0 ? [context(`And ${more} more.`)] : []),
    ],
  });
}

function faultText(fault: ShownFault): string {
  return 'reason' in fault
    ? `Refused with the reason “${inline(fault.reason, 75)}”`
    : `Second looks differ on ${fault.differing} of ${fault.of} tasks`;
}

/** Returns the verdicts on a task without names, because the subject is the instructions, not people. */
function verdictsText({ first, second, third }: SecondLookOutcome): string {
  const decided = third === undefined ? '' : ` · the third, who saw both: ${third.verdict}`;
  return `First look: ${first.verdict} · second look: ${second.verdict}${decided}`;
}

function askedText({ work, proofs }: Asked): string {
  return [work, ...proofs].filter((text) => text.trim() !== '').join('\n');
}

function caseBlocks({ task, card, look }: Case): KnownBlock[] {
  const { worker, proof, decision, comment } = task;
  const name = inline(worker.name ?? worker.id, 60);
  const by = decision === undefined || look !== undefined ? '' : ` · refused by ${user(decision.by)}`;
  const verdicts = look === undefined ? '' : `\n${verdictsText(look)}`;
  const where = card === undefined ? '' : ` · ${link(card, 'Open its card')}`;
  const files =
    proof.files.length === 0
      ? 'No text'
      : `${proof.files.length} ${proof.files.length === 1 ? 'file' : 'files'}`;
  const submitted = proof.slots.join('\n\n').trim();
  const said = decision?.comment || comment;
  return [
    { type: 'divider' },
    {
      type: 'section',
      text: mrkdwn(`*${name}*${by}${where}${verdicts}`),
      fields: [
        mrkdwn(
          submitted === ''
            ? `Submitted: ${files}`
            : `Submitted:${preformatted(submitted, shownInColumn, 1_900)}`,
        ),
        mrkdwn(said === '' ? 'No comment' : `Told:${preformatted(said, shownInColumn, 1_900)}`),
      ],
    },
  ];
}
