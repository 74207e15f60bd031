import type {
  ActResult,
  Block,
  Option,
  OptionsResult,
  SubmitResult,
  View,
} from '../../src/sandbox/slack/index.ts';
import { elementsOf, type Found } from '../../src/sandbox/slack/index.ts';
import { noteLabel } from './endpoint-usage.ts';
import type { SandboxClient } from './slack-client.ts';
import { type Names, visibleText } from './visible-text.ts';

/** A modal (or home) that a person sees. */
export type SeenView = {
  id: string;
  view: View;
  title: string;
  /** The title and all readable text. */
  text: string;
  buttons: string[];
  /** Types into a text input, by its label. */
  fill: (label: string, text: string) => Promise<void>;
  /** Chooses in a select, radio buttons, checkboxes, a date picker…, by its label and the options' texts. */
  select: (label: string, choice: string | number | string[]) => Promise<void>;
  /** Types into an external select. Returns the offered options. */
  types: (label: string, query: string) => Promise<Option[]>;
  /** Attaches uploaded files (`person.uploads`) to a file input. */
  attach: (label: string, fileIds: string[]) => Promise<void>;
  clicks: (button: string) => Promise<ActResult>;
  /** Presses the submit button. Returns errors by the input's label. */
  submit: () => Promise<SubmitResult>;
  /** Cancels this modal, or the whole stack with `all` (the cross in the corner). */
  close: (options?: { all?: boolean }) => Promise<ActResult>;
  /** Reads the view again, and keeps the input. */
  refresh: () => Promise<SeenView>;
  until: (holds: (view: SeenView) => boolean, timeoutMs?: number) => Promise<SeenView>;
  untilText: (pattern: RegExp, timeoutMs?: number) => Promise<SeenView>;
  /** Returns false once it is closed. */
  isOpen: () => Promise<boolean>;
};

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'text' in value ? String(value.text) : '';

/** Returns the names of an element: its block's label or text, its own text or placeholder, and its action id. */
const namesOf = ({ block, element }: Found): string[] =>
  [
    textOf(block.label),
    textOf(element.text),
    textOf(element.placeholder),
    textOf(block.text),
    String(element.action_id),
  ].filter((name) => name !== '');

/** Returns the element with this name, preferring an exact match to one that only contains it. */
export function elementNamed(blocks: Block[], name: string, kind: (type: string) => boolean): Found {
  const all = elementsOf(blocks).filter(({ element }) => kind(element.type));
  const found =
    all.find((one) => namesOf(one).includes(name)) ??
    all.find((one) => namesOf(one).some((known) => known.includes(name)));
  if (found === undefined) {
    const known = all.map((one) => namesOf(one)[0]).join(', ');
    throw new Error(`There is nothing called "${name}" here. There is: ${known || 'nothing'}`);
  }
  return found;
}

export const isButton = (type: string): boolean => type === 'button' || type.endsWith('_button');

/** Returns the labels of the buttons that a person can click. */
export const buttonsOf = (blocks: Block[]): string[] =>
  elementsOf(blocks).flatMap(({ element }) => (isButton(element.type) ? [textOf(element.text)] : []));

export function seenView(
  client: SandboxClient,
  user: string,
  first: View,
  load: () => Promise<View | undefined>,
  names: Names,
): SeenView {
  const values: Record<string, Record<string, unknown>> = {};

  const put = async (found: Found, value: unknown): Promise<void> => {
    const blockId = String(found.block.block_id);
    const actionId = String(found.element.action_id);
    // Elements outside inputs, or with dispatch_action, notify the app immediately.
    if (found.block.type !== 'input' || found.block.dispatch_action === true) {
      await client.act('click', {
        user,
        view_id: seen.id,
        block_id: blockId,
        action_id: actionId,
        value,
        values,
      });
    }
    values[blockId] = { ...values[blockId], [actionId]: value };
  };

  const offered = async (found: Found, query: string): Promise<Option[]> => {
    const answer = await client.act<OptionsResult>('options', {
      user,
      view_id: seen.id,
      block_id: found.block.block_id,
      action_id: found.element.action_id,
      value: query,
    });
    if (!answer.ok) throw new Error(`No options came for "${query}": ${answer.error}`);
    return [...(answer.options ?? []), ...(answer.option_groups ?? []).flatMap((group) => group.options)];
  };

  const input = (label: string): Found => elementNamed(seen.view.blocks, label, (type) => !isButton(type));

  const choose = async (found: Found, choice: string | number): Promise<unknown> => {
    if (!found.element.type.endsWith('external_select')) return choice;
    const options = await offered(found, String(choice));
    const option = options.find(({ text, value }) => text.text === choice || value === choice);
    if (option === undefined)
      throw new Error(
        `"${choice}" is not offered; offered: ${options.map(({ text }) => text.text).join(', ')}`,
      );
    return option;
  };

  const take = (view: View): SeenView => {
    // The content of replaced inputs is lost.
    const there = new Set(view.blocks.map(({ block_id: id }) => String(id)));
    for (const blockId of Object.keys(values)) if (!there.has(blockId)) delete values[blockId];
    const title = view.title?.text ?? '';
    return Object.assign(seen, {
      id: view.id,
      view,
      title,
      text: [title, visibleText(view.blocks, names)].join('\n'),
      buttons: buttonsOf(view.blocks),
    });
  };

  const seen: SeenView = {
    id: first.id,
    view: first,
    title: '',
    text: '',
    buttons: [],
    fill: (label, text) => put(input(label), text),
    select: async (label, choice) => {
      const found = input(label);
      const choices = await Promise.all(
        (Array.isArray(choice) ? choice : [choice]).map((one) => choose(found, one)),
      );
      await put(found, Array.isArray(choice) ? choices : choices[0]);
    },
    types: (label, query) => offered(input(label), query),
    attach: (label, fileIds) => put(input(label), fileIds),
    clicks: (button) => {
      const { block, element } = elementNamed(seen.view.blocks, button, isButton);
      noteLabel(element);
      return client.act('click', {
        user,
        view_id: seen.id,
        block_id: block.block_id,
        action_id: element.action_id,
        values,
      });
    },
    submit: async () => {
      noteLabel({ action_id: seen.view.callback_id, text: seen.view.submit });
      const result = await client.act<SubmitResult>('submit', { user, view_id: seen.id, values });
      if (result.errors === undefined) return result;
      const labels = new Map(seen.view.blocks.map((block) => [block.block_id, textOf(block.label)]));
      return {
        ...result,
        errors: Object.fromEntries(
          Object.entries(result.errors).map(([id, text]) => [labels.get(id) || id, text]),
        ),
      };
    },
    close: (options = {}) => client.act('close', { user, view_id: seen.id, ...options }),
    refresh: async () => {
      const view = await load();
      if (view === undefined) throw new Error(`"${seen.title}" is not open any more`);
      return take(view);
    },
    until: (holds, timeoutMs) =>
      client.waitFor(
        async () => {
          const view = await load();
          if (view === undefined) throw new Error(`"${seen.title}" was closed meanwhile`);
          return holds(take(view)) ? seen : undefined;
        },
        () => `What was waited for did not come. The view reads:\n${seen.text}`,
        timeoutMs,
      ),
    untilText: (pattern, timeoutMs) => seen.until((view) => pattern.test(view.text), timeoutMs),
    isOpen: async () => (await load()) !== undefined,
  };
  return take(first);
}
