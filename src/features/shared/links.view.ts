import type { KnownBlock, ModalView } from '@slack/types';
import type { ProofLink } from '../../domain/proof-links.ts';
import { context, modal, section } from '../../slack/blocks.ts';
import { code, inPieces, preformatted } from '../../slack/mrkdwn.ts';

/** Maximum number of links shown, and the maximum length of an address shown whole. */
const linksShown = 12;
const longestAddress = 1_500;
const pieceRoom = 2_500;

/** Returns the modal with the links of a proof: each destination first, then the link. */
export function linksModal(links: readonly ProofLink[]): ModalView {
  const rest = links.length - linksShown;
  return modal({
    callbackId: 'task.links',
    title: 'Links in this proof',
    blocks: [
      context('The worker wrote these addresses. Look at the host before you open one.'),
      ...links.slice(0, linksShown).flatMap(linkBlocks),
      ...(rest > 0
        ? [context(`${rest === 1 ? '1 more link is' : `${rest} more links are`} in the proof.`)]
        : []),
      ...(links.length === 0 ? [section('This proof no longer has any links.')] : []),
    ],
  });
}

function linkBlocks({ host, address }: ProofLink, index: number): KnownBlock[] {
  const isTooLong = address.length > longestAddress;
  const [first = '', ...more] = inPieces(isTooLong ? address.slice(0, longestAddress) : address, pieceRoom);
  return [
    section(`Host: ${code(host)}\n${preformatted(first, first.length)}`),
    ...more.map((piece) => section(preformatted(piece, piece.length))),
    isTooLong
      ? context('This address is too long to be opened from here.')
      : {
          type: 'actions',
          block_id: `link/${index + 1}`,
          elements: [
            {
              type: 'button',
              // A link button, which Slack opens without the app.
              action_id: 'task.link',
              text: { type: 'plain_text', text: 'Open this link', emoji: false },
              url: address,
            },
          ],
        },
  ];
}
