import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cardOf, files, task } from '../../gallery/samples/tasks.ts';
import { taskCard } from '../../src/features/cards/card.view.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the demo’s three people are an owner, a reviewer and a guest', () => {
  const { users } = JSON.parse(read('scripts/demo-workspace.json')) as {
    users: { name: string; is_admin?: boolean; is_restricted?: boolean }[];
  };
  // The account belongs to the workspace's admins; whoever is in the channel reviews; guests do nothing until an owner adds a role for them.
  const rights = users.map(({ is_admin, is_restricted }) => ({ is_admin, is_restricted }));
  expect(rights).toEqual([{ is_admin: true }, {}, { is_restricted: true }]);
  expect(read('scripts/lib/stack.mjs')).toContain('scripts/demo-workspace.json');
});

test('the demo’s tour names entries that a card’s menu has', () => {
  const { tour } = JSON.parse(read('scripts/demo-workspace.json')) as { tour: { text: string }[] };
  const step = tour.find(({ text }) => text.includes('menu'))?.text ?? '';
  const [, list = ''] = /menu \(…\) has more: (.+)\.$/.exec(step) ?? [];
  const named = list.split(/, | and /);
  const proof = { slots: ['A shelf'], files, finishedAt: 0 };
  const card = JSON.stringify(taskCard(cardOf(task({ proof }))).blocks);
  expect(named.length).toBeGreaterThanOrEqual(3);
  for (const name of named) expect(card).toContain(`"text":"${name}"`);
});
