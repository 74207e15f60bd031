import { checkMessage } from '@proofdesk/slack-sandbox/blockkit';
import { expect, test } from 'vitest';
import { commandTable, help, route } from '../../src/slack/listeners.ts';
import { idleFeatures } from '../harness/features.ts';

const table = commandTable(idleFeatures().features);
const commands = [...new Set(table.map(({ command }) => command))];
const withWords = table.filter(({ word }) => word !== '');

function blocksOf(message: ReturnType<typeof help>): string {
  const blocks = message.blocks ?? [];
  expect(checkMessage(blocks, () => false)).toEqual([]);
  return JSON.stringify(blocks);
}

/** What is said to somebody who typed this. */
function refusal(command: string, text: string): string {
  try {
    route(table, command, text);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error(`${command} ${text} is a command`);
}

test('the table of commands has each command and word once', () => {
  const calls = table.map(({ command, word }) => `${command} ${word}`);
  expect(new Set(calls).size).toBe(calls.length);
});

test('the table of commands says of each word what it does, in one or two sentences', () => {
  const unlisted = withWords.filter((one) => one.help === '').map(({ word }) => word);
  // Workers type it, and this help is for employers.
  expect(unlisted.filter((word) => word !== 'help')).toEqual(['worker-side']);
  for (const { command, word, help: text } of withWords.filter((one) => !unlisted.includes(one.word))) {
    expect(text, `${command} ${word}`).toMatch(/^[A-Z][^!]{9,160}\.$/u);
  }
});

test('the table of commands routes each word, whatever its case and the space around it', () => {
  for (const one of withWords) {
    const found = route(table, one.command, `  ${one.word.toUpperCase()}   some  text `);
    expect(found.route).toBe(one);
    expect(found.text).toBe('some text');
  }
});

test('the table of commands runs something for each command alone', () => {
  for (const command of commands) expect(route(table, command, ' ').route.command).toBe(command);
});

test('help lists every command once, those that belong together beside each other', () => {
  const shown = blocksOf(help(table));
  for (const { command, word, help: text } of table)
    if (text !== '') expect(shown, word).toContain(`\`${command}${word === '' ? '' : ` ${word}`}`);
  const order = [...shown.matchAll(/`(\/\w+)/gu)].map(([, command]) => command);
  expect(order.filter((command, index) => command !== order[index - 1])).toHaveLength(commands.length);
});

test('help shows what may follow, with its marks', () => {
  expect(blocksOf(help(table))).toContain('`/campaign restart &lt;id&gt; &lt;positions&gt;`');
});

test.each(commands)('%s help answers with every command', async (command) => {
  const { route: own } = route(table, command, 'help');
  const told: unknown[] = [];
  if (own.needs !== 'anyone') throw new Error('help takes no right');
  await own.run({ answer: async (message: unknown) => void told.push(message) } as never);
  expect(told).toEqual([help(table)]);
});

test('an unknown word is answered with the nearest, for every word with one letter wrong', () => {
  for (const { command, word } of withWords) {
    const wrong = `${word.slice(0, -1)}§`;
    // Where anything may follow the command, nothing is unknown.
    if (takesAnything(command)) continue;
    expect(refusal(command, wrong)).toContain(`Did you mean \`${command} ${word}\`?`);
  }
});

test('an unknown word is harmless and short in the answer', () => {
  const said = refusal('/proofdesk', `<!channel>${'x'.repeat(4_000)}`);
  expect(said).not.toContain('<!channel>');
  expect(said.length).toBeLessThan(250);
});

function takesAnything(command: string): boolean {
  return table.some((one) => one.command === command && one.word === '' && one.usage !== '');
}
