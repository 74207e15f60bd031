import { describe, expect, test } from 'vitest';
import { type Announcement, applyAnnouncementEvent } from '../../src/domain/announcement.ts';
import { campaignsNamed, namesIn } from '../../src/domain/complaint.ts';
import type { AccountRef, TaskId } from '../../src/domain/terms.ts';
import { createComplaintLinks } from '../../src/features/shared/complaints.ts';
import { complaintAbout, complaintKinds } from '../../src/sandbox/marketplace/index.ts';
import { createFindIndex } from '../../src/store/find-index.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { asId } from '../harness/ids.ts';
import { honestText, seededRandom } from '../harness/text-corpus.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const ref: AccountRef = { workspace: asId('T1'), account: asId('a1') };
const clients = twoRedisClients();

test('what may name something: words with digits or underscores, and what follows a name’s introduction', () => {
  expect(namesIn('My task 7f3a9b was refused on 2026-10-03; I am kofi, user name: amina_demo.')).toEqual([
    '7f3a9b',
    'amina_demo',
    'kofi',
  ]);
  expect(namesIn('Why was I refused? I did everything right, twice.')).toEqual([]);
});

test('a title names its campaign when it stands there whole, the longest one', () => {
  const campaigns = ['Photo of a shelf', 'Photo of a shelf, again', 'Survey'].map((title) => ({ title }));
  const named = (text: string) => campaignsNamed(text, campaigns).map(({ title }) => title);
  expect(named('refused in “PHOTO of a  shelf”!')).toEqual(['Photo of a shelf']);
  expect(named('refused in Photo of a shelf, again')).toEqual(['Photo of a shelf, again']);
  // Too short to be a name, and a part of a word.
  expect(named('the survey; photo of a shelfful')).toEqual([]);
});

test('somebody looks again once; what the text names is remembered', () => {
  const record = { id: asId('m1'), subject: '', unread: true, trashed: false, revision: 1 } as Announcement;
  const look = { task: asId<TaskId>('t1'), by: asId('U1'), at: 1, outcome: 'wrong' } as never;
  const after = applyAnnouncementEvent(record, { type: 'looked-again', look });
  expect(after?.revision).toBe(2);
  expect(applyAnnouncementEvent(after, { type: 'looked-again', look })).toBeUndefined();
  const about = { tasks: [asId<TaskId>('t1')] };
  const linked = applyAnnouncementEvent(record, { type: 'linked', about });
  expect(linked?.about).toEqual(about);
  expect(applyAnnouncementEvent(linked, { type: 'linked', about })).toBeUndefined();
});

describe('complaints of the sandbox', () => {
  const titles = [
    'Photograph a shelf',
    'Try a budget app',
    'Compare two menus',
    'Call a help line',
    'Watch a film',
  ];
  const campaigns = titles.map((title, index) => ({
    id: asId(`ca${index}e${index}f0`),
    title,
    status: 'RUNNING',
  }));

  /** Stores tasks of a corpus, as an import does, and returns what links messages to them. */
  async function linksOver(seed: number, count: number) {
    const random = seededRandom(seed);
    const tasks = createTasks(clients.first);
    const findIndex = createFindIndex(clients.first);
    const hex = () =>
      Math.floor(random.next() * 0xffffffff)
        .toString(16)
        .padStart(8, '0');
    const stored = [];
    for (let number = 0; number < count; number += 1) {
      const campaign = random.pick(campaigns);
      const task = {
        id: asId<TaskId>(`${hex()}${hex()}`),
        campaign: campaign.id as never,
        title: campaign.title,
        worker: hex(),
        name: `${random.pick(['kofi', 'amina', 'omar', 'mei', 'jonas'])}_${number}`,
        code: number % 3 === 0 ? `WAY-${10_000 + random.below(90_000)}-${number}` : undefined,
      };
      const { task: record } = await tasks.apply(ref, task.id, {
        type: 'seen',
        id: task.id,
        campaign: task.campaign,
        rating: 'NOTRATED',
        comment: '',
        worker: { id: asId(task.worker), name: task.name, country: 'KE', ip: '' },
        csvRow: '0',
        submittedAt: number,
        proof: { slots: [honestText(random), ...(task.code === undefined ? [] : [task.code])], files: [] },
        readAt: number,
        want: 'backlog',
      });
      const [version] = await tasks.loadMany(ref, [task.id]);
      if (record === undefined || version === undefined) throw new Error('not stored');
      await findIndex.put(ref, version, []);
      stored.push(task);
    }
    const known = new Map(campaigns.map((campaign) => [campaign.id, campaign]));
    const links = createComplaintLinks({
      tasks,
      findIndex,
      campaigns: {
        all: async () => campaigns,
        getMany: async (_: AccountRef, ids: readonly string[]) =>
          new Map(ids.flatMap((id) => (known.has(id as never) ? [[id, known.get(id as never)]] : []))),
      },
    } as never);
    return { stored, links, random };
  }

  test.each([4, 90_210])(
    'are linked to their task, nearly all of them, and hardly any to another one (seed %i)',
    async (seed) => {
      const { stored, links, random } = await linksOver(seed, 240);
      const counts = { usable: 0, linked: 0, wrong: 0 };
      for (const [index, task] of stored.entries()) {
        const kind = complaintKinds[index % complaintKinds.length] ?? '';
        // Who names a code that they never handed in names nothing.
        if (kind === 'code' && task.code === undefined) continue;
        const { subject, message } = complaintAbout(kind, {
          ...task,
          task: task.id,
          campaign: task.campaign,
        });
        const about = await links.about(ref, `${subject}\n${message}\n\n${honestText(random)}`);
        counts.usable += 1;
        if (about?.tasks.includes(task.id)) counts.linked += 1;
        if (about?.tasks.some((id) => id !== task.id)) counts.wrong += 1;
      }
      expect(counts.usable).toBeGreaterThanOrEqual(200);
      expect(counts.linked / counts.usable).toBeGreaterThanOrEqual(0.95);
      expect(counts.wrong / counts.usable).toBeLessThanOrEqual(0.01);
    },
  );

  test('what names nothing that is known is linked to nothing', async () => {
    const { links, random } = await linksOver(7, 60);
    for (let count = 0; count < 60; count += 1)
      expect((await links.about(ref, `Why was I refused? ${honestText(random)}`))?.tasks ?? []).toEqual([]);
  });
});
