import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accountOutageCodec } from '../../src/store/account-outages.ts';
import { announcementCodec } from '../../src/store/announcements.ts';
import { approvalRequestCodec } from '../../src/store/approvals.ts';
import { assignedNoticeCodec } from '../../src/store/assigned-notices.ts';
import { auditLineCodec } from '../../src/store/audit/entry.ts';
import { briefCodec, createdBriefCodec, templateRowCodec } from '../../src/store/briefs.ts';
import { bulkRatingCodec } from '../../src/store/bulk-ratings.ts';
import { bulkSelectionCodec } from '../../src/store/bulk-selections.ts';
import { campaignNoticeCodec } from '../../src/store/campaign-notices.ts';
import { campaignStateCodec } from '../../src/store/campaign-states.ts';
import { campaignCodec, lastImportCodec } from '../../src/store/campaigns.ts';
import { channelSettingsCodec } from '../../src/store/channel-settings.ts';
import type { Codec } from '../../src/store/codec.ts';
import { dailySummaryCodec } from '../../src/store/daily-summaries.ts';
import { deadLetterChoiceCodec } from '../../src/store/dead-letter-choices.ts';
import { digestCodec } from '../../src/store/digests.ts';
import { likenessCodec } from '../../src/store/evidence.ts';
import { failingJobCodec } from '../../src/store/failing-jobs.ts';
import { fetchedFileCodec } from '../../src/store/fetched-files.ts';
import { focusSessionCodec } from '../../src/store/focus-sessions.ts';
import { accountRightsCodec } from '../../src/store/grants.ts';
import { inboxChannelCodec } from '../../src/store/inbox-channels.ts';
import { incidentCodec } from '../../src/store/incidents.ts';
import { incompleteReadCodec } from '../../src/store/incomplete-reads.ts';
import { lostChannelCodec } from '../../src/store/lost-channels.ts';
import { memberDecisionCodec } from '../../src/store/member-decisions.ts';
import { noteCodec } from '../../src/store/notes.ts';
import { pauseCodec } from '../../src/store/pauses.ts';
import { personCodec } from '../../src/store/people.ts';
import { queueMessageCodec } from '../../src/store/queue-messages.ts';
import { storedReasonCodec } from '../../src/store/reasons.ts';
import { reminderCodec } from '../../src/store/reminders.ts';
import { retentionMarkCodec } from '../../src/store/retention-marks.ts';
import { roleRequestCodec } from '../../src/store/role-requests.ts';
import { slackOutageCodec } from '../../src/store/slack-outages.ts';
import { spendingLimitsCodec } from '../../src/store/spending.ts';
import { storedKeyCodec } from '../../src/store/stored-keys.ts';
import { polledAccountCodec, subscriptionCodec } from '../../src/store/subscriptions.ts';
import { taskCodec } from '../../src/store/tasks.ts';
import { timeToRateCodec } from '../../src/store/times-to-rate.ts';
import { typedTextCodec } from '../../src/store/typed-texts.ts';
import { listingCodec, workerCodec } from '../../src/store/workers.ts';

const codecs: readonly Codec<unknown>[] = [
  accountOutageCodec,
  accountRightsCodec,
  announcementCodec,
  approvalRequestCodec,
  assignedNoticeCodec,
  auditLineCodec,
  briefCodec,
  bulkRatingCodec,
  bulkSelectionCodec,
  campaignCodec,
  campaignNoticeCodec,
  campaignStateCodec,
  channelSettingsCodec,
  createdBriefCodec,
  dailySummaryCodec,
  deadLetterChoiceCodec,
  digestCodec,
  failingJobCodec,
  fetchedFileCodec,
  focusSessionCodec,
  storedKeyCodec,
  inboxChannelCodec,
  incidentCodec,
  incompleteReadCodec,
  lastImportCodec,
  likenessCodec,
  listingCodec,
  lostChannelCodec,
  memberDecisionCodec,
  noteCodec,
  pauseCodec,
  personCodec,
  polledAccountCodec,
  queueMessageCodec,
  storedReasonCodec,
  reminderCodec,
  retentionMarkCodec,
  roleRequestCodec,
  slackOutageCodec,
  spendingLimitsCodec,
  subscriptionCodec,
  taskCodec,
  templateRowCodec,
  timeToRateCodec,
  typedTextCodec,
  workerCodec,
];
const folder = join(import.meta.dirname, '../fixtures/stored');

/** Stored values of one kind, by what they are. */
function fixture(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
}

function decoded(codec: Codec<unknown>, stored: unknown): unknown {
  const result = codec.decode(JSON.stringify(stored));
  return result.ok ? result.value : result;
}

describe.each(codecs.map((codec) => [codec.name, codec] as const))('stored values: %s', (name, codec) => {
  const current = fixture(name);

  test('what is written is read whole', () => {
    for (const [what, stored] of Object.entries(current)) {
      expect(JSON.parse(codec.encode(decoded(codec, stored))), what).toEqual(stored);
    }
  });

  test('decoding never throws, and never quotes a value', () => {
    const damaged = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom(...Object.values(current)).chain((stored) => damagedBy(JSON.stringify(stored))),
    );
    fc.assert(
      fc.property(damaged, (text) => {
        const result = codec.decode(text);
        if (!result.ok) expect(result.reason).toMatch(/^[\w .:-]+$/);
      }),
      { numRuns: 300 },
    );
    for (const text of ['{"v":99}', '{"v":0}', '{"v":"2"}', '{"v":null}']) {
      expect(codec.decode(text)).toEqual({ ok: false, reason: 'unknown version' });
    }
  });
});

/** A text with a piece cut out, or another put in its place. */
function damagedBy(text: string): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.nat(text.length),
      fc.nat(12),
      fc.constantFrom('', 'null', '"', '1e999', '{}', '[]', '{"__proto__":1}'),
    )
    .map(([from, length, instead]) => text.slice(0, from) + instead + text.slice(from + length));
}

test('every fixture belongs to a codec', () => {
  const found = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
  expect(found.sort()).toEqual(codecs.map(({ name }) => name).sort());
});
