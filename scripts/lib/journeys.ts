import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createWorld, type World } from '../../test/harness/world.ts';

/** What one journey ran. */
export interface Journey {
  /** The bot's files with a function that was executed, from the project's root. */
  readonly files: readonly string[];
}

/** One thing that somebody does, until they see its end. */
interface Steps {
  /** Polls disturb what is measured, unless the journey begins with one. */
  readonly pollSeconds: number;
  /** Done before the measurement: on a world without a bot, and with one. */
  readonly given?: (world: World) => Promise<unknown>;
  readonly before: (world: World) => Promise<unknown>;
  readonly measured: (world: World) => Promise<unknown>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const channel = 'C01REVIEW';
const campaign = {
  campaign_id: 'c0ffee01',
  title: 'Photo of a shelf',
  status: 'RUNNING',
  zone: 'int',
  targeted_countries: ['US', 'FR'],
  excluded_countries: ['DE'],
};

const submit = ({ marketplace }: World) =>
  marketplace.submit({ campaign_id: campaign.campaign_id, proof: ['Aisle 4'] });

const journeys: Readonly<Record<string, Steps>> = {
  'task to card': {
    pollSeconds: 1,
    before: ({ ann }) => ann.types(channel, '/campaign list'),
    measured: async (world) => {
      await submit(world);
      await world.ann.sees(channel, /Aisle 4/);
    },
  },
  'NOK to rating to card': {
    pollSeconds: 5,
    given: submit,
    before: ({ ann }) => ann.sees(channel, /Aisle 4/),
    measured: async ({ ann }) => {
      const card = await ann.sees(channel, /Aisle 4/);
      await ann.clicks(card, 'NOK');
      const form = await ann.modal(/Rate NOK/);
      await form.fill('Reason for NOK', 'The shelf is empty.');
      await form.submit();
      await card.untilText(/:x: \*NOK\* by @Ann/);
      await card.until(({ buttons }) => buttons.length === 0);
    },
  },
  retarget: {
    pollSeconds: 600,
    before: async ({ ann }) => {
      await ann.types(channel, '/campaign list');
      await ann.sees(channel, /Photo of a shelf/);
    },
    measured: async ({ ann }) => {
      await ann.types(channel, `/campaign retarget ${campaign.campaign_id}`);
      const form = await ann.modal(/Photo of a shelf/);
      await form.select('Countries to include', ['US']);
      await form.submit();
      await ann.modal(/It is now open/);
    },
  },
};

/** Runs each journey against both sandboxes. Returns, by its title, which of these files had a function executed. */
export async function measureJourneys(files: readonly string[]): Promise<[string, Journey][]> {
  const own = new Set(files);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  const results: [string, Journey][] = [];
  for (const [title, { pollSeconds, given, before, measured }] of Object.entries(journeys)) {
    const world = await createWorld({ scenario: { campaigns: [campaign] }, pollSeconds });
    try {
      await given?.(world);
      await world.startBot();
      await before(world);
      await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
      await measured(world);
      const { result } = await session.post('Profiler.takePreciseCoverage');
      await session.post('Profiler.stopPreciseCoverage');
      const executed = result
        // The first function is the module itself.
        .filter(({ functions }) => functions.slice(1).some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
        .filter(({ url }) => url.startsWith('file:'))
        .map(({ url }) => relative(root, fileURLToPath(url)));
      results.push([title, { files: [...new Set(executed)].filter((path) => own.has(path)).sort() }]);
    } finally {
      await world.close();
    }
  }
  return results;
}
