import { normalizeSpace } from './text.ts';

interface Titled {
  readonly id: string;
  readonly title: string;
}

const quotes = /["'“”„‟«»‘’‚‛‹›`´′″ʼ＂＇]/gu;

/** Returns a text as titles are compared: any quote for any other, none around it, no case, NFC. */
export function titleKey(text: string): string {
  const alike = normalizeSpace(text.normalize('NFC').toLowerCase().replace(quotes, "'")).normalize('NFC');
  return /^'(.*)'$/u.exec(alike)?.[1]?.trim() ?? alike;
}

/**
 * Returns the campaigns that somebody means by an id, a title or a part of one: whole titles before parts, otherwise in
 * the given order. `only`: the one that it can only mean.
 */
export function searchCampaigns<T extends Titled>(
  campaigns: readonly T[],
  typed: string,
): { readonly found: readonly T[]; readonly only?: T | undefined } {
  const wanted = titleKey(typed);
  const byId = campaigns.find(({ id }) => id === typed.trim());
  if (byId !== undefined) return { found: [byId], only: byId };
  const parts = campaigns.filter(
    (one) => one.id.toLowerCase() === wanted || titleKey(one.title).includes(wanted),
  );
  const isWhole = (one: T) => titleKey(one.title) === wanted || one.id.toLowerCase() === wanted;
  const whole = parts.filter(isWhole);
  const [only, second] = whole.length > 0 ? whole : parts;
  return {
    found: [...whole, ...parts.filter((one) => !isWhole(one))],
    only: second === undefined ? only : undefined,
  };
}

interface Described extends Titled {
  readonly availablePositions?: number;
  /** Milliseconds since 1970. */
  readonly createdAt?: number;
}

/** Number of characters of a title that a select shows. */
const shownCharacters = 75;

/** Returns what tells a campaign from others whose titles read the same, in plain text; '' for a title of its own. */
export function tellApart<T extends Described>(campaigns: readonly T[]): (one: T) => string {
  const keyOf = ({ title }: T) => titleKey(title).slice(0, shownCharacters);
  const counts = new Map<string, number>();
  for (const one of campaigns) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return (one) => ((counts.get(keyOf(one)) ?? 0) > 1 ? campaignFacts(one) : '');
}

/** Returns when a campaign was created, its positions and its id, in plain text. */
export function campaignFacts({ id, availablePositions: positions, createdAt }: Described): string {
  const day = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  return [
    ...(createdAt === undefined ? [] : [`created ${new Date(createdAt).toLocaleDateString('en-US', day)}`]),
    ...(positions === undefined
      ? []
      : [`${positions.toLocaleString('en')} ${positions === 1 ? 'position' : 'positions'}`]),
    id,
  ].join(' · ');
}
