/** docs/permissions.md: who may do what, generated from the table of capabilities and the features that name them. */
import {
  type Capability,
  capabilities,
  type Role,
  roles,
  spendsMoney,
} from '../../src/domain/permissions.ts';
import { commandTable } from '../../src/slack/listeners.ts';
import { idleFeatures } from '../../test/harness/features.ts';

const words: Readonly<Record<Role, string>> = {
  viewer: 'sees campaigns, tasks, results, workers and messages',
  reviewer:
    'rates tasks, undoes their own decisions, leaves notes, moves messages to the trash, excludes workers',
  manager: 'spends money, subscribes channels, undoes a colleague’s decision, approves what others ask for',
  owner: 'manages roles and spending limits, confirms shared channels',
};

/** Something that people can do, and the rights that it requires. */
export interface NamedEntry {
  readonly name: string;
  readonly needs: unknown;
  readonly also: readonly Capability[];
}

/** Returns everything that people can do: commands, clicks, submissions, selects with options, shortcuts, thread replies. */
export function namedEntries(): NamedEntry[] {
  const { features } = idleFeatures();
  const named = (
    kind: string,
    entries: Readonly<Record<string, { needs?: unknown; also?: readonly Capability[] }>> = {},
  ) =>
    Object.entries(entries).map(([id, { needs, also = [] }]) => ({ name: `${kind} \`${id}\``, needs, also }));
  const commands = commandTable(features).map(({ command, word, needs, also = [] }) => ({
    name: `\`${command}${word === '' ? '' : ` ${word}`}\``,
    needs,
    also,
  }));
  return [
    ...commands,
    ...features.flatMap(({ clicks, submissions, typings, shortcuts, replies }) => [
      ...named('button', clicks),
      ...named('form', submissions),
      ...named('options of', typings),
      ...named('shortcut', shortcuts),
      ...named('reply', replies),
    ]),
  ];
}

/** Returns the whole document. */
export function permissionsMarkdown(): string {
  const entries = namedEntries();
  const rows = (Object.keys(capabilities) as Capability[]).map((capability) => {
    const named = entries.filter(({ needs, also }) => needs === capability || also.includes(capability));
    const { least } = capabilities[capability];
    return [
      `\`${capability}\``,
      least,
      spendsMoney(capability) ? 'yes' : '',
      named.map(({ name }) => name).join(', ') || 'nothing yet',
    ];
  });
  const open = (['anyone', 'member'] as const).map((who) => {
    const named = entries.filter(({ needs }) => needs === who).map(({ name }) => name);
    return `- **${who === 'anyone' ? 'Anyone' : 'Full members of the workspace'}**: ${named.join(', ')}`;
  });
  return `${[
    '# Permissions',
    'Made from the code by `npm run docs`: do not edit. The table is data in [src/domain/permissions.ts](../src/domain/permissions.ts); each command, button, form, select, shortcut and reply names the right it needs, and a test fails for one that doesn’t. Rights are checked when something is done, not when its button is drawn ([ADR 9](adr/0009-rights-spending-audit.md)).',
    '## Roles',
    'Each role includes those before it. Roles are per account. In `/proofdesk settings`, owners add them for members, or everyone in a channel.',
    [...roles].map((role) => `- **${role}**: ${words[role]}`).join('\n'),
    '## Default roles',
    [
      '- Whoever connects an API key owns its account.',
      '- The account of `MARKETPLACE_API_KEY` is owned by `ACCOUNT_OWNERS`, or else by the admins of the workspace. Everyone in a channel that is subscribed to it is a reviewer; all other full members of the workspace are viewers.',
      '- Guests have only the roles that an owner has added for them by name. People of other workspaces, bots and deactivated members never have one.',
    ].join('\n'),
    '## Rights',
    table(['Right', 'Least role', 'Checked with Slack again', 'Actions'], rows),
    '## Actions without a role',
    open.join('\n'),
  ].join('\n\n')}\n`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
