import { expect, test } from 'vitest';
import { bulk } from '../../gallery/entries/bulk.ts';

/** The text of a page of a selection on which some tasks no longer wait. */
const page = () =>
  JSON.stringify(
    bulk.find(({ title }) => title === 'Several campaigns, and tasks that cannot be selected')?.make(),
  );

test('a task that no longer waits says who has rated it', () => {
  expect(page()).toMatch(/_No longer waits:_ \*OK\* by <@/);
});

test('a decision that was overtaken is not said to be the rating', () => {
  expect(page()).toContain('_No longer waits:_ rated *NOK* outside of Slack.');
});

test('a task that the marketplace reviews is not said to be rated', () => {
  expect(page()).toContain('_No longer waits:_ the marketplace is reviewing it.');
  expect(page()).not.toContain('NOTREVIEWED');
});
