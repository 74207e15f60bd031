import type { Person } from '@proofdesk/slack-sandbox/testing';
import { describe, expect, test } from 'vitest';
import {
  addsBonus,
  members,
  opensFromDetails,
  opensLimits,
  paidShelf,
  proofFile,
  restarts,
  place as review,
} from '../harness/acts.ts';
import { sharedWorld, worldPerTest } from '../harness/worlds.ts';

const shelf = { ...paidShelf, status: 'FINISHED' } as const;
const other = 'C02INBOX';
const managers = 'C03MANAGERS';

/** Ann owns the account, Ben reviews, Chloe is a guest, Dan is not in the channel, Eve is of another company. */
const workspace = {
  users: [
    members.ann,
    members.ben,
    { ...members.chloe, is_restricted: true },
    members.dan,
    { id: 'U05EVE', name: 'eve', real_name: 'Eve Stone', team_id: 'T0OTHER' },
  ],
  channels: [
    { id: review, name: 'review', members: ['U01ANN', 'U02BEN', 'U03CHLOE', 'U05EVE'] },
    { id: other, name: 'inbox', members: ['U01ANN', 'U02BEN', 'U03CHLOE', 'U04DAN', 'U05EVE'] },
    { id: managers, name: 'managers', members: ['U01ANN'] },
  ],
};

const { begin } = worldPerTest();

