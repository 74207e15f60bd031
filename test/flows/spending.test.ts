import type { Person, Seen } from '@proofdesk/slack-sandbox/testing';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  finishedShop as finished,
  givesRole,
  opensLimits,
  previewsCampaign,
  restarts,
} from '../harness/acts.ts';
import { sharedWorld } from '../harness/worlds.ts';

// What docs/spending.md promises of what the marketplace refuses, and of whoever asks and approves. Ann owns the account, Ben
// is made a manager, Chloe reviews since she is in the channel.

const world = sharedWorld({ scenario: { campaigns: [finished] }, env: { ACCOUNT_OWNERS: 'U01ANN' } });
const { ann, ben, chloe, marketplace, slack } = world;
beforeAll(async () => {
  const limits = await opensLimits(ann);
  expect((await limits.submit({ 'Restarts and campaigns a day': '10.00' })).errors).toBeUndefined();
});
beforeEach(async () => {
  await givesRole(ann, 'Manager', 'U02BEN');
  await marketplace.clearRequests();
});

const refuse = (path: string) => marketplace.refuses(path, 'SURPRISE');
const finish = () => marketplace.patchCampaign(finished.campaign_id, { status: 'FINISHED' });
const calls = async (path: string) => (await marketplace.calls(path)).length;

/** Somebody restarts the campaign with so many positions, and reads the outcome. */
const restartsWith = (who: Person, positions: number, outcome: RegExp) =>
  restarts(who, `${finished.campaign_id} ${positions}`, outcome);

/** Somebody fills in the form for a campaign that costs 5.00, and reads the outcome. */
async function creates(who: Person, title: string, outcome: RegExp): Promise<void> {
  const preview = await previewsCampaign(who, { title, positions: '20' });
  expect(preview.text).toMatch(/20 × 0\.25 = \*?5\.00\*?, fees not included/);
  await preview.opens('Create for 5.00', outcome);
}

/** Chloe asks for something. Returns the messages that ask Ann and Ben. */
async function chloeAsks(act: () => Promise<unknown>): Promise<{ ann: Seen; ben: Seen }> {
  const [ofAnn, ofBen] = [await ann.lastIn('D01ANN'), await ben.lastIn('D02BEN')];
  await act();
  return {
    ann: await ann.sees('D01ANN', /@Chloé.* asks to/, { after: ofAnn }),
    ben: await ben.sees('D02BEN', /@Chloé.* asks to/, { after: ofBen }),
  };
}

test('what the marketplace refuses counts for nothing that day; what nobody knows whether it was done counts', async () => {
  await refuse('new_campaign');
  await creates(ben, 'Refused', /SURPRISE/);
  await refuse('restart_campaign');
  await restartsWith(ben, 32, /SURPRISE/);
  await restartsWith(ben, 32, /now has 32 more positions/);

  // 8.00 of 10.00 are spent.
  await finish();
  await marketplace.fault({ match: { path: 'restart_campaign' }, kind: 'drop-after' });
  await restartsWith(ben, 4, /may or may not have 4 more positions now/);
  await finish();
  const before = await ann.lastIn('D01ANN');
  await restartsWith(ben, 8, /It is 1\.00 over your limit of 10\.00 a day .*; 9\.00 is already spent today/s);
  await ann.clicks(await ann.sees('D01ANN', /@Ben.* asks to restart/, { after: before }), 'Decline');
  expect(await calls('restart_campaign')).toBe(3);
  expect(await calls('new_campaign')).toBe(1);
});

test('while a request waits, nobody asks for the same again', async () => {
  await finish();
  const request = await chloeAsks(() => restartsWith(chloe, 5, /asked to approve it/));
  await restartsWith(chloe, 6, /You already asked to restart .*: 5 positions/s);
  await ann.clicks(request.ann, 'Decline', /declined/);
});

test('what was approved is not done once its approver is no manager any more, or whoever asked has left', async () => {
  await finish();
  const first = await chloeAsks(() => restartsWith(chloe, 7, /asked to approve it/));
  await marketplace.fault({ kind: '500', times: 0 });
  await ben.clicks(first.ben, 'Approve', /@Ben.* approved\. In progress/);
  const settings = await ann.enters('/proofdesk settings', /Managers.*@Ben/s);
  await settings.opens('Remove', /Saved\./);
  await marketplace.clearFaults();
  await first.ann.untilText(/The person who approved it is no longer a manager/);

  const ofAnn = await ann.lastIn('D01ANN');
  await restartsWith(chloe, 8, /asked to approve it/);
  const second = await ann.sees('D01ANN', /@Chloé.* asks to restart/, { after: ofAnn });
  await marketplace.fault({ kind: '500', times: 0 });
  await ann.clicks(second, 'Approve', /approved\. In progress/);
  await slack.userPatch(chloe.id, { deleted: true });
  await marketplace.clearFaults();
  await second.untilText(/The person who asked no longer has a role/);
  expect(await calls('restart_campaign')).toBe(0);
  await slack.userPatch(chloe.id, { deleted: false });
});

test('an approved campaign that the marketplace refuses is offered again by the form; the audit has all of it', async () => {
  const ofAnn = await ann.lastIn('D01ANN');
  await creates(chloe, 'Taste a tea', /asked to approve it/);
  const request = await ann.sees('D01ANN', /asks to create the campaign/, { after: ofAnn });
  await refuse('new_campaign');
  await ann.clicks(request, 'Approve', /@Ann.* approved, but the marketplace rejected it\..*SURPRISE/s);
  await chloe.enters(
    '/campaign new',
    /unfinished draft.*Taste a tea.*20 × 0\.25 = \*?5\.00\*?, fees not included/s,
  );
  expect(await calls('new_campaign')).toBe(1);

  const audit = await ann.asks('/proofdesk audit', /Audit/);
  expect(audit.text).toMatch(/@Chloé.* asked for approval\nTaste a tea · total 5\.00/);
  expect(audit.text).toMatch(/@Ann.* approved a request by @Chloé.*\nTaste a tea · total 5\.00/);
  expect(audit.text).toMatch(
    /@Ann.* tried to create a campaign at @Chloé.*’s request\nTaste a tea: 20 positions · total 5\.00 · \*not done\*: SURPRISE/,
  );
});

test('an amount that somebody types as a spending limit is never taken for another sum, in either field', async () => {
  const form = await opensLimits(ann);
  const fields = ['Bonuses a day', 'Restarts and campaigns a day'];
  for (const field of fields) await form.fill(field, '1,000');
  expect((await form.submit()).errors).toEqual(
    Object.fromEntries(
      fields.map((field) => [field, '“1,000” can mean 1000.00 or 1.00. Enter the one you mean.']),
    ),
  );

  const shown = async (typed: readonly string[]) => {
    const again = await opensLimits(ann);
    for (const [index, field] of fields.entries()) await again.fill(field, typed[index] ?? '');
    expect((await again.submit()).errors).toBeUndefined();
    return fields.map((await opensLimits(ann)).field);
  };
  expect(await shown(['1,000.50', '1.000,50'])).toEqual(['1000.50', '1000.50']);
  expect(await shown(['1 000', '.05'])).toEqual(['1000.00', '0.05']);
  expect(await shown(['0,05', '1.1250'])).toEqual(['0.05', '1.1250']);
  // What the form is filled in with can be saved as it is.
  expect((await (await opensLimits(ann)).submit()).errors).toBeUndefined();
});
