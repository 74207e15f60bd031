/** Returns a stream of numbers determined by a seed, so that the corpus is the same on every machine. */
export function seededRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number) => Math.floor(next() * count);
  const pick = <T>(items: readonly T[]): T => {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };
  return { next, below, pick };
}

export type SeededRandom = ReturnType<typeof seededRandom>;

const places =
  'market school bridge station library harbor mosque church park office bakery pharmacy stadium clinic garden'.split(
    ' ',
  );
const things =
  'app chart button legend list screen menu price label shelf packet receipt form page photo code answer question video sound battery phone keyboard map filter search cart coupon profile comment'.split(
    ' ',
  );
const adjectives =
  'slow small bright broken empty wrong missing blurred confusing helpful quick nice expensive old new hidden double loud clear strange'.split(
    ' ',
  );
const verbs =
  'opened closed tried checked found counted bought typed scrolled rotated restarted installed removed compared watched waited tapped saved lost reported'.split(
    ' ',
  );
const people =
  'my sister|a neighbor|the cashier|my son|two friends|nobody|the owner|an old man|the driver'.split('|');
const times =
  'on Monday|this morning|after lunch|around noon|at nine|last night|before work|on the way home|in the rain|twice'.split(
    '|',
  );

/** The sentence patterns of honest workers. */
const sentences: readonly ((random: SeededRandom) => string)[] = [
  (r) =>
    `I ${r.pick(verbs)} the ${r.pick(things)} ${r.pick(times)} and the ${r.pick(things)} was ${r.pick(adjectives)}.`,
  (r) =>
    `${capital(r.pick(people))} ${r.pick(verbs)} a ${r.pick(adjectives)} ${r.pick(things)} near the ${r.pick(places)}, ${r.pick(times)}.`,
  (r) =>
    `The ${r.pick(adjectives)} ${r.pick(things)} next to the ${r.pick(places)} costs ${r.below(90) + 10}.${r.below(90) + 10} now`,
  (r) =>
    `${capital(r.pick(things))} is ${r.pick(adjectives)}, ${r.pick(things)} is ${r.pick(adjectives)} at the ${r.pick(places)}`,
  (r) =>
    `When ${r.pick(people)} ${r.pick(verbs)} the ${r.pick(things)}, only ${r.below(20) + 2} ${r.pick(things)}s stayed`,
  (r) =>
    `Version ${r.below(9)}.${r.below(30)}: ${r.pick(things)} ${r.pick(adjectives)} since the ${r.pick(things)} update!`,
  (r) => `we walked ${r.below(50) + 3} minutes from the ${r.pick(places)} to the ${r.pick(places)}`,
  (r) =>
    `Honestly the ${r.pick(things)} could be less ${r.pick(adjectives)}; ${r.pick(people)} said so ${r.pick(times)}`,
];

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns what an honest worker writes: one to five sentences. */
export function honestText(random: SeededRandom): string {
  const count = 1 + random.below(5);
  const made = Array.from({ length: count }, () => random.pick(sentences)(random));
  return made.join(random.pick([' ', '\n', ' ', '. ']));
}

const twins: Readonly<Record<string, string>> = {
  a: 'а',
  c: 'с',
  e: 'е',
  i: 'і',
  o: 'ο',
  p: 'р',
  x: 'х',
  y: 'у',
  s: 'ѕ',
};
const greetings = ['Hi, ', 'Done. ', 'Hello sir: ', 'ok ', '>> ', 'My answer: '];
const closings = [' thank you', ' Thanks!!', ' pls rate', ' :)', ' done'];

/** The ways in which copyists disguise a text. */
export const disguises: Readonly<Record<string, (text: string, random: SeededRandom) => string>> = {
  none: (text) => text,
  case: (text) => text.toUpperCase(),
  punctuation: (text, r) => text.replace(/[.,;:!]/gu, () => r.pick(['', '!', ' - ', '...'])),
  spaces: (text, r) => text.replace(/ /gu, () => r.pick([' ', '  ', '\n', '\u00a0'])),
  homoglyphs: (text, r) =>
    text.replace(/[a-z]/gu, (letter) => (r.next() < 0.5 ? (twins[letter] ?? letter) : letter)),
  'zero-width': (text, r) =>
    [...text]
      .map((letter) =>
        r.next() < 0.3 ? `${letter}${r.pick(['\u200b', '\u2060', '\u202e', '\u00ad'])}` : letter,
      )
      .join(''),
  'full-width': (text) =>
    text.replace(/[a-z]/gu, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  greeting: (text, r) => `${r.pick(greetings)}${text}${r.pick(closings)}`,
  'one word': (text, r) => replacedWords(text, r, 1),
  'some words': (text, r) => replacedWords(text, r, 1 + Math.floor(text.split(' ').length / 12)),
  typos: (text, r) => {
    let typed = text;
    for (let count = 0; count < 1 + text.length / 60; count += 1) {
      const at = 1 + r.below(typed.length - 2);
      typed = typed.slice(0, at) + typed.charAt(at + 1) + typed.charAt(at) + typed.slice(at + 2);
    }
    return typed;
  },
  order: (text) => {
    const parts = text.split(/(?<=[.!\n]) /u);
    return [...parts.slice(1), ...parts.slice(0, 1)].join(' ');
  },
};

function replacedWords(text: string, random: SeededRandom, count: number): string {
  const words = text.split(' ');
  for (let done = 0; done < count; done += 1)
    words[random.below(words.length)] = random.pick([...adjectives, ...things]);
  return words.join(' ');
}

/** A text of the corpus; a copy names its original and its disguise. */
export interface CorpusText {
  readonly text: string;
  readonly copyOf?: number;
  readonly disguise?: string;
}

/** Returns texts of honest workers, mixed with copies of earlier ones under each disguise. */
export function textCorpus(seed: number, honest: number, copies: number): CorpusText[] {
  const random = seededRandom(seed);
  const texts: CorpusText[] = Array.from({ length: honest }, () => ({ text: honestText(random) }));
  const names = Object.keys(disguises);
  for (let index = 0; index < copies; index += 1) {
    const copyOf = random.below(honest);
    const disguise = names[index % names.length] ?? 'none';
    const source = texts[copyOf]?.text ?? '';
    const disguised = disguises[disguise]?.(source, random) ?? source;
    texts.push({ text: disguised, copyOf, disguise });
  }
  return texts;
}