describe('who may', () => {
  const world = sharedWorld({
    workspace,
    scenario: { campaigns: [shelf] },
    env: { ACCOUNT_OWNERS: 'U01ANN', UNDO_SECONDS: '0' },
    timeouts: { lateArrivalMs: 300 },
  });
  const { ann, ben, chloe, dan, marketplace, slack } = world;
  const eve = () => slack.person('U05EVE');

  const own = (person: Person) => `D${person.id.slice(1)}`;

  const spending = async () =>
    (await marketplace.requests()).filter(
      ({ method, path }) => method !== 'GET' && /restart|rate_task|retarget/.test(path),
    );

  /** What each of those who may not is told, for their eyes only. */
  const refused = [
    ['a guest', () => chloe, /Guests have no access to this account. @Ann/],
    [
      'a member outside the channel',
      () => dan,
      /Only (reviewer|manager|owner)s can .*\. You are a viewer. @Ann/,
    ],
    ['a person of another company', eve, /Only members of the workspace that uses Proofdesk can do this/],
  ] as const;

  test.each(refused)(
    '%s rates nothing, pays no bonus, restarts nothing, ends no feed',
    async (name, who, why) => {
      const person = who();
      const { task, card } = await world.taskWithCard(`proof for ${name}`);
      await marketplace.clearRequests();
      const told = async (act: () => Promise<unknown>) => {
        const before = await person.lastIn(review);
        await act();
        const answer = await person.sees(review, why, { after: before });
        expect(answer.ephemeral).toBe(true);
        return answer;
      };
      await told(() => person.clicks(card, 'OK'));
      await told(() => person.clicks(card, 'NOK'));
      await told(() => person.chooses(card, '…', 'OK with bonus or favorite'));
      // Who may see the account may ask for a restart: test/flows/approvals.test.ts.
      if (person !== dan) await told(() => person.types(review, `/campaign restart ${shelf.campaign_id} 5`));
      await told(() => person.types(review, '/proofdesk unsubscribe'));
      await told(() => person.types(review, '/proofdesk settings'));
      expect(await spending()).toEqual([]);
      expect(await world.ratingOf(task)).toBe('NOTRATED');
      expect(await person.modals()).toEqual([]);
      await ben.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ben/);
    },
  );

  test('what nobody can approve is not done, and says how somebody could', async () => {
    const limit = async (amount: string) => {
      const limits = await opensLimits(ann);
      await limits.select('Owners', amount === '500' ? [] : ['Same limits for owners']);
      expect((await limits.submit({ 'Restarts and campaigns a day': amount })).errors).toBeUndefined();
    };
    await limit('0.05');
    await marketplace.clearRequests();
    const refusal = await restarts(ann, `${shelf.campaign_id} 1`, /Nothing was done/, /1 position × 0\.10/);
    expect(refusal.text).toMatch(
      /0\.05 over your limit of 0\.05.*Nobody else in this account can approve it\. An owner can make a colleague a manager, or raise the limit/s,
    );
    expect(await spending()).toEqual([]);
    await limit('500');
  });

  test('a reviewer rates in one click, and only asks for a restart or a bonus', async () => {
    const { task, card } = await world.taskWithCard('a reviewer’s');
    await marketplace.clearRequests();
    const answer = await ben.asks(
      '/campaign retarget',
      /Only managers can change the countries of a campaign. You are a reviewer. @Ann/,
    );
    expect(answer.buttons).toEqual(['Ask the owners']);
    const asked =
      /Nothing was done yet.*You are a reviewer, so a manager has to approve this.*@Ann.*was asked/s;
    const total = /5 positions × 0\.10 = 0\.50/;
    await restarts(ben, `${shelf.campaign_id} 5`, asked, total);
    await (await addsBonus(ben, card, '0.05')).next(
      /You are a reviewer, so a manager has to approve this.*the task stays open/s,
    );
    expect(await spending()).toEqual([]);
    expect(await world.ratingOf(task)).toBe('NOTRATED');
    await ben.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ben/);
  });

  test('a role that is asked for and granted lets the click go through; withdrawn, it stops a drawn button', async () => {
    const { card } = await world.taskWithCard('asked for');
    await dan.clicks(card, 'OK');
    const refusal = await dan.sees(review, /Only reviewers can rate tasks/);
    await dan.clicks(refusal, 'Ask the owners', /asks those who can change that/);
    const request = await ann.sees(
      own(ann),
      /@Dan Moss asks to become a reviewer of your marketplace account/,
    );
    // Whoever may not grant it does not grant it.
    await dan.clicks(request, 'Approve');
    await dan.sees(own(ann), /Only owners can open settings/);
    await ann.clicks(request, 'Approve', /@Ann Reyes made them a reviewer/);
    await dan.sees(own(dan), /@Ann Reyes made you a reviewer/);
    await dan.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Dan/);

    const later = await world.taskWithCard('withdrawn');
    const settings = await ann.enters('/proofdesk settings', /Reviewers.*@Dan Moss/s);
    await settings.opens(`<@${dan.id}>`, /Saved\./);
    await dan.clicks(later.card, 'OK');
    await dan.sees(review, /Only reviewers can rate tasks/, { after: refusal.ts });
    expect(await world.ratingOf(later.task)).toBe('NOTRATED');

    const audit = await ann.asks('/proofdesk audit', /@Ann Reyes\* removed a role from @Dan Moss/);
    expect(audit.text).toMatch(/@Ann Reyes\* added a role for @Dan Moss\nreviewer/);
    expect(audit.text).toMatch(/@Dan Moss\* asked for a role\nreviewer/);
  });

  test('a request is declined, and both are told, once though answers of Slack are lost; within the hour nobody is asked twice for the same role, but for another one', async () => {
    const refusal = await ben.asks('/proofdesk settings', /Only owners can open settings/);
    await slack.fault({ match: { method: 'chat.postMessage' }, kind: 'drop-after', times: 2 });
    await ben.clicks(refusal, 'Ask the owners');
    const request = await ann.sees(own(ann), /@Ben Okafor asks to become an owner/);
    await ann.clicks(request, 'Decline', /@Ann Reyes declined/);
    await ben.sees(own(ben), /@Ann Reyes declined your request to become an owner/);
    for (const person of [ann, ben])
      expect(await world.posts(/become an owner/, own(person))).toHaveLength(1);
    const again = await ben.asks('/proofdesk settings', /Only owners can open settings/);
    await ben.clicks(again, 'Ask the owners', /You already asked for this role/);
    const refused = await ben.asks('/proofdesk audit', /Only managers/);
    await ben.clicks(refused, 'Ask the owners', /asks those who can change that/);
    await ann.sees(own(ann), /@Ben Okafor asks to become a manager/);
  });

  test('a role is given by a modal, to a channel too, and counts at once; a shared channel still waits for an owner', async () => {
    const form = await (await ann.enters('/proofdesk settings', /Owners/)).opens('Add a role', /Add a role/);
    await form.select('Role', 'Manager');
    await form.select('Members', ['U0BOT']);
    expect((await form.submit()).errors?.Members).toContain('Apps can’t have a role');
    await form.select('Members', []);
    await form.select('Channel', managers);
    await form.next(/Saved\./);
    await ben.asks('/proofdesk audit', /Only managers can read the audit log/);
    const restart = await ben.enters(`/campaign restart ${shelf.campaign_id} 1`, /Positions to add/);
    const asking = await restart.next(/1 position × 0\.10/);
    await slack.channelPatch(managers, { members: ['U01ANN', 'U02BEN'] });
    await marketplace.clearRequests();
    // What a button says is what it does, also once a role has changed.
    await asking.clicks('Ask for approval', /Nothing was restarted.*Your role has changed/s);
    expect(await spending()).toEqual([]);
    await restarts(ben, `${shelf.campaign_id} 1`, /now has 1 more position/, /1 position × 0\.10/);
    expect(await spending()).toHaveLength(1);
    await marketplace.patchCampaign(shelf.campaign_id, { status: shelf.status });

    // A channel that is shared waits for an owner all the same.
    await slack.channelPatch(other, { shared: true });
    await ben.asks(
      `/proofdesk subscribe ${shelf.campaign_id}`,
      /New tasks of \*Photo of a shelf\* will be posted here once an owner of the account confirms it/,
      other,
    );
    await ben.asks('/proofdesk unsubscribe', /are no longer posted here/, other);
    await slack.channelPatch(other, { shared: false });
    const settings = await ann.enters('/proofdesk settings', /Managers.*#managers/s);
    await settings.opens(managers, /Saved\./);
  });

  test('a deactivated member does nothing more, on a drawn card either', async () => {
    const { card, task } = await world.taskWithCard('deactivated');
    // Money always asks afresh.
    await slack.userPatch(ben.id, { deleted: true });
    const why = /Your Slack account is deactivated/;
    const refusal = await ben.asks(`/campaign restart ${shelf.campaign_id} 1`, why);
    await ben.clicks(card, 'OK');
    await ben.sees(review, why, { after: refusal.ts });
    expect(await world.ratingOf(task)).toBe('NOTRATED');
    await slack.userPatch(ben.id, { deleted: false });
    await ann.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Ann/);
  });

  test('a guest asks for a role, and reviews once an owner has added it', async () => {
    const { card } = await world.taskWithCard('for guests');
    const after = await chloe.lastIn(review);
    await chloe.clicks(card, 'OK');
    const first = await chloe.sees(review, /Guests have no access/, { after });
    await chloe.clicks(card, 'NOK');
    const second = await chloe.sees(review, /Guests have no access/, { after: first.ts });
    await chloe.clicks(first, 'Ask the owners');
    await ann.clicks(await ann.sees(own(ann), /Chloé Martin, a guest, asks to become/), 'Approve');
    await chloe.sees(own(chloe), /@Ann Reyes made you a reviewer/);
    await chloe.clicks(second, 'Ask the owners');
    await chloe.sees(review, /You now have that role\. Try again/);
    await chloe.clicks(card, 'OK', /:white_check_mark: \*OK\* by @Chloé/);
    await eve().clicks((await world.taskWithCard('not for strangers')).card, 'OK');
    await eve().sees(review, /Only members of the workspace/);
  });

  test('a channel that is shared with another company gets nothing until an owner confirms it', async () => {
    const withFile = await world.card('with a file', { files: [proofFile('shelf.pdf', 'AAA')] });
    const files = await opensFromDetails(ann, withFile, 'Files…', /Files of this task/);
    await slack.channelPatch(review, { shared: true });
    const told = await ann.sees(own(ann), /#review is shared with another company/);
    await world.submit('behind the border');
    await world.submit('another one');
    await marketplace.polls();
    expect(await world.posts(/behind the border/)).toEqual([]);
    expect(await world.posts(/shared with another/, own(ann))).toHaveLength(1);
    // What is fetched by its button is posted there as well.
    await files.clicks('Post in thread', /shared with another company, so files are not posted/);
    expect(await withFile.thread()).toEqual([]);
    await ann.clicks(told, 'Post there');
    const card = await ann.sees(review, /behind the border/);
    const again = await opensFromDetails(ann, withFile, 'Files…', /Files of this task/);
    await again.clicks('Post in thread', /In the card’s thread/);
    await eve().clicks(card, 'OK');
    await eve().sees(review, /Only members of the workspace/);
    await slack.channelPatch(review, { shared: false });
  });

  test('who takes a subscription from another channel reads that, and both channels are told', async () => {
    await ann.asks('/proofdesk subscribe', /no longer posted in #review/, other);
    await ann.sees(review, /@Ann Reyes moved new tasks from their account to #inbox/);
    await ann.sees(other, /@Ann Reyes moved new tasks from their account here from #review/);
    // A channel of one campaign gets none of the inbox.
    const ended = await ann.asks('/proofdesk unsubscribe', /@Ann Reyes unsubscribed this channel/, other);
    expect(ended.ephemeral).toBe(false);
    await ann.asks(
      `/proofdesk subscribe ${shelf.campaign_id}`,
      /New tasks of \*Photo of a shelf\* will be posted/,
      other,
    );
    await marketplace.write({ subject: 'For the account only' });
    await world.card('after the message', {}, other);
    await ann.asks('/proofdesk subscribe', /New tasks of your account will be posted/);
    await marketplace.write({ subject: 'For this channel' });
    await ann.sees(review, /For this channel/);
    expect(await world.posts(/For the account only/, other)).toEqual([]);
    await ann.asks('/proofdesk unsubscribe', /are no longer posted here/, other);
  });
});

test('a decision that waits is undone by a manager only, who is named on the card', async () => {
  const world = await begin({
    transport: 'http',
    workspace,
    scenario: { campaigns: [{ ...shelf, status: 'RUNNING' }] },
    env: { ACCOUNT_OWNERS: 'U01ANN', UNDO_SECONDS: '120' },
  });
  const { ann, ben } = world;
  const card = await world.card('decided by Ann');
  await ann.clicks(card, 'OK', /\*OK\* by @Ann/);
  await ben.clicks(card, 'Undo');
  await ben.sees(review, /Only managers can undo a colleague’s decision/);
  await card.refresh();
  expect(card.text).toMatch(/\*OK\* by @Ann/);
  expect(card.buttons).toContainEqual(expect.stringMatching(/^Undo OK for /));

  const second = await world.card('decided by Ben');
  await ben.clicks(second, 'OK', /\*OK\* by @Ben/);
  await ann.clicks(second, 'Undo', /@Ann Reyes undid OK by @Ben Okafor/);
});
