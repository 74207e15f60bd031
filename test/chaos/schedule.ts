import { createRandom, type Random } from '@proofdesk/marketplace-sandbox';

/** How long a day lasts (ms). Everything in it, timeouts and limits included, runs ten times faster than in production. */
export const usualDayMs = 45_000;
/** The last outage ends and the last process dies here; people work on a little longer. */
const troubleMs = usualDayMs - 6_000;

export const people = ['U01ANN', 'U02BEN', 'U03CHLOE'] as const;
export type PersonId = (typeof people)[number];
/** Owns the account; the others review, and ask her to approve what costs money. */
export const owner: PersonId = 'U01ANN';
export const campaigns = ['c1', 'c2', 'c3'] as const;

/** What a person can do, and how often in proportion. `approve` is what only the owner does. */
const acts = { ok: 10, nok: 4, revise: 4, undo: 3, focus: 2, bonus: 2, bulk: 1.5, restart: 1, create: 0.7 };
export type Act = keyof typeof acts | 'approve';

/** What can fail, by place: outages of one place follow one another, those of different places overlap. */
export const outages = {
  slack: ['errors', 'silent', 'slow', 'answers lost', 'posts late', 'limits', 'twice', 'deliveries lost'],
  marketplace: ['errors', 'silent', 'slow', 'answers lost', 'garbage', 'limits'],
  results: ['lag', 'no csv', 'cut end', 'fewer rows'],
  redis: ['killed', 'hangs'],
} as const;
export type Place = keyof typeof outages;

/** The moments of a process at which it dies, those of every task first; `anywhere` is any other. */
export const deaths = [
  'attempt stored, not posted',
  'posted, not recorded',
  'claimed, not sent',
  'sent, not recorded',
  'act claimed, not sent',
  'act sent, not recorded',
  'anywhere',
] as const;
export type Death = (typeof deaths)[number];

/** Something that happens. Numbers named `pick` (0 to 1) choose among what is there at that time. */
export type Happening = { readonly at: number } & (
  | { readonly what: 'submit'; readonly campaign: string; readonly count: number }
  | { readonly what: 'act'; readonly who: PersonId; readonly act: Act; readonly pick: number }
  | { readonly what: 'correct' | 'rate on the website'; readonly pick: number }
  | { readonly what: 'outage'; readonly place: Place; readonly kind: string; readonly ms: number }
  | { readonly what: 'kill'; readonly bot: 0 | 1; readonly moment: Death }
);

/** Returns all that happens in a day, in order. The same seed gives the same day. @param dayMs how long people work */
export function schedule(seed: number, dayMs = usualDayMs): Happening[] {
  const random = createRandom(seed);
  const all: Happening[] = [
    ...series(random, 800, 1_400, dayMs - 3_000).map((at) => ({
      ...{ at, what: 'submit' as const },
      campaign: random.pick(campaigns),
      count: random.between(1, 3),
    })),
    ...people.flatMap((who) =>
      series(random, 500, 1_200, dayMs).map((at) => {
        const act = who === owner && random.next() < 0.3 ? 'approve' : drawAct(random);
        return { at, what: 'act' as const, who, act, pick: random.next() };
      }),
    ),
    ...series(random, 3_000, 6_000, dayMs).map((at) => ({
      at,
      what: random.pick(['correct', 'correct', 'rate on the website'] as const),
      pick: random.next(),
    })),
    ...(Object.keys(outages) as Place[]).flatMap((place) => outagesOf(place, random)),
    ...killsOf(random),
  ];
  return all.sort((a, b) => a.at - b.at);
}

/** Returns times with pauses between `least` and `most` ms, until `end`. */
function series(random: Random, least: number, most: number, end: number): number[] {
  const times: number[] = [];
  for (let at = random.between(0, most); at < end; at += random.between(least, most)) times.push(at);
  return times;
}

function drawAct(random: Random): Act {
  const names = Object.keys(acts) as (keyof typeof acts)[];
  let left = random.next() * names.reduce((sum, name) => sum + acts[name], 0);
  const isDrawn = (name: keyof typeof acts) => {
    left -= acts[name];
    return left < 0;
  };
  return names.find(isDrawn) ?? 'ok';
}

/** Fills the day with outages of every kind of a place, in any order, and with as much time between them. */
function outagesOf(place: Place, random: Random): Happening[] {
  const found: Happening[] = [];
  let kinds: string[] = [];
  for (let at = random.between(500, 3_000); at < troubleMs; at += random.between(3_000, 7_000)) {
    if (kinds.length === 0) kinds = shuffled(outages[place], random);
    const ms = Math.min(random.between(600, 2_500), troubleMs - at);
    found.push({ at, what: 'outage', place, kind: kinds.pop() ?? '', ms });
    at += ms;
  }
  return found;
}

/** Lets a process die every few seconds, in turn at each moment, twice as often at those of every task. */
function killsOf(random: Random): Happening[] {
  let moments: Death[] = [];
  return series(random, 1_600, 3_000, troubleMs).map((at) => {
    if (moments.length === 0) moments = shuffled([...deaths, ...deaths.slice(0, 4)], random);
    return { at, what: 'kill', bot: random.pick([0, 1] as const), moment: moments.pop() ?? 'anywhere' };
  });
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const drawn = items.map((item) => ({ item, at: random.next() }));
  return drawn.sort((a, b) => a.at - b.at).map(({ item }) => item);
}
