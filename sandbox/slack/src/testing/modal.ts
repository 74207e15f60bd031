import type { ActResult, Found, Option, OptionsResult, SubmitResult, View } from '../index.ts';
import { pressed, type SandboxClient } from './client.ts';
import {
  type Box,
  boxesOf,
  buttonsOf,
  choicesOf,
  contentsOf,
  elementNamed,
  fieldsOf,
  isButton,
  linksOf,
  picturesOf,
  pingsOf,
  textOf,
} from './seen-blocks.ts';
import { type Names, visibleText } from './visible-text.ts';

/** A modal (or home) that a person sees. */
export type SeenView = {
  id: string;
  view: View;
  title: string;
  /** The title and all readable text. */
  text: string;
  buttons: string[];
  /** The text of the button that submits; '' if there is none. */
  submitLabel: string;
  /** The labels of the inputs. */
  inputs: string[];
  /** What stands in the inputs, a line each: `Bonus: 0.05`. */
  fields: string;
  boxes: Box[];
  /** The descriptions of the pictures. */
  pictures: string[];
  /** The addresses that can be followed. */
  links: string[];
  /** Whom its text would notify: `@channel`, `@U01ANN`. */
  pings: string[];
  /** Returns all that was sent to Slack for it, seen or not. */
  sent: () => string;
  /** Returns what stands in an input or is chosen in it; '' if nothing. */
  field: (label: string) => string;
  /** Returns what a select, a menu or radio buttons offer. */
  choices: (label: string) => string[];
  /** Types into a text input, by its label. */
  fill: (label: string, text: string) => Promise<void>;
  /** Types into several text inputs, by their labels. */
  fills: (texts: Readonly<Record<string, string>>) => Promise<void>;
  /**
   * Chooses in a select, radio buttons, checkboxes, a date picker…, by its label and the options' texts; in an overflow menu
   * by `…`.
   */
  select: (label: string, choice: string | number | string[]) => Promise<void>;
  /** Types into an external select. Returns the offered options. */
  types: (label: string, query: string) => Promise<Option[]>;
  /** Attaches uploaded files (`person.uploads`) to a file input. */
  attach: (label: string, fileIds: string[]) => Promise<void>;
  /** Ticks or unticks a box, by what stands next to it, or how that begins. */
  ticks: (label: string, is?: boolean) => Promise<void>;
  /** Presses a button, and waits until this view reads so, if a pattern is given. */
  clicks: (button: string, then?: RegExp) => Promise<ActResult>;
  /** Presses a button, and waits for the modal that reads so. */
  opens: (button: string, pattern: RegExp) => Promise<SeenView>;
  /** Presses the submit button, once these texts are filled in. Returns errors by the input's label. */
  submit: (texts?: Readonly<Record<string, string>>) => Promise<SubmitResult>;
  /** Submits, and waits for the modal that reads so, which may be this one. */
  next: (pattern: RegExp, texts?: Readonly<Record<string, string>>) => Promise<SeenView>;
  /** Cancels this modal, or the whole stack with `all` (the cross in the corner). */
  close: (options?: { all?: boolean }) => Promise<ActResult>;
  /** Reads the view again, and keeps the input. */
  refresh: () => Promise<SeenView>;
  until: (holds: (view: SeenView) => boolean, timeoutMs?: number) => Promise<SeenView>;
  untilText: (pattern: RegExp, timeoutMs?: number) => Promise<SeenView>;
  /** Returns false once it is closed. */
  isOpen: () => Promise<boolean>;
};

