import { lengthOf } from '../blockkit/rules.ts';
import { elementsOf, isBlankState } from '../elements.ts';
import { apiFile } from '../messages.ts';
import type { ActResult, ElementState, SlackFile, SubmitResult, View } from '../model.ts';
import type { ServerParts } from '../server-parts.ts';
import { apiView, closeModal, pushModal, replaceView } from '../views.ts';
import { SlackApiError } from '../web/method.ts';
import { viewInput } from '../web/views.ts';
import { findView, type World } from '../world.ts';
import type { Clicks } from './clicks.ts';
import { outcome } from './commands.ts';
import { ActError, interaction, personOf } from './payloads.ts';

export type Modals = {
  submit: (input: {
    user: string;
    view_id: string;
    values: Record<string, Record<string, unknown>>;
  }) => Promise<SubmitResult>;
  close: (input: { user: string; view_id: string; all?: boolean | undefined }) => Promise<ActResult>;
};

const REQUIRED = 'Please complete this required field.';

/**
 * Returns the errors that Slack's client finds before submitting. A blank required text passes: some clients send it, so
 * the app must check.
 */
function localErrors(view: View): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { block, element } of elementsOf(view.blocks)) {
    if (block.type !== 'input') continue;
    const blockId = String(block.block_id);
    const state = view.state.values[blockId]?.[String(element.action_id)];
    const value = state?.value;
    if (isBlankState(state)) {
      if (block.optional !== true) errors[blockId] = REQUIRED;
    } else if (typeof value === 'string') {
      const error = typedError(element, value);
      if (error !== undefined) errors[blockId] = error;
    } else if (typeof element.max_selected_items === 'number') {
      const chosen = Object.values(state ?? {}).find(Array.isArray);
      if (chosen !== undefined && chosen.length > element.max_selected_items)
        errors[blockId] = `Choose at most ${element.max_selected_items}.`;
    }
  }
  return errors;
}

function typedError(element: Record<string, unknown>, value: string): string | undefined {
  const length = lengthOf(value);
  const { min_length: min } = element;
  const max = typeof element.max_length === 'number' ? element.max_length : 3000;
  switch (element.type) {
    case 'plain_text_input':
      if (length > max) return `Use at most ${max} characters.`;
      return typeof min === 'number' && length < min ? `Use at least ${min} characters.` : undefined;
    case 'number_input': {
      const form = element.is_decimal_allowed === true ? /^-?\d+(\.\d+)?$/ : /^-?\d+$/;
      if (!form.test(value)) return 'Enter a valid number.';
      if (typeof element.min_value === 'string' && Number(value) < Number(element.min_value))
        return `Enter a number from ${element.min_value}.`;
      if (typeof element.max_value === 'string' && Number(value) > Number(element.max_value))
        return `Enter a number up to ${element.max_value}.`;
      return undefined;
    }
    case 'email_text_input':
      return /^\S+@\S+\.\S+$/.test(value) ? undefined : 'Enter a valid email address.';
    case 'url_text_input':
      return URL.canParse(value) ? undefined : 'Enter a valid URL.';
    default:
      return undefined;
  }
}

/** Returns state in the shape of payloads: files in Slack's shape, an empty text as null. */
function payloadState(state: ElementState): ElementState {
  if (Array.isArray(state.files)) return { ...state, files: (state.files as SlackFile[]).map(apiFile) };
  return state.value === '' ? { ...state, value: null } : state;
}

function submittedView(world: World, view: View): Record<string, unknown> {
  const values = Object.fromEntries(
    Object.entries(view.state.values).map(([blockId, actions]) => [
      blockId,
      Object.fromEntries(Object.entries(actions).map(([actionId, state]) => [actionId, payloadState(state)])),
    ]),
  );
  return { ...apiView(world, view), state: structuredClone({ values }) };
}

