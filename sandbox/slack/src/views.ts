import { carriedState, initialState, withIds } from './elements.ts';
import type { Block, PlainText, View } from './model.ts';
import { APP_ID, BOT_ID } from './seed.ts';
import { newId, type World } from './world.ts';

/** A view as an app sends it, already validated. */
export type ViewInput = {
  type: 'modal' | 'home';
  blocks: Block[];
  callback_id?: string;
  external_id?: string;
  private_metadata?: string;
  title?: PlainText;
  submit?: PlainText;
  close?: PlainText;
  clear_on_close?: boolean;
  notify_on_close?: boolean;
};

/** The maximum number of modals in a stack. */
export const MAX_STACK = 3;

let hashes = 0;
const newHash = (): string => {
  hashes += 1;
  return `${Math.floor(Date.now() / 1000)}.${hashes.toString(36).padStart(6, '0')}`;
};

const contentOf = (input: ViewInput, blocks: Block[]) => ({
  type: input.type,
  callback_id: input.callback_id ?? '',
  external_id: input.external_id ?? '',
  private_metadata: input.private_metadata ?? '',
  title: input.title ?? null,
  submit: input.submit ?? null,
  close: input.close ?? null,
  blocks,
  clear_on_close: input.clear_on_close ?? false,
  notify_on_close: input.notify_on_close ?? false,
  errors: {},
});

/** Returns a new view for a person. `previous` is the one below it in the stack. */
export function newView(user: string, input: ViewInput, previous?: View): View {
  const id = newId('V');
  const blocks = withIds(input.blocks, id.slice(-4));
  return {
    id,
    user,
    ...contentOf(input, blocks),
    state: { values: initialState(blocks) },
    hash: newHash(),
    root_view_id: previous?.root_view_id ?? id,
    previous_view_id: previous?.id ?? null,
  };
}

/** Replaces the content of an open view. Input is kept where block and action ids are the same. */
export function replaceView(world: World, view: View, input: ViewInput): void {
  const blocks = withIds(input.blocks, view.id.slice(-4));
  Object.assign(view, contentOf(input, blocks), {
    state: { values: carriedState(blocks, view.state.values) },
    hash: newHash(),
  });
  world.changed({ what: view.type === 'home' ? 'home' : 'view', user: view.user, view_id: view.id });
}

/** Opens a modal as the only one in the stack. */
export function openModal(world: World, user: string, input: ViewInput): View {
  const view = newView(user, input);
  world.views.set(user, [view]);
  world.changed({ what: 'view', user, view_id: view.id });
  return view;
}

/** Pushes a modal on the stack. Returns undefined if there are already three. */
export function pushModal(world: World, user: string, input: ViewInput): View | undefined {
  const stack = world.views.get(user) ?? [];
  if (stack.length >= MAX_STACK) return undefined;
  const view = newView(user, input, stack.at(-1));
  world.views.set(user, [...stack, view]);
  world.changed({ what: 'view', user, view_id: view.id });
  return view;
}

/** Closes a modal and those above it, or the whole stack with `all`. Returns the closed modals, top first. */
export function closeModal(world: World, view: View, all = false): View[] {
  const stack = world.views.get(view.user) ?? [];
  const from = all ? 0 : stack.indexOf(view);
  if (from === -1) return [];
  world.views.set(view.user, stack.slice(0, from));
  world.changed({ what: 'view', user: view.user, view_id: view.id });
  return stack.slice(from).reverse();
}

/** Returns a copy of a view, in the shape of the Web API and payloads. */
export function apiView(world: World, view: View): Record<string, unknown> {
  const { user: _user, errors: _errors, ...rest } = view;
  return structuredClone({
    ...rest,
    team_id: world.team.id,
    app_id: APP_ID,
    bot_id: BOT_ID,
    app_installed_team_id: world.team.id,
  });
}
