import { ANY_BLOCK } from './blocks.ts';
import { ID, plain } from './composition.ts';
import {
  bool,
  type Context,
  isObject,
  lengthOf,
  list,
  literal,
  must,
  opt,
  type Problem,
  type Rule,
  req,
  shape,
  text,
} from './rules.ts';

export { blockTypes } from './blocks.ts';
export { elementTypes } from './elements.ts';
export type { Problem } from './rules.ts';

export type ImageFile = Context['imageFile'];

const MESSAGE_BLOCKS = 50;
const VIEW_BLOCKS = 100;
/** The maximum total length of the text in a message's blocks. */
const MESSAGE_TEXT = 13_000;

/** Block ids must be unique. */
const uniqueBlockIds: Rule = (value, path) => {
  const seen = new Set<unknown>();
  return (Array.isArray(value) ? value : []).flatMap((block, index): Problem[] => {
    const id = isObject(block) ? block.block_id : undefined;
    if (id === undefined) return [];
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [{ path: `${path}/${index}/block_id`, message: `block_id already exists: ${JSON.stringify(id)}` }];
  });
};

const atMost =
  (type: string, max: number): Rule =>
  (value, path) => {
    const count = (Array.isArray(value) ? value : []).filter(
      (block) => isObject(block) && block.type === type,
    ).length;
    return count > max ? [{ path, message: `no more than ${max} ${type} blocks allowed` }] : [];
  };

const all =
  (...rules: Rule[]): Rule =>
  (value, path, context) =>
    rules.flatMap((rule) => rule(value, path, context));

const MESSAGE = all(
  list(ANY_BLOCK, MESSAGE_BLOCKS, 0),
  uniqueBlockIds,
  atMost('table', 1),
  atMost('data_visualization', 2),
);

const VIEW_CONTENT = all(list(ANY_BLOCK, VIEW_BLOCKS, 0), uniqueBlockIds);

const COMMON = {
  blocks: req(VIEW_CONTENT),
  callback_id: opt(text(255, 0)),
  external_id: opt(text(255, 0)),
  private_metadata: opt(text(3000, 0)),
};

const MODAL = shape(
  {
    ...COMMON,
    blocks: req(VIEW_CONTENT),
    external_id: opt(ID),
    title: req(plain(24)),
    submit: opt(plain(24)),
    close: opt(plain(24)),
    clear_on_close: opt(bool),
    notify_on_close: opt(bool),
    submit_disabled: opt(bool),
  },
  must(
    'missing required field: submit (a view with input blocks needs it)',
    (view) => view.submit != null || !hasInput(view.blocks),
  ),
);

const HOME = shape({ ...COMMON, title: opt(plain(24)) });

function hasInput(blocks: unknown): boolean {
  return (Array.isArray(blocks) ? blocks : []).some(
    (block) => isObject(block) && (block.type === 'input' || hasInput(block.child_blocks)),
  );
}

/** Returns the problems of a message's blocks, with paths that start with `path`. */
export function checkMessage(blocks: unknown, imageFile: ImageFile, path = '/blocks'): Problem[] {
  return MESSAGE(blocks, path, { surface: 'message', imageFile });
}

/** Returns the problems of a modal or home, with paths that start with `/view`. */
export function checkView(view: unknown, imageFile: ImageFile): Problem[] {
  if (!isObject(view)) return [{ path: '/view', message: 'must provide an object' }];
  const type = literal('modal', 'home')(view.type, '/view/type', { surface: 'modal', imageFile });
  if (type.length > 0) return type;
  return view.type === 'modal'
    ? MODAL(view, '/view', { surface: 'modal', imageFile })
    : HOME(view, '/view', { surface: 'home', imageFile });
}

/** Returns whether a message's blocks contain too much text. */
export function isTooLong(blocks: unknown): boolean {
  return shownCharacters(blocks) > MESSAGE_TEXT;
}

function shownCharacters(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + shownCharacters(part), 0);
  if (!isObject(value)) return 0;
  let sum = 0;
  for (const [name, part] of Object.entries(value)) {
    if (name === 'text' && typeof part === 'string') sum += lengthOf(part);
    else if (typeof part === 'object') sum += shownCharacters(part);
  }
  return sum;
}

/** Formats problems as Slack does in `response_metadata.messages`. */
export function problemMessages(problems: Problem[]): string[] {
  return problems.map(({ path, message }) => `[ERROR] ${message} [json-pointer:${path}]`);
}
