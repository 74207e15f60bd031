import { checkView } from '../blockkit/index.ts';
import type { View } from '../model.ts';
import type { Trigger, Triggers } from '../tokens.ts';
import { apiView, newView, openModal, pushModal, replaceView, type ViewInput } from '../views.ts';
import { findView, type World } from '../world.ts';
import {
  type Args,
  imageFileIn,
  invalidBlocks,
  json,
  type Method,
  needStr,
  SlackApiError,
  str,
} from './method.ts';

/** The maximum size of a view as JSON. */
const MAX_VIEW_BYTES = 250 * 1024;

/** Returns the view that an app sent. Throws Slack's error if it is invalid. */
export function viewInput(world: World, value: unknown): ViewInput {
  if (value === undefined) throw new SlackApiError('invalid_arguments');
  const problems = checkView(value, imageFileIn(world));
  if (problems.length > 0) throw invalidBlocks(problems, 'invalid_arguments');
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_VIEW_BYTES) throw new SlackApiError('view_too_large');
  return value as ViewInput;
}

function modalInput(args: Args, world: World): ViewInput {
  const input = viewInput(world, json(args, 'view', 'invalid_arguments'));
  if (input.type !== 'modal') throw new SlackApiError('invalid_arguments');
  if (input.external_id !== undefined && findByExternalId(world, input.external_id) !== undefined)
    throw new SlackApiError('duplicate_external_id');
  return input;
}

/** Returns the trigger of a call, as long as it is valid. */
export function usable(triggers: Triggers, args: Args): { id: string; trigger: Trigger } {
  const id = needStr(args, 'trigger_id');
  const trigger = triggers.check(id);
  if (typeof trigger === 'string') throw new SlackApiError(trigger);
  return { id, trigger };
}

function findByExternalId(world: World, externalId: string): View | undefined {
  return [...world.views.values(), [...world.homes.values()]]
    .flat()
    .find((view) => view.external_id === externalId);
}

const COMMON = { scopes: [], token: 'bot', tier: 'tier4' } as const;

export const viewMethods: Record<string, Method> = {
  'views.open': {
    ...COMMON,
    run: (args, { world, triggers }) => {
      const { id, trigger } = usable(triggers, args);
      const input = modalInput(args, world);
      triggers.use(id);
      return { view: apiView(world, openModal(world, trigger.user, input)) };
    },
  },
  'views.push': {
    ...COMMON,
    run: (args, { world, triggers }) => {
      const { id, trigger } = usable(triggers, args);
      // Only an interaction inside an open modal can push another one.
      if (trigger.viewId === undefined || findView(world, trigger.viewId) === undefined)
        throw new SlackApiError('not_found');
      const view = pushModal(world, trigger.user, modalInput(args, world));
      if (view === undefined) throw new SlackApiError('push_limit_reached');
      triggers.use(id);
      return { view: apiView(world, view) };
    },
  },
  'views.update': {
    ...COMMON,
    run: (args, { world }) => {
      const id = str(args, 'view_id');
      const externalId = str(args, 'external_id');
      const view =
        id !== undefined
          ? findView(world, id)
          : externalId !== undefined
            ? findByExternalId(world, externalId)
            : undefined;
      if (view === undefined) throw new SlackApiError('not_found');
      const hash = str(args, 'hash');
      const input = viewInput(world, json(args, 'view', 'invalid_arguments'));
      if (hash !== undefined && hash !== view.hash) throw new SlackApiError('hash_conflict');
      if (input.type !== view.type) throw new SlackApiError('invalid_arguments');
      replaceView(world, view, input);
      return { view: apiView(world, view) };
    },
  },
  'views.publish': {
    ...COMMON,
    run: (args, { world }) => {
      const user = needStr(args, 'user_id');
      if (!world.users.some((person) => person.id === user && !person.is_bot))
        throw new SlackApiError('user_not_found');
      const input = viewInput(world, json(args, 'view', 'invalid_arguments'));
      if (input.type !== 'home') throw new SlackApiError('invalid_arguments');
      if (!world.app.home) throw new SlackApiError('not_enabled');
      const hash = str(args, 'hash');
      const before = world.homes.get(user);
      if (hash !== undefined && before !== undefined && hash !== before.hash)
        throw new SlackApiError('hash_conflict');
      if (before === undefined) {
        const home = newView(user, input);
        world.homes.set(user, home);
        world.changed({ what: 'home', user, view_id: home.id });
        return { view: apiView(world, home) };
      }
      replaceView(world, before, input);
      return { view: apiView(world, before) };
    },
  },
};
