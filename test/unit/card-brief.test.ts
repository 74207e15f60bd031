import { visibleText } from '@proofdesk/slack-sandbox/testing';
import type { KnownBlock } from '@slack/types';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ann } from '../../gallery/samples/people.ts';
import {
  asked,
  askedOfRow,
  askedPerSlot,
  cardOf,
  decision,
  sixPictures,
  task,
} from '../../gallery/samples/tasks.ts';
import { linksIn } from '../../src/domain/evidence/texts.ts';
import { filesOnCard } from '../../src/domain/picture.ts';
import { DecisionState, type Task } from '../../src/domain/task.ts';
import { ratings } from '../../src/domain/terms.ts';
import { taskCard } from '../../src/features/cards/card.view.ts';
import { filesButton } from '../../src/features/files/public.ts';
import {
  askedBlocks,
  instructionsBlocks,
  instructionsModal,
  linksModal,
  wholeProofWithAsked,
} from '../../src/ui/proof.view.ts';
import { slackProblemsOf } from '../harness/slack-limits.ts';
import { forAll } from './properties.ts';

const withSlots = (...slots: string[]) => task({ proof: { slots, files: [] } });
const menuOf = (of: Task) =>
  [...JSON.stringify(taskCard(cardOf(of)).blocks).matchAll(/"value":"(\w+) [^"]*"/g)].map(([, word]) => word);

test('above the proof stands what was asked: each answer under its question where they match in number, else in one line', () => {
  const text = (...given: Parameters<typeof askedBlocks>) => visibleText(askedBlocks(...given));
  const lines = { ...asked, proofs: ['A photo\nof  the shelf'] };
  expect(text(lines, withSlots('x'))).toBe('*A photo / of the shelf:*\n```x```');
  expect(text(lines, withSlots('x', 'y'), 'Now')).toBe(
    '*Now* · *A photo:*\n```x```\n*Now* · *of the shelf:*\n```y```',
  );
  expect(text({ ...lines, proofs: ['Your phone\nWhat broke?'] }, withSlots('x', 'y'))).toBe(
    '*Your phone:*\n```x```\n*What broke?*\n```y```',
  );
  // An answer is missing, or one too many: which belongs to which is unknown.
  const gap = task({ proof: { slots: ['x', 'y'], slotNumbers: [1, 3], files: [] } });
  for (const of of [gap, withSlots('x', 'y', 'z')])
    expect(text(lines, of)).toMatch(/^Asked for: A photo \/ of the shelf\n\*Proof 1 of 3\*\n```x```/);
  expect(text(askedOfRow, withSlots('x'))).toContain('*A photo of {{shop}}:* (row 17 of the template)');
  expect(text(lines, task({ proof: { slots: [], files: sixPictures.proof.files } }))).toBe(
    '*Proof* · asked for: A photo / of the shelf\n_No text, only files_',
  );
  expect(text(undefined, withSlots('x'))).toBe('*Proof*\n```x```');
});

test('a slot that was left empty is said to be so, once the whole proof is known', () => {
  const gap = task({ proof: { slots: ['a', 'c'], slotNumbers: [1, 3], files: [] } });
  const text = (of: Task) => visibleText(askedBlocks({ ...askedPerSlot, proofs: ['A', 'B', 'C'] }, of));
  expect(text(gap)).toBe('*A:*\n```a```\n*B:*\n_Left empty_\n*C:*\n```c```');
  expect(text({ ...gap, detailed: false })).not.toContain('Left empty');
  expect(text({ ...gap, detailed: false })).toContain('*C:*');
});

test('the instructions are shown whole, and cut where a form has little room', () => {
  const work = Array.from({ length: 1_000 }, (_, n) => `step${n}`).join(' ');
  const textOf = (blocks: readonly KnownBlock[]) =>
    blocks.flatMap((block) =>
      block.type === 'section' && block.text?.type === 'plain_text' ? block.text.text : [],
    );
  expect(textOf(instructionsBlocks({ ...asked, work })).join('')).toBe(work);
  expect(textOf(instructionsBlocks({ ...asked, work }, 500)).join('')).toBe(`${work.slice(0, 500)}…`);
  // What stands cut above the proof is there in full.
  const proofs = ['a'.repeat(1_000), 'b'.repeat(1_000)];
  const modal = instructionsModal('A shelf', { ...asked, proofs, isPerSlot: true });
  expect(textOf(modal.blocks as KnownBlock[])).toEqual(expect.arrayContaining(proofs));
  expect(visibleText(instructionsBlocks({ ...asked, work: '' }))).toContain('The marketplace lists none');
  expect(visibleText(instructionsBlocks({ ...asked, work: 'Go to\n*{{shop}}*' }))).toContain(
    'Go to\n*{{shop}}*',
  );
});

test('a card has at most five entries in its menu, whatever its state, and the right ones', () => {
  for (const rating of ratings) {
    for (const state of [undefined, ...DecisionState.options]) {
      const full = {
        ...sixPictures,
        rating,
        proof: { ...sixPictures.proof, slots: ['https://a.example'] },
        ...(state ? { decision: decision(state) } : {}),
      };
      const isWaiting = rating === 'NOTRATED' && (state === undefined || state === 'refused');
      const first = isWaiting ? ['extras', 'take'] : ['proof', 'files'];
      expect(menuOf(full)).toEqual([...first, 'worker', 'notes', 'details']);
    }
  }
  const taken = { to: ann, by: ann, at: 0 };
  expect(menuOf({ ...withSlots('x'), assignment: taken })).toContain('release');
});

test('a card counts every picture that it does not show, also those that could not be uploaded', () => {
  const files = sixPictures.proof.files;
  const odd = [
    { index: 7, filename: 'large.png', contentType: 'image/png', size: 90_000_000 },
    { index: 8, filename: 'receipt.pdf', contentType: 'application/pdf', size: 7 },
  ];
  const examples: [number[], boolean][] = [
    [[], true],
    [[1, 3], false],
    [[1, 2, 3, 4, 5, 6], true],
  ];
  forAll({ examples }, fc.subarray([1, 2, 3, 4, 5, 6]), fc.boolean(), (uploaded, isMixed) => {
    const proof = { slots: [], files: isMixed ? [...files, ...odd] : files };
    const pictures = uploaded.map((index) => ({ index, file: `F${index}` }));
    const { shown, counted, named } = filesOnCard({ proof, pictures });
    expect(shown.length).toBe(Math.min(3, uploaded.length));
    expect(shown.length + counted.length + named.length).toBe(proof.files.length);
    expect(named).toEqual(isMixed ? odd : []);
  });
  const text = (of: Task) => JSON.stringify(taskCard(cardOf(of)).blocks);
  expect(text(sixPictures)).toContain('"6 pictures…"');
  expect(text({ ...sixPictures, proof: { ...sixPictures.proof, slots: [] } })).toContain(
    '"3 more pictures…"',
  );
  expect(text({ ...sixPictures, pictures: [] })).toContain('"6 pictures…"');
  expect(text({ ...sixPictures, pictures: [] })).toContain(' · and 2 more"');
});

const hosts = (text: string) => linksIn([text]).map(({ host, address }) => `${host} ${address}`);

test('links of a proof are found as people write them, each once, without what is no part of them', () => {
  const several = 'https://a.example/x_(y), (http://b.example:81/?q=1&r=2). www.c.example!';
  expect(hosts(`See ${several} https://a.example/x_(y)`)).toEqual([
    'a.example https://a.example/x_(y)',
    'b.example:81 http://b.example:81/?q=1&r=2',
    'www.c.example https://www.c.example/',
  ]);
  expect(hosts('“https://bank.example@evil.example/”')).toEqual([
    'evil.example https://bank.example@evil.example/',
  ]);
  expect(hosts('https://аррӏе.com')).toEqual(['xn--80ak6aa92e.com https://xn--80ak6aa92e.com/']);
  expect(hosts('javascript:alert(1) ftp://a.example mail@a.example https:// www. http://[')).toEqual([]);
});

test('links of a proof lead only to the web, whatever is written, and the modal is one that Slack takes', () => {
  const part = fc.constantFrom(
    ...['https://', 'http://', 'www.', 'a.example', '<!channel>', '?q=', '漢', '\u202e'],
    ...'@/|&() \n%`:#',
  );
  const written = fc.array(part, { maxLength: 20 });
  forAll({ examples: [[['https://', 'a.example', '/', '<!channel>', '|', '&']]] }, written, (parts) => {
    const links = linksIn([parts.join('')]);
    for (const { address, host } of links) {
      expect(address).toMatch(/^https?:\/\/[!-~]+$/);
      expect(new URL(address).host).toBe(host);
    }
    expect(slackProblemsOf(linksModal(links))).toEqual([]);
  });
  const long = Array.from({ length: 40 }, (_, n) => `https://a${n}.example/${'&'.repeat(n * 60)}`);
  expect(slackProblemsOf(linksModal(linksIn(long)))).toEqual([]);
});

test('a proof that does not fit into a modal, by its length or its parts, says where the rest is', () => {
  const isCut = (...slots: string[]) =>
    visibleText(wholeProofWithAsked(undefined, withSlots(...slots))).includes(
      'The rest is too long for Slack',
    );
  expect([isCut('x'), isCut('x'.repeat(130_000)), isCut(...Array<string>(40).fill('x'))]).toEqual([
    false,
    true,
    true,
  ]);
});

test('the button of files says what it opens', () => {
  expect([filesButton(1, 0, 0), filesButton(2, 0, 0), filesButton(0, 1, 0)]).toEqual([
    'Open file…',
    'Files…',
    'Picture…',
  ]);
  expect([filesButton(0, 1, 3), filesButton(1, 2, 3)]).toEqual([
    '1 more picture…',
    '2 more pictures, 1 file…',
  ]);
});
