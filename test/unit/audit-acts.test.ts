import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditedActs } from '../../src/domain/audit.ts';
import { endpoints } from '../../src/marketplace/endpoints.ts';

const root = join(import.meta.dirname, '../../src');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('sandbox'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** What each call that changes something at the marketplace is in the audit; the client's method where it has another name. */
const actsOf: Readonly<Record<string, { readonly acts: readonly string[]; readonly method?: string }>> = {
  createCampaign: { acts: ['create'] },
  rateTask: { acts: ['decided', 'applied', 'refused'] },
  rateTasks: { acts: ['decided', 'applied', 'refused'] },
  restartCampaign: { acts: ['restart'] },
  retargetCampaign: { acts: ['retarget'] },
  submitFileProof: { acts: ['submit'] },
  excludeWorkers: { acts: ['exclude worker'] },
  unexcludeWorkers: { acts: ['include worker', 'clear exclude list'] },
  excludeEmployers: { acts: ['exclude employers'] },
  deleteMessage: { acts: ['trash message'] },
  // It marks the message as read.
  readMessage: { acts: ['read message'] },
};

/** Ratings are in the audit by the events of their task. */
const byTheirRecord = new Set(['features/decide/send.ts']);

test('what is audited is every call that changes something at the marketplace', () => {
  const writing = Object.values(endpoints).filter(({ method }) => method !== 'GET');
  expect(new Set(writing.map(({ name }) => name))).toEqual(
    new Set(Object.keys(actsOf).filter((name) => name !== 'readMessage')),
  );
  for (const { acts } of Object.values(actsOf))
    expect(auditedActs).toEqual(expect.arrayContaining([...acts]));
});

test.each(Object.keys(actsOf))('%s is called by features through the audit only', (name) => {
  const callers = sources.filter(
    ({ path, text }) => path.startsWith('features/') && new RegExp(`\\.${name}\\(`).test(text),
  );
  expect(callers).not.toEqual([]);
  for (const { path, text } of callers) {
    const isAudited =
      byTheirRecord.has(path) || /auditedAct\(|entryOf[(:]|entry: (?:\{|\w+Entry\()/.test(text);
    expect(isAudited, `${path} calls ${name}`).toBe(true);
  }
});
