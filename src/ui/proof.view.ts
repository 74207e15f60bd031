import type { ImageElement, KnownBlock, ModalView } from '@slack/types';
import { type Asked, linesOf, perSlot, questionOf, type ShownTask, slotsOf } from '../domain/campaign.ts';
import type { ProofLink } from '../domain/evidence/texts.ts';
import type { ShownPicture } from '../domain/picture.ts';
import type { ProofFile, Task } from '../domain/task.ts';
import { actions, button, context, modal, plainText, plainWords, section } from '../slack/blocks.ts';
import { code, escaped, inline, inPieces, isCut, piecesWithin, preformatted } from '../slack/mrkdwn.ts';

const askedShown = 140;
export const proofShown = 600;
export const instructionsShown = 500;
/** Bytes available for a proof in a modal, next to the other blocks. */
const wholeProofBytes = 120_000;
const wholeProofBlocks = 60;
/** Maximum characters of instructions in a modal, and in one block. */
const wholeInstructions = 12_000;
/** The same limits for the request of one proof slot. */
const wholeAsked = 2_500;
const pieceRoom = 2_900;

/** Maximum characters of the answers in one section, which also has their questions. */
const togetherRoom = 2_900;

/**
 * Returns the truncated proof: each answer under its question, or all below one line with the request.
 * @param title heading of the proof
 * @param picture shown beside it
 */
export function askedBlocks(
  asked: Asked | undefined,
  task: ShownTask,
  title = 'Proof',
  picture?: ImageElement,
): KnownBlock[] {
  const each = shownOfEach(task);
  const blocks = proofBlocks(asked, task, title, (heading, text) => [
    `${heading}\n${text === undefined ? '_Left empty_' : preformatted(text, each)}`,
  ]);
  const beside = picture === undefined ? {} : { accessory: picture };
  const texts = blocks.filter((block) => typeof block === 'string');
  const together = texts.join('\n');
  if (texts.length < blocks.length || together.length > togetherRoom)
    return blocks.map((block, index) => {
      if (typeof block !== 'string') return block;
      return section(block, index === blocks.length - 1 ? beside : {});
    });
  return [section(together, beside)];
}

/** Returns whether {@link askedBlocks} truncates the proof. */
export function isProofCut(task: ShownTask): boolean {
  return task.proof.slots.some((slot) => isCut(slot, shownOfEach(task)));
}

/** Returns the same blocks with the whole proof, split to fit Slack's limits. */
export function wholeProofWithAsked(asked: Asked | undefined, task: ShownTask): KnownBlock[] {
  let isShortened = false;
  const room = Math.floor(wholeProofBytes / Math.max(1, task.proof.slots.length));
  const blocks = proofBlocks(asked, task, 'Proof', (heading, text) => {
    if (text === undefined) return [section(`${heading}\n_Left empty_`)];
    const { pieces, isCut: more } = piecesWithin(text, room);
    isShortened ||= more;
    return [section(heading), ...pieces.map((piece) => section(preformatted(piece, piece.length)))];
  }).map((block) => (typeof block === 'string' ? section(block) : block));
  const isTooLong = isShortened || blocks.length > wholeProofBlocks;
  return [
    ...blocks.slice(0, wholeProofBlocks),
    ...(isTooLong ? [context('The rest is too long for Slack. Get it with `/campaign results`.')] : []),
  ];
}

/**
 * Returns the campaign's instructions as sent to workers.
 * @param shown maximum number of characters
 */
export function instructionsBlocks(asked: Asked | undefined, shown = wholeInstructions): KnownBlock[] {
  const work = asked?.work.trim() ?? '';
  if (work === '') return [section('*Instructions*\n_The marketplace lists none._')];
  return [section(`*Instructions*${rowOf(asked)}`), ...paragraphs(work, shown)];
}

/** Returns the modal with the instructions, and the questions that a card cuts. */
export function instructionsModal(campaignTitle: string, asked?: Asked): ModalView {
  return modal({
    callbackId: 'task.instructions',
    title: 'Instructions',
    blocks: [section(`*${inline(campaignTitle)}*`), ...instructionsBlocks(asked), ...askedInFull(asked)],
  });
}

/** Returns what the files of a proof are. @param most maximum number of them */
export function filesLine(files: readonly ProofFile[], most: number): string {
  const more = files.length > most ? ` · and ${files.length - most} more` : '';
  return `Files: ${files.slice(0, most).map(describeFile).join(' · ')}${more}`;
}

/** Returns the line with the marketplace's warning of the files, if there is one. */
export function filesWarningLine({ filesWarning: warning }: Task['proof']): string[] {
  if (warning === undefined) return [];
  const said = `Marketplace warning about the files: “${inline(warning, 200)}”. Check them before you rate.`;
  return [`:warning: ${said}`];
}

export const filesWarning = (proof: Task['proof']): KnownBlock[] =>
  filesWarningLine(proof).map((line) => context(line));

/** A picture of a proof, and the number of its file. */
type ShownFile = Pick<ShownPicture, 'index' | 'file'>;

