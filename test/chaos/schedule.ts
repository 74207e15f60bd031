import { createRandom, type Random } from '../../src/sandbox/marketplace/index.ts';
import type { ChaosSettings } from './settings.ts';

/**
 * All kinds of outages, by place. Outages in the same place follow one another; those in different places overlap.
 */
export const outageKinds = {
  slack: ['Slack answers 500', 'Slack is unreachable', 'Slack is slow', 'Slack’s clock is wrong'],
  marketplace: [
    'marketplace is unreachable',
    'marketplace answers 500',
    'marketplace is slow',
    'marketplace refuses the key',
  ],
  results: ['results lag', 'results are garbage', 'results are cut', 'results have fewer rows'],
  redis: [
    'Redis is killed',
    'Redis hangs',
    'Redis is full',
    'Redis is read-only',
    'Redis is an older copy',
    'Redis fails over',
  ],
  processes: [
    'process is killed',
    'process stands still',
    'process has another time',
    'process is restarted',
  ],
  keys: ['key is replaced'],
  channels: ['channel is archived', 'bot is removed', 'channel is deleted'],
  campaigns: ['campaign is paused', 'campaign is paused by an administrator'],
} as const;

type Place = keyof typeof outageKinds;
export type OutageKind = (typeof outageKinds)[Place][number];

/** Returns the place of a kind of outage. */
export function placeOf(kind: OutageKind): Place | undefined {
  const places = Object.keys(outageKinds) as Place[];
  return places.find((place) => (outageKinds[place] as readonly string[]).includes(kind));
}

/** Something that begins to fail, and later stops. */
export interface Outage {
  readonly day: number;
  readonly kind: OutageKind;
  /** The number of the affected process, a variant of the failure, or without meaning. */
  readonly target: number;
  /** The start, from the beginning of its day, and the duration (ms). */
  readonly at: number;
  readonly duration: number;
  /** The number of simultaneous other outages. */
  readonly overlapping: number;
}

/** The average time of an outage and the pause until the next in its place, in a long run (ms). */
const averageMs = 12_000;
/** A place with fewer kinds of outages gets as many outages as one with this many. */
const leastKinds = 4;
/** The minimum and maximum share of that time in which it fails. */
const [leastShare, mostShare] = [0.3, 0.8];

/**
 * Returns all outages of a run, deterministic for a seed and settings. Every kind occurs at least once a day.
 */
export function schedule(
  seed: number,
  { days, dayMs, processes }: Pick<ChaosSettings, 'days' | 'dayMs' | 'processes'>,
): Outage[] {
  const random = createRandom(seed);
  const found: Omit<Outage, 'overlapping'>[] = [];
  for (let day = 1; day <= days; day += 1) {
    for (const kinds of Object.values(outageKinds)) {
      found.push(...outagesOf(day, kinds, { dayMs, processes }, random));
    }
  }
  return found
    .map((outage) => ({ ...outage, overlapping: found.filter((other) => overlap(outage, other)).length }))
    .sort((a, b) => a.day - b.day || a.at - b.at);
}

function outagesOf(
  day: number,
  kinds: readonly OutageKind[],
  { dayMs, processes }: Pick<ChaosSettings, 'dayMs' | 'processes'>,
  random: Random,
): Omit<Outage, 'overlapping'>[] {
  const rounds = Math.max(1, Math.floor(dayMs / (Math.max(kinds.length, leastKinds) * averageMs)));
  const order = Array.from({ length: rounds }, () => shuffled(kinds, random)).flat();
  // Some are many times longer than others.
  const weights = order.map(() => 0.5 + 2 * random.next() ** 2);
  const unit = dayMs / weights.reduce((sum, weight) => sum + weight, 0);
  let begins = 0;
  return order.map((kind, index) => {
    const whole = (weights[index] ?? 0) * unit;
    const duration = Math.round(whole * (leastShare + random.next() * (mostShare - leastShare)));
    const at = Math.round(begins + random.next() * (whole - duration));
    begins += whole;
    return { day, kind, target: random.between(0, processes * 12 - 1), at, duration };
  });
}

type Time = Pick<Outage, 'day' | 'at' | 'duration'>;

function overlap(one: Time, other: Time): boolean {
  return (
    one !== other &&
    one.day === other.day &&
    one.at < other.at + other.duration &&
    other.at < one.at + one.duration
  );
}

/** Returns the items in an order drawn by `random`. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const order = items.map((item) => ({ item, at: random.next() }));
  return order.sort((a, b) => a.at - b.at).map(({ item }) => item);
}
