import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entries } from '../../gallery/entries/index.ts';
import { ann } from '../../gallery/samples/people.ts';
import { hostile } from '../../gallery/samples/texts.ts';
import { fileComment } from '../../src/features/files/files.view.ts';
import { startHostileViews } from '../harness/hostile-views.ts';
import { slackProblemsOf } from '../harness/slack-limits.ts';
import { harmsIn } from '../harness/untrusted-text.ts';
import { forAll } from './properties.ts';

describe('what workers write pings nobody, links nothing, hides nothing and leaves the order of everything else', () => {
  const attack = fc.constantFrom(
    ...['<!channel>', '<@U02BEN>', '<https://evil.example|x>', 'evil.example', ':evil_emoji:'],
    ...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f',
    ...'\u200b\u200d\u2060\ufeff\u00ad\u3164\u{e0041}\u{e007f}\0\u0085\u2028',
    ...['```', ...'`*_12 \n\ra&<>|', 'צילום', 'صورة', '👩‍👩‍👧', '🏴', '😀'],
  );
  const text = fc.array(attack, { maxLength: 12 }).map((parts) => parts.join(''));
  const named = entries.map((entry) => [`${entry.feature}: ${entry.title}`, entry] as const);
  let views: Awaited<ReturnType<typeof startHostileViews>>;
  beforeAll(async () => {
    views = await startHostileViews();
  });
  afterAll(() => views.stop());

  const directions = 'evil \u202egpj.exe צילום \u202b12\u2066\n\u2069x :evil_emoji: ```\n`<!here>`';
  const long = `${hostile} ${'𝔘<&>'.repeat(1_500)}`;
  test.each([
    ['hostile', hostile],
    ['of many directions', directions],
    ['as long as it comes', long],
  ])('every view that shows something of theirs, if all of it is %s', (_, text) => {
    const drawn = named.map(([name, entry]) => [name, views.draw(entry, text)] as const);
    const problems = drawn.flatMap(([name, view]) =>
      [...harmsIn(view), ...slackProblemsOf(view).filter((problem) => !isOfInput(problem))].map(
        (problem) => `${name}: ${JSON.stringify(problem)}`,
      ),
    );
    expect(problems).toEqual([]);
    const showing = drawn.filter(([, view]) => JSON.stringify(view).includes('evil'));
    expect(showing.length).toBeGreaterThan(named.length / 2);
  });

  /** Whether it is about a text that was typed into an input, which takes no more than fits. */
  const isOfInput = (problem: unknown) => /\/(?:initial_)?value"/.test(JSON.stringify(problem));

  test('every view, whatever they write', () => {
    forAll({ numRuns: 2_000 }, fc.constantFrom(...named), text, ([, entry], one) => {
      expect(harmsIn(views.draw(entry, one))).toEqual([]);
    });
  });

  test('the comment of a posted file, which is not verbatim, has their words as code', () => {
    const name = 'prize.example';
    const file = { index: 1, filename: name, contentType: name, size: 7 };
    const comment = fileComment(file, 2, ann);
    expect(comment).toContain('`prize.example` (`prize.example`, 7 bytes)');
  });
});
