import { expect } from 'vitest';
import { place as review } from '../harness/acts.ts';
import { eventually, sharedWorld, story } from '../harness/worlds.ts';

const inbox = 'C02INBOX';
const campaigns = Array.from({ length: 14 }, (_, index) => ({
  campaign_id: `c0ffee${String(index).padStart(2, '0')}`,
  title: `Shelf number ${index}`,
  status: 'RUNNING' as const,
}));

const world = sharedWorld({ scenario: { campaigns }, pollSeconds: 0.2, env: { INBOX_CHANNEL: undefined } });
const { ann, marketplace } = world;

const openList = () => ann.asks('/proofdesk subscriptions', /channels?\*? gets? posts from this account/);

story('what is told in a channel is chosen there', {
  'inbox messages are counted in Home, and posted nowhere until a channel is chosen for them': async () => {
    await marketplace.write({ subject: 'Nobody gets this' });
    await eventually('Home counts it', async () =>
      (await ann.looksAtHome(/Reviewing/)).buttons.includes('Inbox (1 unread)'),
    );
    expect(await world.posts(/Nobody gets this/, review)).toEqual([]);

    const list = await openList();
    expect(list.text).toContain('Home shows how many are unread');
    const modal = await ann.opens(list, 'Change…', /Inbox messages/);
    await modal.select('Channel', 'C03RANDOM');
    expect(Object.values((await modal.submit()).errors ?? {}).join()).toMatch(/Proofdesk isn’t in this/);
    await modal.select('Channel', inbox);
    expect((await modal.submit()).errors).toBeUndefined();
    await list.untilText(/New inbox messages will be posted in #inbox/);
    await ann.sees(inbox, /@Ann Reyes moved new inbox messages of their account here/);
    await marketplace.write({ subject: 'For the inbox' });
    await ann.sees(inbox, /For the inbox/);
    expect(await world.posts(/For the inbox/, review)).toEqual([]);
    expect(await world.posts(/Nobody gets this/, inbox)).toEqual([]);
  },

  'campaigns that finish or pause are told once, many in one message, whatever lists that lag say':
    async () => {
      await marketplace.polls();
      for (const { campaign_id } of campaigns.slice(0, 12))
        await marketplace.patchCampaign(campaign_id, { status: 'FINISHED' });
      const message = await ann.sees(review, /12 campaigns\* finished, were paused or were blocked/);
      expect(message.text).toMatch(/Shelf number 0\*? has finished: 0 OK, 0 NOK, none waiting/);
      // Lists that show how it was before change nothing, and do not make it news again.
      const match = { path: 'campaigns_b/list' };
      await marketplace.fault({ match, kind: 'stale', lagSeconds: 600, times: 0 });
      await marketplace.polls();
      await marketplace.clearFaults();
      await marketplace.polls();
      await marketplace.patchCampaign(campaigns[12]?.campaign_id ?? '', { status: 'PAUSED_ADMIN' });
      await message.untilText(/Shelf number 12\*? was paused by the marketplace/);
      expect(await world.posts(/finished, were paused or were blocked/, review)).toHaveLength(1);
    },

  'a channel has settings of its own; what is muted is said, and is not told any more': async () => {
    const list = await openList();
    expect(list.text).toMatch(/2 channels/);
    expect(list.text).toMatch(/#review.*all campaigns that have no channel of their own/s);
    expect(list.text).not.toMatch(/Inbox messages: (yes|no)/);
    const modal = await ann.opens(list, 'Settings…', /Channel settings/);
    await modal.fill('Maximum open cards', '5000');
    expect(Object.values((await modal.submit()).errors ?? {}).join()).toMatch(/up to 1000/);
    await modal.fill('Maximum open cards', '30');
    await modal.select('Mute in this channel', ['Campaign updates', 'Due-task reminders']);
    await modal.submit();
    await list.untilText(/At most 30 open cards/);
    expect(list.text).toMatch(/Muted: campaign updates, due-task reminders\./);
    await marketplace.patchCampaign(campaigns[13]?.campaign_id ?? '', { status: 'BLOCKED' });
    await marketplace.polls(6);
    expect(await world.posts(/Shelf number 13/, review)).toEqual([]);

    // Two people at once: the later form says how everything is.
    const again = await ann.opens(list, 'Settings…', /Channel settings/);
    await again.select('Mute in this channel', []);
    await again.submit();
    await list.until(({ text }) => !text.includes('Muted:'));
    await ann.asks(
      '/proofdesk audit',
      /changed the settings of a channel\n[^\n]* · muted campaigns, reminders → muted nothing/,
    );
  },

  'a channel is unsubscribed in the list, and told so': async () => {
    const list = await openList();
    await ann.clicks(list, 'Unsubscribe', /no longer posted in #review.*\*1 channel\*? gets.*#inbox/s);
    await ann.sees(review, /@Ann Reyes unsubscribed this channel/);
  },
});