export function seenView(
  client: SandboxClient,
  user: string,
  first: View,
  {
    load,
    modal,
  }: {
    /** Returns this view as it is now. */
    readonly load: () => Promise<View | undefined>;
    readonly modal: (pattern: RegExp) => Promise<SeenView>;
  },
  names: Names,
): SeenView {
  const values: Record<string, Record<string, unknown>> = {};
  /** What external selects have offered for what was typed. */
  const typedFor: Option[] = [];

  const put = async (found: Found, value: unknown): Promise<void> => {
    const blockId = String(found.block.block_id);
    const actionId = String(found.element.action_id);
    // The app is told at once of elements outside inputs, or with dispatch_action.
    if (found.block.type === 'input' && found.block.dispatch_action !== true) {
      values[blockId] = { ...values[blockId], [actionId]: value };
      return;
    }
    pressed(found.element, value);
    await client.act('click', {
      user,
      view_id: seen.id,
      block_id: blockId,
      action_id: actionId,
      value,
      values,
    });
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
    const options = [
      ...(answer.options ?? []),
      ...(answer.option_groups ?? []).flatMap((group) => group.options),
    ];
    typedFor.push(...options);
    return options;
  };

  const input = (label: string): Found => elementNamed(seen.view.blocks, label, (type) => !isButton(type));

  const choose = async (found: Found, choice: string | number): Promise<unknown> => {
    if (!found.element.type.endsWith('external_select')) return choice;
    const isChosen = ({ text, value }: Option) => text.text === choice || value === choice;
    const before = typedFor.findLast(isChosen);
    if (before !== undefined) return before;
    const options = await offered(found, String(choice));
    const option = options.find(isChosen);
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
      submitLabel: view.submit?.text ?? '',
      inputs: view.blocks.filter(({ type }) => type === 'input').map(({ label }) => textOf(label)),
      fields: fieldsOf(view.blocks, view.state.values),
      boxes: boxesOf(view.blocks, view.state.values).map(({ label, isTicked }) => ({ label, isTicked })),
      pictures: picturesOf(view.blocks),
      links: linksOf(view.blocks),
      pings: pingsOf(view.blocks),
    });
  };

  const seen: SeenView = {
    id: first.id,
    view: first,
    title: '',
    text: '',
    buttons: [],
    submitLabel: '',
    inputs: [],
    fields: '',
    boxes: [],
    pictures: [],
    links: [],
    pings: [],
    sent: () => JSON.stringify(seen.view.blocks),
    field: (label) => contentsOf(input(label), seen.view.state.values).join(', '),
    choices: (label) => choicesOf(input(label)),
    fill: (label, text) => put(input(label), text),
    fills: async (texts) => {
      for (const [label, text] of Object.entries(texts)) await put(input(label), text);
    },
    select: async (label, choice) => {
      const found = input(label);
      const choices = await Promise.all(
        (Array.isArray(choice) ? choice : [choice]).map((one) => choose(found, one)),
      );
      await put(found, Array.isArray(choice) ? choices : choices[0]);
    },
    types: (label, query) => offered(input(label), query),
    attach: (label, fileIds) => put(input(label), fileIds),
    ticks: async (label, is = true) => {
      await seen.refresh();
      const boxes = boxesOf(seen.view.blocks, seen.view.state.values);
      const box =
        boxes.find((one) => one.label === label) ?? boxes.find((one) => one.label.startsWith(label));
      if (box === undefined)
        throw new Error(
          `No box is called "${label}"; there are: ${boxes.map((one) => one.label).join(', ')}`,
        );
      const others = contentsOf(box.found, seen.view.state.values).filter((one) => one !== box.label);
      await put(box.found, is ? [...others, box.label] : others);
    },
    clicks: async (button, then) => {
      const { block, element } = elementNamed(seen.view.blocks, button, isButton);
      pressed(element);
      const place = { block_id: block.block_id, action_id: element.action_id };
      const clicked = await client.act('click', { user, view_id: seen.id, ...place, values });
      if (then !== undefined) await seen.untilText(then);
      return clicked;
    },
    opens: async (button, pattern) => {
      if (seen.view.type === 'modal' && pattern.test(seen.text))
        throw new Error(`"${seen.title}" reads so already: ${pattern}`);
      await seen.clicks(button);
      return modal(pattern);
    },
    next: async (pattern, texts) => {
      await seen.submit(texts);
      const found = await modal(pattern);
      return found.id === seen.id ? take(found.view) : found;
    },
    submit: async (texts = {}) => {
      await seen.fills(texts);
      pressed({ action_id: seen.view.callback_id, text: seen.view.submit });
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
