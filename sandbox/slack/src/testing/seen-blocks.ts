import { type Block, elementsOf, type Found, type View } from '../index.ts';
import { readMrkdwn } from './visible-text.ts';

type StateValues = View['state']['values'];

/** A check box, or one of several. */
export interface Box {
  readonly label: string;
  readonly isTicked: boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

export const textOf = (value: unknown): string =>
  isObject(value) && 'text' in value ? String(value.text) : '';

/** Action ids that others rely on, so that a test may name a button by them. */
const contractActions = new Set(['task.ok', 'task.revise', 'task.nok']);

/** Returns the names of an element: its own text or placeholder, and its block's label or text. */
const namesOf = ({ block, element }: Found) => ({
  own: [
    textOf(element.text),
    textOf(element.placeholder),
    contractActions.has(String(element.action_id)) ? String(element.action_id) : '',
  ].filter((name) => name !== ''),
  row: [textOf(block.label), textOf(block.text)].filter((name) => name !== ''),
});

/** Returns what a person would call an element first. */
const nameOf = (found: Found): string => {
  const { own, row } = namesOf(found);
  return textOf(found.block.label) || (own[0] ?? row[0] ?? '');
};

/** Returns the element with this name, or whose own text begins so (“OK” is not “Undo OK”), or whose row mentions it. */
export function elementNamed(blocks: Block[], name: string, kind: (type: string) => boolean): Found {
  const all = elementsOf(blocks).filter(({ element }) => kind(element.type));
  const named = (matches: (names: ReturnType<typeof namesOf>) => boolean) =>
    all.find((one) => matches(namesOf(one)));
  const found =
    name === '…'
      ? all.find(({ element }) => element.type === 'overflow')
      : (named(({ own, row }) => [...row, ...own].includes(name)) ??
        named(({ own, row }) =>
          [...own.map((text) => text.startsWith(name)), ...row.map((text) => text.includes(name))].includes(
            true,
          ),
        ));
  if (found === undefined) {
    const known = all.map((one) => nameOf(one)).join(', ');
    throw new Error(`There is nothing called "${name}" here. There is: ${known || 'nothing'}`);
  }
  return found;
}

/** Returns the button with this name in the row of a list that mentions something. */
export function buttonBeside(blocks: Block[], name: string, mentioned: string): Found {
  const reads = (block: Block) => readMrkdwn(textOf(block.text)).replaceAll('\u2060', '');
  const row = blocks.filter((block) => reads(block).includes(mentioned));
  if (row.length === 0) throw new Error(`No row mentions "${mentioned}"`);
  return elementNamed(row, name, isButton);
}

export const isButton = (type: string): boolean => type === 'button' || type.endsWith('_button');

/** Returns the labels of the buttons that a person can click. */
export const buttonsOf = (blocks: Block[]): string[] =>
  elementsOf(blocks).flatMap(({ element }) => (isButton(element.type) ? [textOf(element.text)] : []));

const optionsIn = (element: Block): Record<string, unknown>[] =>
  [
    ...(Array.isArray(element.options) ? element.options : []),
    ...(Array.isArray(element.option_groups) ? element.option_groups : []).flatMap((group) =>
      isObject(group) && Array.isArray(group.options) ? (group.options as unknown[]) : [],
    ),
  ].filter(isObject);

/** Returns what a select, a menu, radio buttons or check boxes offer. */
export const choicesOf = ({ element }: Found): string[] => optionsIn(element).map(({ text }) => textOf(text));

/** Returns the check boxes, top to bottom. */
export const boxesOf = (blocks: Block[], values: StateValues): (Box & { readonly found: Found })[] =>
  elementsOf(blocks)
    .filter(({ element }) => element.type === 'checkboxes')
    .flatMap((found) => {
      const ticked = new Set(contentsOf(found, values));
      return choicesOf(found).map((label) => ({ label, isTicked: ticked.has(label), found }));
    });

/** Returns what stands in an input, or is chosen in it. */
export function contentsOf({ block, element }: Found, values: StateValues): string[] {
  const state = values[String(block.block_id)]?.[String(element.action_id)] ?? {};
  return Object.entries(state)
    .filter(([field]) => field !== 'type')
    .flatMap(([, value]) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter((value) => value !== null && value !== undefined)
    .map((value) => {
      if (typeof value === 'string') return value;
      const named = isObject(value) ? textOf(value.text) || value.name : undefined;
      return typeof named === 'string' && named !== '' ? named : JSON.stringify(value);
    });
}

/** Returns what stands in all inputs, a line each. */
export const fieldsOf = (blocks: Block[], values: StateValues): string =>
  elementsOf(blocks)
    .flatMap((found) => {
      const contents = contentsOf(found, values);
      const name = nameOf(found);
      return contents.length === 0 ? [] : [`${name}: ${contents.join(', ')}`];
    })
    .join('\n');

/** What a press tells the app. */
export interface Press {
  readonly action_id: string;
  readonly block_id: string;
  readonly value: string;
}

/** Returns what pressing a button or choosing an entry of a menu would tell the app. */
export function pressesOf(blocks: Block[]): ReadonlyMap<string, Press> {
  const presses = elementsOf(blocks).flatMap(({ block, element }): [string, Press][] => {
    const place = { action_id: String(element.action_id), block_id: String(block.block_id) };
    if (isButton(element.type)) return [[textOf(element.text), { ...place, value: String(element.value) }]];
    if (element.type !== 'overflow') return [];
    return optionsIn(element).map((option) => {
      // An entry's value begins with the name of its act.
      const [act = '', ...rest] = String(option.value).split(' ');
      return [
        textOf(option.text),
        { ...place, action_id: `${place.action_id}.${act}`, value: rest.join(' ') },
      ];
    });
  });
  return new Map(presses.toReversed());
}

/** Returns every object inside the blocks, at any depth. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return isObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}

/** Returns the descriptions of the pictures shown. */
export const picturesOf = (blocks: Block[]): string[] =>
  objectsIn(blocks)
    .filter(({ type }) => type === 'image')
    .map(({ alt_text: described }) => String(described));

/** Returns the addresses that a person can follow. */
export const linksOf = (blocks: Block[]): string[] =>
  objectsIn(blocks).flatMap(({ type, url, text }) => [
    ...(typeof url === 'string' ? [url] : []),
    ...(type === 'mrkdwn' && typeof text === 'string'
      ? [...text.matchAll(/<(https?:[^|>]+)/g)].map(([, address = '']) => address)
      : []),
  ]);

/** Returns whom a message or view notifies: `@channel`, `@here`, the ids of people and groups. */
export function pingsOf(blocks: Block[], texts: readonly string[] = []): string[] {
  const parts = objectsIn(blocks);
  const written = parts.flatMap(({ type, text }) =>
    (type === 'mrkdwn' || type === 'markdown') && typeof text === 'string' ? [text] : [],
  );
  const inRichText = parts.flatMap(({ type, range, user_id: user, usergroup_id: group }) =>
    type === 'broadcast' || type === 'user' || type === 'usergroup'
      ? [`@${String(range ?? user ?? group)}`]
      : [],
  );
  const found = [...written, ...texts].flatMap((text) =>
    [...text.matchAll(/<(?:!(?:subteam\^)?|@)(?!date)(\w+)/g)].map(([, whom]) => `@${whom}`),
  );
  return [...inRichText, ...found];
}
