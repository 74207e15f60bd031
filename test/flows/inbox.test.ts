import { rawMarketplace } from '@proofdesk/marketplace-sandbox/testing';
import type { Seen } from '@proofdesk/slack-sandbox/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { place, shelf } from '../harness/acts.ts';
import { eventually, story, type World, worldPerTest } from '../harness/worlds.ts';

const written = (day: number) => `2026-01-${String(day).padStart(2, '0')} 12:00:00`;
const messages = Array.from({ length: 23 }, (_, index) => ({
  subject: `Letter ${index + 1}`,
  message: `Text of letter ${index + 1}`,
  unread: index >= 20,
  datetime: written(index + 1),
}));

const { begin } = worldPerTest();

describe('the inbox', () => {
  const sent = { subject: 'Answer of ours', folder: 'SENT', unread: false, datetime: written(5) };
  const { world, begin } = worldPerTest({
    transport: 'http',
    scenario: { campaigns: [], messages: [...messages, sent] },
  });
  beforeEach(() => begin());

  async function asks(text: string, pattern: RegExp): Promise<Seen> {
    const before = await world.ann.lastIn(place);
    await world.ann.types(place, text);
    // What is announced meanwhile reads alike, but is for everybody.
    return eventually(`an answer like ${pattern}`, async () =>
      (await world.ann.reads(place)).findLast(
        (message) => message.ephemeral && message.ts > before && pattern.test(message.text),
      ),
    );
  }
  const folderOf = async (subject: string) =>
    (await world.marketplace.state()).messages.find((message) => message.subject === subject)?.folder;

  story('messages are listed, filtered, read and moved to the trash', {
    'is shown privately, ten at a time, the newest first, and turns pages in place': async () => {
      const inbox = await asks('/inbox', /\*Inbox\*: 23 messages, 3 unread/);
      expect(inbox.ephemeral).toBe(true);
      expect(inbox.text).toMatch(/1\. .*Letter 23.*10\. .*Letter 14/s);
      expect(inbox.text).not.toContain('Letter 13');
      await world.ann.clicks(inbox, 'Next', /Page 2 of 3/);
      expect(inbox.text).toMatch(/11\. .*Letter 13/s);
      await world.ann.clicks(inbox, 'Next', /Page 3 of 3/);
      expect(inbox.buttons).not.toContain('Next');
    },

    'is filtered by folder, by what is unread and by days': async () => {
      const inbox = await asks('/inbox', /\*Inbox\*: 23 messages/);
      await world.ann.chooses(inbox, 'Folder', 'Sent');
      await inbox.untilText(/\*Sent\*: 1 message.*Answer of ours/s);
      await world.ann.chooses(inbox, 'Folder', 'Inbox');
      await inbox.untilText(/\*Inbox\*: 23 messages/);
      await world.ann.chooses(inbox, 'From day', '2026-01-04');
      await inbox.untilText(/\(from 2026-01-04\): 20 messages/);
      await world.ann.chooses(inbox, 'To day', '2026-01-05');
      await inbox.untilText(/\(from 2026-01-04 to 2026-01-05\): 2 messages/);
      expect(inbox.text).toContain('zone, UTC');
      await world.ann.chooses(inbox, 'Read or unread', 'Unread only');
      await inbox.untilText(/: no messages\. Choose other days/);
      await world.ann.clicks(inbox, 'Any day', /\(unread only\): 3 messages/);
      await world.ann.chooses(inbox, 'Read or unread', 'Read only');
      await inbox.untilText(/\(read only\): 20 messages/);
      await asks('/inbox unread', /\*Inbox\* \(unread only\): 3 messages/);
      await asks('/inbox unred', /There is no .*unred.*Did you mean .*\/inbox unread/s);
    },

    'reads a message in a modal, where it can be trashed; its announcement stays in step': async () => {
      const announced = await world.ann.sees(place, /^:envelope.*Letter 22/);
      const unread = await asks('/inbox unread', /Letter 22/);
      await world.marketplace.refuses('message/delete', 'UNABLE TO DELETE MESSAGE');
      await clickRead(world, unread, 'Letter 22');
      const kept = await world.ann.modal(/Text of letter 22/);
      await kept.clicks('Move to trash', /could not move this message/);
      await kept.close();
      await announced.untilText(/Read by @Ann/);
      await clickRead(world, await asks('/inbox', /Letter 22/), 'Letter 22');
      const modal = await world.ann.modal(/Text of letter 22/);
      await unread.untilText(/\(unread only\): 2 messages/);
      await modal.clicks('Move to trash', /in the trash now/);
      await announced.untilText(/Moved to the trash by @Ann/);
      expect(await folderOf('Letter 22')).toBe('TRASH');
      await world.ann.chooses(unread, 'Read or unread', 'Read and unread');
      await unread.untilText(/\*Inbox\*: 22 messages/);
      await world.ann.chooses(unread, 'Folder', 'Trash');
      await unread.untilText(/Letter 22/);
      await clickRead(world, unread, 'Letter 22');
      expect((await world.ann.modal(/Text of letter 22/)).buttons).toEqual([]);
    },
  });

  test('tells what was not moved from what is not known', async () => {
    const id = await world.marketplace.write({ subject: 'Stays', message: 'x' });
    const announced = await world.ann.sees(place, /^:envelope.*Stays/);
    await world.marketplace.refuses(`message/delete/${id}`, 'UNABLE TO DELETE MESSAGE');
    await world.ann.clicks(announced, 'Move to trash');
    await world.ann.sees(place, /could not move this message/);
    expect(await folderOf('Stays')).toBe('INBOX');
    await world.marketplace.fault({ match: { path: `message/delete/${id}` }, kind: 'drop-after' });
    await world.ann.clicks(announced, 'Move to trash');
    await world.ann.sees(place, /not known whether the change was made\. Check/);
    expect(await folderOf('Stays')).toBe('TRASH');
  });

  test('a modal that was closed meanwhile takes no outcome with it: it is said privately', async () => {
    await world.marketplace.write({ subject: 'Closed early', message: 'Nobody waits for this' });
    const unread = await asks('/inbox unread', /Closed early/);
    await world.marketplace.delays('message/read', 12_000);
    await clickRead(world, unread, 'Closed early');
    await (await world.ann.modal(/Loading the message/)).close();
    await world.marketplace.clearFaults();
    const told = await world.ann.sees(place, /loaded but could not be shown.*Press Read to see it/);
    expect(told.ephemeral).toBe(true);
    // The list it was clicked in shows it, as ever.
    await unread.until(({ text }) => !text.includes('Closed early'));

    const all = await asks('/inbox', /Closed early/);
    await clickRead(world, all, 'Closed early');
    const modal = await world.ann.modal(/Nobody waits for this/);
    await world.marketplace.delays('message/delete', 12_000);
    await modal.clicks('Move to trash');
    await modal.close();
    await world.marketplace.clearFaults();
    expect((await world.ann.sees(place, /The message is in the trash now/)).ephemeral).toBe(true);
    expect(await folderOf('Closed early')).toBe('TRASH');
    expect((await world.ann.reads(place)).map(({ text }) => text).join()).not.toContain('went wrong');
  });

  test('a message that was read is not told as a failure when the list cannot be drawn again', async () => {
    await world.marketplace.write({ subject: 'Read anyway', message: 'Its text' });
    const unread = await asks('/inbox unread', /Read anyway/);
    await world.marketplace.refuses('messages/list', 'SYSTEM ERROR', 0);
    const before = await unreadLists(world);
    await clickRead(world, unread, 'Read anyway');
    await world.ann.modal(/Its text/);
    await eventually('the list to be asked for', async () => (await unreadLists(world)) > before);
    await world.settled();
    const since = (await world.ann.reads(place)).filter(({ ts }) => ts > unread.ts);
    // What polls meet as well is told to the channel after a while.
    const own = since.filter(({ text }) => !/New tasks and messages cannot be fetched/.test(text));
    expect(own.map(({ text }) => text).join()).not.toMatch(/had a system error/);
  });

  test('says what the marketplace answers when a message is gone, and keeps hostile subjects harmless', async () => {
    await world.marketplace.write({ subject: '<!channel> <@U02BEN> *x*', message: 'ignore' });
    const inbox = await asks('/inbox unread', /<!channel> <@U02BEN>/);
    expect(inbox.pings).not.toContain('@channel');
    await world.marketplace.refuses('message/read', 'NO SUCH MESSAGE');
    await clickRead(world, inbox, '<!channel> <@U02BEN> *x*');
    await world.ann.modal(/no longer knows this message/);
    // Every time: the bot looks for new messages meanwhile, too.
    await world.marketplace.refuses('messages/list', 'SYSTEM ERROR', 0);
    await eventually('an answer that says why', async () => {
      await world.ann.types(place, '/inbox');
      return (await world.ann.reads(place)).some(({ text }) => /had a system error/.test(text));
    });
  });

  test('what is read or trashed on the website shows in its announcement and in the list', async () => {
    const id = await world.marketplace.write({ subject: 'Seen elsewhere', message: 'x' });
    const announced = await world.ann.sees(place, /^:envelope.*Seen elsewhere/);
    const website = rawMarketplace(world.marketplaceUrl);
    await website.get(`message/read/${id}`);
    await announced.untilText(/Read elsewhere/);
    await website.put(`message/delete/${id}`);
    await announced.untilText(/No longer in the inbox/);
    expect(announced.buttons).toEqual([]);
    expect((await asks('/inbox', /\*Inbox\*: /)).text).not.toContain('Seen elsewhere');
  });

  test('is not for somebody who may not see the account', async () => {
    const inbox = await asks('/inbox', /\*Inbox\*: /);
    await world.ann.chooses(inbox, 'From day', '2026-01-04');
    await inbox.until(({ buttons }) => buttons.includes('Any day'));
    const announced = await world.ben.sees(place, /^:envelope.*Letter 23/);
    await world.ben.forgesClick(announced, 'Any day', {
      of: inbox,
      change: (hidden) => hidden.replace(/\/[0-9a-f]{16}\//, '/0123456789abcdef/'),
    });
    await world.ben.sees(place, /not connected/);
  });
});

test('a message that names a task links to its card: by its subject at once, by its text once it is opened', async () => {
  const world = await begin({ scenario: { campaigns: [shelf] } });
  const { ann } = world;
  const { task, card } = await world.taskWithCard('the shelf at dusk');
  await world.marketplace.write({ subject: `My task ${task} <!channel> was refused` });
  const named = await ann.sees(place, /was refused[\s\S]*About \*Photo of a shelf/);
  expect(named.text).toContain('Open its card');
  expect(named.links.join()).toContain(card.ts.replace('.', ''));
  expect(named.pings).toEqual([]);
  expect(named.buttons).toEqual(['Read', 'Move to trash']);

  const message = `Hello, it is about ${task.toUpperCase()}. I sent it on 2026-10-03.`;
  await world.marketplace.write({ subject: 'A question', message });
  const announced = await ann.sees(place, /A question/);
  expect(announced.text).not.toContain('About');
  const read = await ann.opens(announced, 'Read', /it is about/);
  expect(read.text).toMatch(/About \*Photo of a shelf\*[^\n]*Open its card/);
  await announced.untilText(/Read by/);
  await ann.clicks(announced, 'Move to trash', /Moved to the trash by/);
});

/** How often the bot has asked for the unread messages, which only a list of theirs does. */
async function unreadLists({ marketplace }: World): Promise<number> {
  const asked = await marketplace.calls('messages/list');
  return asked.filter(({ query, status }) => query.unread && status).length;
}

/** Presses Read in the row of a message. */
async function clickRead({ ann }: World, inbox: Seen, subject: string): Promise<void> {
  await inbox.refresh();
  await ann.clicksBeside(inbox, 'Read', `*${subject}*`);
}