export function createModals(parts: ServerParts, clicks: Clicks): Modals {
  const { world, deliver, triggers, responseUrls } = parts;

  const modalOf = (userId: string, viewId: string): View => {
    const view = findView(world, viewId);
    if (view === undefined || view.user !== userId || view.type !== 'modal')
      throw new ActError('There is no such modal open');
    return view;
  };

  /** Returns response URLs for conversation selects with `response_url_enabled`. */
  const urlsOf = (view: View, user: string) =>
    elementsOf(view.blocks).flatMap(({ block, element }) => {
      if (element.response_url_enabled !== true) return [];
      const state = view.state.values[String(block.block_id)]?.[String(element.action_id)];
      const channel = state?.selected_conversation ?? state?.selected_channel;
      if (typeof channel !== 'string') return [];
      return [
        {
          block_id: block.block_id,
          action_id: element.action_id,
          channel_id: channel,
          response_url: responseUrls.issue({ channel, user }),
        },
      ];
    });

  const closed = async (view: View, cleared: boolean): Promise<ActResult> => {
    if (!view.notify_on_close) return { ok: true, acked: true, ms: 0 };
    return outcome(
      await deliver.once({
        kind: 'interactive',
        type: 'view_closed',
        acceptsPayload: false,
        payload: {
          type: 'view_closed',
          ...interaction(world, personOf(world, view.user)),
          view: apiView(world, view),
          is_cleared: cleared,
        },
      }),
    );
  };

  /** Carries out the app's response to a submission. Returns what the person sees. */
  const follow = (view: View, body: unknown): Omit<SubmitResult, keyof ActResult> & { error?: string } => {
    const answer = (body ?? {}) as { response_action?: string; errors?: unknown; view?: unknown };
    switch (answer.response_action) {
      case undefined:
        closeModal(world, view, view.clear_on_close);
        return {};
      case 'clear':
        closeModal(world, view, true);
        return { response_action: 'clear' };
      case 'errors': {
        const errors = (answer.errors ?? {}) as Record<string, string>;
        const inputs = view.blocks.filter((block) => block.type === 'input').map((block) => block.block_id);
        const unknown = Object.keys(errors).filter((blockId) => !inputs.includes(blockId));
        if (unknown.length > 0 || Object.keys(errors).length === 0)
          return { error: `The errors name no input block: ${unknown.join(', ') || 'none given'}` };
        view.errors = errors;
        world.changed({ what: 'view', user: view.user, view_id: view.id });
        return { response_action: 'errors', errors };
      }
      case 'update':
        replaceView(world, view, viewInput(world, answer.view));
        return { response_action: 'update' };
      case 'push':
        if (pushModal(world, view.user, viewInput(world, answer.view)) === undefined)
          return { error: 'push_limit_reached' };
        return { response_action: 'push' };
      default:
        return { error: `There is no response_action "${answer.response_action}"` };
    }
  };

  return {
    submit: async ({ user: userId, view_id: viewId, values }) => {
      const user = personOf(world, userId);
      const view = modalOf(user.id, viewId);
      clicks.fill(view, values);
      const errors = localErrors(view);
      view.errors = errors;
      if (Object.keys(errors).length > 0) {
        world.changed({ what: 'view', user: user.id, view_id: view.id });
        return { ok: false, acked: false, ms: 0, local: true, errors };
      }
      const ack = await deliver.once({
        kind: 'interactive',
        type: 'view_submission',
        acceptsPayload: true,
        payload: {
          type: 'view_submission',
          ...interaction(world, user),
          trigger_id: triggers.issue({ user: user.id, viewId: view.id }),
          view: submittedView(world, view),
          response_urls: urlsOf(view, user.id),
        },
      });
      if (!ack.acked) return outcome(ack);
      try {
        const followed = follow(view, ack.body);
        return { ...outcome(ack), ...followed, ok: followed.error === undefined };
      } catch (error) {
        if (!(error instanceof SlackApiError)) throw error;
        const messages = (error.details.errors as string[] | undefined) ?? [];
        return { ...outcome(ack), ok: false, error: [error.code, ...messages].join(': ') };
      }
    },

    close: async ({ user, view_id: viewId, all }) => {
      const view = modalOf(user, viewId);
      const whole = all === true || view.clear_on_close;
      const results = await Promise.all(closeModal(world, view, whole).map((gone) => closed(gone, whole)));
      return results.find((result) => !result.ok) ?? results[0] ?? { ok: true, acked: true, ms: 0 };
    },
  };
}
