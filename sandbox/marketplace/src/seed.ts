import type { Kind } from './kinds.ts';
import { hostileProofs, kindOf, kinds } from './kinds.ts';
import type { Campaign, World } from './model.ts';
import { freshId, moveCampaign, proofFile } from './model.ts';
import { money } from './money.ts';
import { addCampaign, createPeople, employerKey, workerKey } from './new-world.ts';
import { createRandom } from './random.ts';
import { addMessages } from './seed-messages.ts';
import { bigTextFile, makeFile, submit } from './submissions.ts';
import type { CampaignStatus, Rating } from './terms.ts';
import { ratings } from './terms.ts';

const hour = 3_600_000;
const day = 24 * hour;

interface SeedCampaign {
  readonly kind: Kind;
  readonly status: CampaignStatus;
  readonly ageDays: number;
  readonly positions: number;
  readonly tasks: Partial<Record<Rating, number>>;
  readonly more?: Partial<Campaign>;
  readonly key?: string;
}

const unique = proofFile(
  'receipts.csv',
  'text/csv',
  Buffer.from('picture,shop\nreceipt-0042.jpg,Corner Grocer\nreceipt-0043.jpg,"Müller, Bahnhofstraße"\n'),
);

/** The seeded campaigns: all eight statuses, and few enough waiting tasks for a pleasant first impression. */
const seedCampaigns: readonly SeedCampaign[] = [
  {
    kind: kinds.survey,
    status: 'RUNNING',
    ageDays: 4,
    positions: 150,
    tasks: { OK: 9, NOK: 2, REVISE: 1, NOTREVIEWED: 1, NOTRATED: 3 },
  },
  {
    kind: kinds.appTest,
    status: 'RUNNING',
    ageDays: 3,
    positions: 80,
    tasks: { OK: 6, NOK: 1, REVISE: 1, NOTREVIEWED: 1, NOTRATED: 2 },
    more: { file_proof: 2, speed: 1000, ttr: 3 },
  },
  {
    kind: kinds.shelf,
    status: 'RUNNING',
    ageDays: 6,
    positions: 120,
    tasks: { OK: 11, NOK: 3, REVISE: 1, NOTREVIEWED: 1, NOTRATED: 2 },
    more: { file_proof: 2, excluded_countries: ['BR'] },
  },
  {
    kind: kinds.receipt,
    status: 'RUNNING',
    ageDays: 2,
    positions: 100,
    tasks: { OK: 12, NOK: 1, REVISE: 1, NOTREVIEWED: 1, NOTRATED: 2 },
    more: { description_type: 'UNIQUE', attachments: { csv: unique } },
  },
  {
    kind: kinds.translate,
    status: 'RUNNING',
    ageDays: 1,
    positions: 90,
    tasks: { OK: 6, NOK: 1, REVISE: 1, NOTREVIEWED: 1, NOTRATED: 1 },
    more: { qt_required: false },
  },
  {
    kind: kinds.signUp,
    status: 'PAUSED',
    ageDays: 9,
    positions: 60,
    tasks: { OK: 8, NOK: 2 },
    more: { targeted_countries: ['US', 'CA', 'GB'], zone: 'west1', auto_rate: 'V', vcode: 'MILL' },
  },
  { kind: kinds.search, status: 'PAUSED_ADMIN', ageDays: 12, positions: 200, tasks: { OK: 10, NOTRATED: 1 } },
  { kind: kinds.visit, status: 'PAUSED_SYSTEM', ageDays: 15, positions: 20, tasks: { OK: 3, NOK: 1 } },
  {
    kind: { ...kinds.survey, title: 'Five questions about breakfast' },
    status: 'PENDING_REVIEW',
    ageDays: 0.1,
    positions: 40,
    tasks: {},
  },
  {
    kind: { ...kinds.shelf, title: 'Photograph the coffee shelf in a supermarket near you' },
    status: 'PENDING_RESTART',
    ageDays: 20,
    positions: 75,
    tasks: { OK: 14, NOK: 2 },
  },
  {
    kind: { ...kinds.signUp, title: 'Sign up for a bank account and forward the welcome letter' },
    status: 'BLOCKED',
    ageDays: 30,
    positions: 10,
    tasks: { NOK: 1 },
  },
  {
    kind: { ...kinds.visit, title: 'Visit a shop and report on the coffee shelf' },
    status: 'FINISHED',
    ageDays: 40,
    positions: 16,
    tasks: { OK: 12, NOK: 4 },
  },
  {
    kind: { ...kinds.search, title: 'Rate the first five search results for "café, open now"' },
    status: 'FINISHED',
    ageDays: 200,
    positions: 18,
    tasks: { OK: 18 },
    more: { folder: 'ARCHIVE' },
  },
  {
    key: 'other-employer-demo-key',
    kind: { ...kinds.translate, title: 'Translate a menu of twelve dishes' },
    status: 'RUNNING',
    ageDays: 2,
    positions: 30,
    tasks: { OK: 2, NOTRATED: 1 },
    more: { file_proof: 1 },
  },
];

