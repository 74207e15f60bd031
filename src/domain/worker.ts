import { z } from 'zod';
import { type CampaignId, MemberId, type Rating, ratings, type Verdict, type WorkerId } from './terms.ts';

/** Number of a worker's tasks per rating. */
export type RatingCounts = Readonly<Record<Rating, number>>;

/** A worker's record beside a task: tasks per rating, number of campaigns, and tasks in this campaign. */
export interface ShownRecord {
  readonly counts: RatingCounts;
  /** Number of campaigns with their tasks. */
  readonly campaigns: number;
  /** Those of the campaign in which it is shown, if there are others. */
  readonly here?: Readonly<Record<Verdict, number>>;
}

/** A worker's record: their tasks in every imported campaign. */
export interface WorkerRecord extends ShownRecord {
  readonly id: WorkerId;
  readonly name?: string;
}

/** Who put a worker on a list, and when (ms). `by` absent: the worker was already on the marketplace's list. */
export const Listing = z.object({ by: MemberId.exactOptional(), at: z.number() }).readonly();
export type Listing = z.infer<typeof Listing>;

/** A worker on a mirrored list. */
export interface ListedWorker extends Listing {
  readonly worker: WorkerId;
}

/** A worker's tasks in one campaign. */
export interface WorkerInCampaign {
  readonly name: string;
  readonly counts: RatingCounts;
}

export const noTasks: RatingCounts = { NOTREVIEWED: 0, NOTRATED: 0, OK: 0, NOK: 0, REVISE: 0 };

/** The workers of a campaign. */
export type WorkersInCampaign = ReadonlyMap<WorkerId, WorkerInCampaign>;

/** Creates a tally of a campaign's workers, fed with all of its tasks. */
export function createWorkerTally() {
  const found = new Map<WorkerId, { name: string; counts: Record<Rating, number> }>();
  return {
    add(id: WorkerId, name: string, rating: Rating): void {
      const known = found.get(id);
      if (known === undefined) {
        found.set(id, { name, counts: { ...noTasks, [rating]: 1 } });
        return;
      }
      if (name !== '') known.name = name;
      known.counts[rating] += 1;
    },
    workers: (): WorkersInCampaign => found,
  };
}

/**
 * Returns a worker's record over several campaigns.
 * @param known the worker's tasks in each of them
 * @param here the campaign in which it is shown
 */
export function recordOf(
  id: WorkerId,
  known: ReadonlyMap<CampaignId, WorkerInCampaign>,
  here?: CampaignId,
): WorkerRecord {
  const counts = { ...noTasks };
  let name = '';
  for (const worker of known.values()) {
    if (worker.name !== '') name = worker.name;
    for (const rating of ratings) counts[rating] += worker.counts[rating];
  }
  return {
    id,
    ...(name === '' ? {} : { name }),
    counts,
    campaigns: known.size,
    ...(here === undefined || known.size < 2 ? {} : { here: ratedOf(known.get(here)?.counts ?? noTasks) }),
  };
}

function ratedOf({ OK, NOK, REVISE }: RatingCounts): NonNullable<ShownRecord['here']> {
  return { OK, NOK, REVISE };
}

/** Replaces the hidden part of an address. */
const hidden = '…';
/** Maximum length of an address: an IPv6 address with an IPv4 address in it, and a zone. */
const longest = 64;

/**
 * Masks an IP address, which is personal data: IPv4 without its last part (`203.0.113.…`), IPv6 without the part after
 * the first 64 bits (`2001:db8:0:1:…`), which all devices of one household share. The last part of an IPv4 address
 * inside IPv6 (mapped, 6to4) is hidden too. Of invalid addresses nothing is shown. Only the first characters are read,
 * so that a text of a megabyte costs no more than an address.
 */
export function maskIp(ip: string): string {
  const text = ip.slice(0, longest).trim();
  if (text === '') return '';
  if (ip.length > longest) return hidden;
  const v4 = parseV4(text);
  if (v4 !== undefined) return maskedV4(v4);
  const groups = parseV6(text);
  if (groups === undefined) return hidden;
  const [first = 0, second = 0, third = 0] = groups;
  if (isMapped(groups)) return maskedV4([...bytesOf(groups[6]), ...bytesOf(groups[7])]);
  if (first === 0x2002) return maskedV4([...bytesOf(second), ...bytesOf(third)]);
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}:${hidden}`;
}

/** Returns whether an IPv6 address contains a mapped IPv4 one: `::ffff:203.0.113.7`. */
function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
}

function bytesOf(group = 0): [number, number] {
  return [group >> 8, group & 0xff];
}

function maskedV4(parts: readonly number[]): string {
  return `${parts.slice(0, 3).join('.')}.${hidden}`;
}

function parseV4(text: string): number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const numbers = parts.map((part) => (/^\d{1,3}$/u.test(part) ? Number(part) : Number.NaN));
  return numbers.every((number) => number <= 255) ? numbers : undefined;
}

/** Parses an IPv6 address into eight groups, or returns undefined. A zone (`%eth0`) is dropped. */
function parseV6(text: string): number[] | undefined {
  const [address = ''] = text.split('%', 1);
  if (!/^[\da-f:.]+$/iu.test(address) || !URL.canParse(`http://[${address}]`)) return undefined;
  // As the host of an address it has only groups, and at most one `::`.
  const halves = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = halves.map((half) =>
    half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16)),
  );
  const [before = [], after = []] = groups;
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/**
 * Returns an address in canonical spelling, and its network: the first 24 bits for IPv4, the first 48 for IPv6.
 * Undefined if the text is no address.
 */
export function networkOf(ip: string): { readonly address: string; readonly network: string } | undefined {
  if (ip.length > longest) return undefined;
  const text = ip.trim();
  const v4 = parseV4(text);
  if (v4 !== undefined) return networkOfV4(v4);
  const groups = parseV6(text);
  if (groups === undefined) return undefined;
  if (isMapped(groups)) return networkOfV4([...bytesOf(groups[6]), ...bytesOf(groups[7])]);
  const hex = groups.map((group) => group.toString(16));
  return { address: hex.join(':'), network: `${hex.slice(0, 3).join(':')}::/48` };
}

function networkOfV4(parts: readonly number[]) {
  return { address: parts.join('.'), network: `${parts.slice(0, 3).join('.')}.0/24` };
}
