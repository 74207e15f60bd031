import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entries } from '../../gallery/entries/index.ts';
import type { Drawn } from '../../gallery/entry.ts';
import { account, ann } from '../../gallery/samples/people.ts';
import { before, cardOf, decision, task } from '../../gallery/samples/tasks.ts';
import type { Asked } from '../../src/domain/brief.ts';
import { linksIn } from '../../src/domain/proof-links.ts';
import { taskCard } from '../../src/features/cards/card.view.ts';
import { detailsModal } from '../../src/features/cards/details.view.ts';
import { linksModal } from '../../src/features/shared/links.view.ts';
import { instructionsModal, wholeProof } from '../../src/features/cards/proof.view.ts';
import { reasonModal } from '../../src/features/decide/decide.view.ts';
import { fileComment, filesModal } from '../../src/features/files/files.view.ts';
import { messageModal } from '../../src/features/inbox/announcement.view.ts';
import { workerMessage } from '../../src/features/workers/worker.view.ts';
import { actions, button, option, plainText, section } from '../../src/slack/blocks.ts';
import { code, inline, preformatted } from '../../src/slack/mrkdwn.ts';
import { asId } from '../harness/ids.ts';
import { harmsIn } from '../harness/untrusted-text.ts';

describe('what workers write pings nobody, links nothing, hides nothing and leaves the order of everything else', () => {
  test.each(entries.map((entry) => [`${entry.feature}: ${entry.title}`, entry] as const))(
    '%s',
    (_, entry) => {
      expect(harmsIn(entry.make())).toEqual([]);
    },
  );

  const attack = fc.constantFrom(
    ...[
      '<!channel>',
      '<@U02BEN>',
      '<https://evil.example|x>',
      'evil.example',
      ':evil_emoji:',
      '```',
      '`',
      '*',
      '_',
    ],
    ...[
      '\u202a',
      '\u202b',
      '\u202c',
      '\u202d',
      '\u202e',
      '\u2066',
      '\u2067',
      '\u2068',
      '\u2069',
      '\u200e',
      '\u200f',
    ],
    ...[
      '\u200b',
      '\u200d',
      '\u2060',
      '\ufeff',
      '\u00ad',
      '\u3164',
      '\u{e0041}',
      '\u{e007f}',
      '\0',
      '\u0085',
      '\u2028',
    ],
    ...['צילום', 'صورة', '12', ' ', '\n', '\r', 'a', '&', '<', '>', '|', '👩‍👩‍👧', '🏴', '😀'],
  );
  const text = fc.array(attack, { maxLength: 12 }).map((parts) => parts.join(''));
  const file = (name: string) => ({ index: 1, filename: name, contentType: name, size: 7 });
  const worker = (name: string) => ({ id: asId<never>(name), name, country: name, ip: name });
  const askedWith = (one: string, proof: string): Asked => ({
    work: proof,
    proofs: [one, proof, one],
    isPerSlot: true,
    row: one,
  });
  const written = (one: string, proof: string) =>
    task({
      worker: worker(one),
      proof: { slots: [proof, one], files: [file(one)], filesWarning: one },
      before: { ...before, slots: [proof, one], comment: one },
      pictures: [{ index: 1, file: 'F1' }],
      comment: one,
      decision: decision('applied', { verdict: 'NOK', comment: one }),
    });
  const views: Readonly<Record<string, (one: string, proof: string) => Drawn>> = {
    card: (one, proof) =>
      taskCard(cardOf({ ...written(one, proof), decision: undefined } as never, { campaignTitle: one })),
    'rated card': (one, proof) => taskCard(cardOf(written(one, proof), { campaignTitle: one })),
    'whole proof': (one, proof) => wholeProof(written(one, proof), one, askedWith(one, proof)),
    'card with what was asked': (one, proof) =>
      taskCard(
        cardOf({ ...written(one, proof), decision: undefined } as never, { asked: askedWith(one, proof) }),
      ),
    instructions: (one, proof) => instructionsModal(written(one, proof), one, askedWith(one, proof)),
    details: (one, proof) => detailsModal(written(one, proof), one, { sentence: '' }),
    links: (one, proof) => linksModal(linksIn([one, proof])),
    reason: (one, proof) =>
      reasonModal({ account, task: asId('t'), round: 1, verdict: 'NOK' } as never, written(one, proof), one, {
        reasons: [{ id: 'r', name: one, text: one }],
        text: one,
        filled: 0,
      }),
    files: (one) =>
      filesModal(
        { account, task: asId('t'), round: 1, channel: asId('C1'), ts: '1' },
        [file(one)],
        new Map(),
      ),
    message: (one, proof) =>
      messageModal(
        account,
        { id: asId('m'), subject: one, body: proof, hasAttachment: false, folder: 'INBOX' } as never,
        asId('C1'),
      ),
    worker: (one) =>
      workerMessage({
        account,
        record: {
          id: asId(one),
          name: one,
          counts: { OK: 1, NOK: 0, REVISE: 0, NOTRATED: 0, NOTREVIEWED: 0 },
          campaigns: 1,
        },
      }),
    'building blocks': (one, proof) => ({
      text: inline(one),
      blocks: [
        section(`${inline(one, 20)} ${code(one)}\n${preformatted(proof, 30)} 12`),
        actions('b', [
          button(one, 'a', 'v', { label: `Fetch ${one}` }),
          {
            type: 'static_select',
            action_id: 's',
            placeholder: plainText(one),
            options: [option(one, 'v', one)],
          },
        ]),
      ],
    }),
  };

  test.each(Object.entries(views))('%s, whatever they write', (_, view) => {
    fc.assert(
      fc.property(text, text, (one, proof) => {
        expect(harmsIn(view(one, proof))).toEqual([]);
      }),
      { numRuns: 150, examples: [['a\u202egpj.exe', 'צילום \u202b12\u2066\n\u2069x']] },
    );
  });

  test('the comment of a posted file, which is not verbatim, has their words as code', () => {
    const comment = fileComment(file('prize.example'), 2, ann);
    expect(comment).toContain('`prize.example` (`prize.example`, 7 bytes)');
  });
});