function repeated(rating: Rating, count = 0): Rating[] {
  return Array.from({ length: count }, () => rating);
}

/** Adds a campaign's tasks in a shuffled but repeatable order of ratings; waiting ones are last, because they are newest. */
function fill(world: World, campaign: Campaign, seed: SeedCampaign, start: number): void {
  const { random } = world;
  const done: Rating[] = [];
  for (const rating of ratings) {
    if (rating !== 'NOTRATED') done.push(...repeated(rating, seed.tasks[rating]));
  }
  done.sort(() => random.next() - 0.5);
  const order = [...done, ...repeated('NOTRATED', seed.tasks.NOTRATED)];
  const span = start - campaign.created - hour / 2;
  order.forEach((task_rating, at) => {
    const even = campaign.created + (span * (at + 1)) / order.length;
    const finished = Math.round(even / 1000 - random.between(0, 5400)) * 1000;
    const file = makeFile(seed.kind, random);
    submit(world, campaign, { task_rating, finished, files: file ? [file] : [] });
  });
}

/** Makes some tasks awkward: hostile text, several files, duplicate proof and IP address, ids that look like numbers. */
function addAwkwardTasks(
  world: World,
  named: Record<'survey' | 'appTest' | 'shelf', Campaign>,
  start: number,
): void {
  const waiting = (campaign: Campaign) => campaign.tasks.filter((task) => task.task_rating === 'NOTRATED');
  // Only one hostile proof waits for a rating, so that the first impression stays pleasant.
  [waiting(named.survey)[0], ...named.survey.tasks].forEach((task, at) => {
    const proof = hostileProofs[at];
    if (task && proof) task.proof = [...proof];
  });
  const [tested, reported] = waiting(named.appTest);
  const report = makeFile(kinds.visit, world.random);
  if (report) reported?.files.push(report);
  tested?.files.push(bigTextFile(), makeFile(kinds.receipt, world.random) ?? bigTextFile());
  const [copied, ok] = [waiting(named.shelf).at(-1), named.shelf.tasks[0]];
  if (copied && ok) {
    copied.proof = [...ok.proof];
    const twin = submit(world, named.shelf, {
      task_id: '12e50431',
      task_rating: 'NOTRATED',
      finished: start - 5 * 60_000,
      proof: [...ok.proof],
      ip: ok.ip,
      country: ok.country,
      user_agent: ok.user_agent,
    });
    twin.files.push(...copied.files);
  }
}

/** Creates the seeded world. It is always the same, except that its dates end just before `now`. */
export function createSeed(now: number): World {
  const start = Math.floor(now / 1000) * 1000;
  const world = createPeople(createRandom(20_240_117));
  const made = seedCampaigns.map((seed) => {
    const owner = world.accounts.get(seed.key ?? employerKey);
    if (!owner) throw new Error(`no account has the key ${seed.key}`);
    const { kind } = seed;
    const campaign = addCampaign(world, owner, {
      campaign_id: freshId(world.random, world.campaigns),
      created: start - seed.ageDays * day,
      title: kind.title,
      required_work: kind.required_work,
      required_proof: [...kind.required_proof],
      category: kind.category,
      payment_per_task: money(kind.payment),
      available_positions: seed.positions,
      ...seed.more,
    });
    fill(world, campaign, seed, start);
    moveCampaign(campaign, seed.status, start - seed.ageDays * day * 0.1);
    return campaign;
  });
  const [survey, appTest, shelf] = made;
  if (survey && appTest && shelf) addAwkwardTasks(world, { survey, appTest, shelf }, start);
  addWorkerTasks(world, made, start);
  addMessages(world, start);
  return world;
}

/** Gives the demo worker a task in each finished campaign, so that the worker side has data to show. */
function addWorkerTasks(world: World, campaigns: readonly Campaign[], start: number): void {
  const worker = world.accounts.get(workerKey);
  if (!worker) return;
  campaigns
    .filter((campaign) => campaign.campaign_status === 'FINISHED' || campaign.campaign_status === 'PAUSED')
    .forEach((campaign, at) => {
      const file = makeFile(kindOf(campaign.category), world.random);
      submit(world, campaign, {
        worker_id: worker.id,
        task_rating: at % 2 === 0 ? 'OK' : 'NOK',
        finished: start - (at + 1) * day,
        files: file ? [file] : [],
      });
    });
}
