import type { Zone } from './geography.ts';
import { ipOf, workerCountries, zones } from './geography.ts';
import type { Account, Campaign, ParentCategory, Worker, World } from './model.ts';
import { createWorld, freshId } from './model.ts';
import { money } from './money.ts';
import type { Random } from './random.ts';

/** The API key used by control calls that name none. */
export const employerKey = 'employer-demo-key';
export const workerKey = 'worker-demo-key';

/** Adds an account; an account of the worker role needs a worker of the same id to have tasks. */
export function addAccount(
  world: World,
  fields: Pick<Account, 'id' | 'key' | 'role' | 'username' | 'country'> & { access?: Account['access'] },
): Account {
  const account: Account = {
    access: 'open',
    ...fields,
    excluded_workers: new Set(),
    favorites: new Set(),
    excluded_employers: new Set(),
    included_employers: new Set(),
  };
  world.accounts.set(account.key, account);
  return account;
}

/** Adds a campaign of the account with the given fields. By default it is a plain running campaign. */
export function addCampaign(
  world: World,
  owner: Account,
  fields: Partial<Omit<Campaign, 'owner' | 'tasks' | 'counts'>> & Pick<Campaign, 'campaign_id' | 'created'>,
): Campaign {
  const finished = fields.campaign_status === 'FINISHED' ? fields.created : null;
  const campaign: Campaign = {
    campaign_status: 'RUNNING',
    status_since: fields.created,
    moves_by_itself: false,
    title: 'Untitled campaign',
    required_work: 'Do what the title says.',
    required_proof: ['Tell what you did.'],
    available_positions: 100,
    restarted: null,
    finished,
    retargeted: null,
    folder: 'DEFAULT',
    zone: 'int',
    targeted_countries: [],
    excluded_countries: [],
    payment_per_task: money('0.10'),
    speed: 500,
    qt_required: true,
    group_id: '',
    category: '0101',
    minutes_to_finish: 10,
    max_positions_per_worker: 1,
    description_type: 'SAME',
    ttr: 7,
    auto_rate: 'NO',
    file_proof: 1,
    vcode: '',
    min_success_rate: 50,
    attachments: {},
    ...fields,
    owner: owner.id,
    tasks: [],
    counts: { NOTREVIEWED: 0, NOTRATED: 0, OK: 0, NOK: 0, REVISE: 0 },
  };
  world.campaigns.set(campaign.campaign_id, campaign);
  return campaign;
}

const firstNames =
  'amina bao carlos deepa elena farid grace hiro ines jonas kavya luca mei nadia omar priya quang rosa samir tanvi uma viktor wanjiru ximena yusuf zoe'.split(
    ' ',
  );
const userAgents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Linux; Android 14; SM-A546B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
];

function addWorker(world: World, fields: Partial<Worker>): void {
  const { random } = world;
  const country = fields.country ?? random.pick(workerCountries);
  const worker: Worker = {
    worker_id: freshId(random, world.workers),
    username: `${random.pick(firstNames)}_${random.between(10, 999)}`,
    country,
    ip: ipOf(country, random.between(0, 255), random.between(1, 254)),
    user_agent: random.pick(userAgents),
    restricted: false,
    phone_validated: true,
    success_rate: random.between(70, 99),
    ...fields,
  };
  world.workers.set(worker.worker_id, worker);
}

/** The lowest payment of each zone as a factor of that of `int`, in proportions typical of such services. */
const zoneFactors: Record<Zone, string> = {
  int: '1',
  asia1: '0.8',
  caribbean1: '1.2',
  europe2: '1.5',
  europe1: '2.5',
  west1: '3',
};

function category(id: string, title: string, base: string): ParentCategory['categories'][number] {
  return {
    id,
    title,
    min_payment_per_task: zones.map((zone) => ({
      zone,
      payment_per_task: money(base).times(zoneFactors[zone]),
    })),
  };
}

const categories: readonly ParentCategory[] = [
  {
    title: 'Surveys and research',
    categories: [category('0101', 'Short survey', '0.05'), category('0102', 'Interview or diary', '0.60')],
  },
  {
    title: 'Apps and websites',
    categories: [
      category('0201', 'Test an app', '0.25'),
      category('0202', 'Test a website', '0.20'),
      category('0203', 'Sign up and comment', '0.10'),
      category('0204', 'Search and rate results', '0.04'),
    ],
  },
  {
    title: 'Data and content',
    categories: [
      category('0301', 'Transcribe', '0.08'),
      category('0302', 'Translate', '0.12'),
      category('0303', 'Label pictures', '0.03'),
    ],
  },
  {
    title: 'On the spot',
    categories: [category('0401', 'Take a photo', '0.30'), category('0402', 'Visit a shop', '0.90')],
  },
];

/** How many ordinary workers a world has. */
const workerCount = 60;

/** Creates a world with accounts, workers and categories, but no activity yet. */
export function createPeople(random: Random): World {
  const world = createWorld(random);
  world.categories = categories;
  addAccount(world, {
    id: '4e1f00d2c9a7',
    key: employerKey,
    role: 'employer',
    username: 'northwind_research',
    country: 'NL',
  });
  const other = addAccount(world, {
    id: '12e5000731',
    key: 'other-employer-demo-key',
    role: 'employer',
    username: 'tasty_bytes',
    country: 'US',
  });
  const quiet = addAccount(world, {
    id: '9b2c44d01e6f',
    key: 'quiet-employer-demo-key',
    role: 'employer',
    username: 'späte_äpfel',
    country: 'DE',
  });
  const worker = addAccount(world, {
    id: '7700112233ab',
    key: workerKey,
    role: 'worker',
    username: 'amina_demo',
    country: 'KE',
  });
  worker.excluded_employers.add(quiet.id);
  worker.included_employers.add(other.id);
  for (const access of ['disabled', 'denied'] as const) {
    const [id, key] =
      access === 'disabled' ? ['d15ab1ed0001', 'disabled-demo-key'] : ['de21ed000001', 'denied-demo-key'];
    addAccount(world, { id, key, role: 'employer', username: `${access}_account`, country: 'GB', access });
  }
  addWorker(world, { worker_id: worker.id, username: worker.username, country: worker.country });
  addWorker(world, { username: 'restricted_rob', restricted: true });
  addWorker(world, { username: 'phoneless_phil', phone_validated: false });
  addWorker(world, { username: 'lowrate_lou', success_rate: 31 });
  for (let count = 0; count < workerCount; count += 1) addWorker(world, {});
  return world;
}

/** Returns the workers who may do any job. Simulated and default submissions come from them. */
export function ordinaryWorkers(world: World): Worker[] {
  return [...world.workers.values()].filter(
    ({ restricted, phone_validated, success_rate }) => !restricted && phone_validated && success_rate >= 50,
  );
}