export function pictureElement(files: readonly ProofFile[], { index, file }: ShownFile) {
  const name = files.find((one) => one.index === index)?.filename ?? `File ${index}`;
  return {
    type: 'image' as const,
    slack_file: { id: file },
    alt_text: plainWords(`Proof file ${index}: ${name}`, 120),
  };
}

/** Returns pictures of a proof, large. */
export function pictureBlocks(files: readonly ProofFile[], pictures: readonly ShownFile[]) {
  return pictures.map((picture) => pictureElement(files, picture));
}

/** Returns those requests in full that are truncated to one line above a proof. */
function askedInFull(asked: Asked | undefined): KnownBlock[] {
  const proofs = asked?.proofs ?? [];
  return proofs.flatMap((proof, index) => {
    if (!isCut(linesOf(proof).join(' / '), askedShown)) return [];
    const slot = asked?.isPerSlot && proofs.length > 1 ? ` ${index + 1} of ${proofs.length}` : '';
    return [section(`*Asked for as proof${slot}*`), ...paragraphs(proof, wholeAsked)];
  });
}

/** Renders unformatted text with its line breaks, split to fit Slack's limits. */
function paragraphs(written: string, shown: number): KnownBlock[] {
  const text = isCut(written, shown) ? `${[...written].slice(0, shown).join('')}…` : written;
  return inPieces(text, pieceRoom).map((piece) => ({ type: 'section', text: plainText(piece) }));
}

/** Renders each proof slot below its heading: its question, where questions and answers match in number. */
function proofBlocks<Block>(
  listed: Asked | undefined,
  task: ShownTask,
  title: string,
  render: (heading: string, text: string | undefined) => Block[],
): (Block | KnownBlock)[] {
  const asked = listed && perSlot(listed, task);
  const slots = slotsOf(asked, task);
  if (slots.every(({ text }) => text === undefined)) {
    const files = task.proof.files.length > 0 ? ', only files' : '';
    const what = asked?.proofs.map((proof) => askedFor(asked, proof)).join(' ') ?? '';
    return [section(`*${title}*${what}\n_No text${files}_`)];
  }
  const [only] = asked?.proofs ?? [];
  const isAbove = asked !== undefined && only !== undefined && !asked.isPerSlot && slots.length > 1;
  const last = slots.at(-1)?.number ?? 1;
  const prefix = title === 'Proof' ? '' : `*${title}* · `;
  return [
    ...(isAbove ? [context(`Asked for${rowOf(asked)}: ${oneLine(only)}`)] : []),
    ...slots.flatMap(({ number, text }) => {
      const proof = questionOf(asked, slots, number);
      if (asked && proof?.trim())
        return render(`${prefix}*${question(proof)}*${number === 1 ? rowOf(asked) : ''}`, text);
      return render(
        slots.length === 1 && last === 1 ? `*${title}*` : `*${title} ${number} of ${last}*`,
        text,
      );
    }),
  ];
}

function question(proof: string): string {
  const shown = oneLine(proof);
  return /[?:.!…]$/u.test(shown) ? shown : `${shown}:`;
}

function oneLine(proof: string): string {
  return inline(linesOf(proof).join(' / '), askedShown);
}

function askedFor(asked: Asked, proof: string): string {
  return ` · asked for${rowOf(asked)}: ${oneLine(proof)}`;
}

/** The row's values, which the worker saw in place of the placeholders, are unknown here. */
function rowOf(asked: Asked | undefined): string {
  return asked?.row === undefined ? '' : ` (row ${inline(asked.row, 20)} of the template)`;
}

function shownOfEach({ proof: { slots } }: ShownTask): number {
  return Math.floor(proofShown / Math.max(1, slots.length));
}

/** Maximum number of links shown, and the maximum length of an address, which is shown whole. */
const linksShown = 12;
const longestAddress = 2_500;

/** Returns the modal with the links of a proof: each destination first, then the link. */
export function linksModal(links: readonly ProofLink[]): ModalView {
  const shown = links.filter(({ address }) => escaped(address).length <= longestAddress).slice(0, linksShown);
  const rest = links.length - shown.length;
  return modal({
    callbackId: 'task.links',
    title: 'Links in this proof',
    blocks: [
      context('The worker wrote these addresses. Look at the host before you open one.'),
      ...shown.flatMap(linkBlocks),
      ...(rest > 0
        ? [context(`${rest === 1 ? '1 more link is' : `${rest} more links are`} in the proof.`)]
        : []),
      ...(links.length === 0 ? [section('This proof no longer has any links.')] : []),
    ],
  });
}

function linkBlocks({ host, address }: ProofLink, index: number): KnownBlock[] {
  // A link button, which Slack opens without the app.
  const open = button('Open this link', 'task.link', String(index));
  return [
    section(`Host: ${code(host)}\n${preformatted(address, address.length)}`),
    actions(`link/${index}`, [{ ...open, url: address }]),
  ];
}

export function describeFile({ filename, size }: ProofFile): string {
  return `${inline(filename || 'a file without a name', 80)} (${formatSize(size)})`;
}

export function formatSize(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
