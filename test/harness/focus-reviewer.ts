import type { ActResult, SubmitResult, View } from '../../src/sandbox/slack/index.ts';
import { sandboxClient } from './slack-client.ts';

/** A scripted person in focus review, over the modal protocol. */
export type FocusReviewer = ReturnType<typeof focusReviewer>;

type Values = Record<string, Record<string, unknown>>;

/** @param url of the sandbox workspace */
export function focusReviewer(url: string, user: string) {
  const client = sandboxClient(url);
  let clicks = 0;

  const view = async (): Promise<View | undefined> =>
    (await client.get<{ views: View[] }>(`views/${user}`)).views.at(-1);

  const open = async (): Promise<View> => {
    const found = await view();
    if (found === undefined) throw new Error(`${user} has no modal open`);
    return found;
  };

  /** Waits until the modal has changed. */
  const until = (holds: (view: View) => boolean): Promise<View> =>
    client.waitFor(
      async () => {
        const found = await view();
        return found && holds(found) ? found : undefined;
      },
      async () => `the modal of ${user} stayed as it was: ${JSON.stringify((await view())?.blocks)}`,
    );

  async function submit(values: Values = {}): Promise<SubmitResult> {
    clicks += 1;
    return client.act<SubmitResult>('submit', { user, view_id: (await open()).id, values });
  }

  async function click(actionId: string, value?: string): Promise<ActResult> {
    clicks += 1;
    return client.act('click', { user, view_id: (await open()).id, action_id: actionId, value });
  }

  return {
    user,
    view,
    until,
    submit,
    click,
    /** Returns the number of presses and choices since the review began. */
    clicks: () => clicks,

    /** Starts a review, and waits for its first task. */
    async start(channel: string, text = ''): Promise<View> {
      const before = (await view())?.id;
      await client.act('command', { user, channel, command: '/review', text });
      clicks = 0;
      return until(({ id, callback_id }) => id !== before && callback_id.startsWith('focus.'));
    },

    /** Closes the modal above the task. */
    back: async (): Promise<ActResult> => client.act('close', { user, view_id: (await open()).id }),

    close: async (): Promise<ActResult> =>
      client.act('close', { user, view_id: (await open()).id, all: true }),

    /** Presses a button of the task, and waits for the modal that it opens. */
    async opens(actionId: string, callbackId: string, value?: string): Promise<View> {
      await click(actionId, value);
      return until(({ callback_id }) => callback_id === callbackId);
    },

    /** Requests a revision or refuses the task: presses the button, types a reason, submits. */
    async decides(verdict: 'REVISE' | 'NOK', reason: string): Promise<SubmitResult> {
      await click(verdict === 'NOK' ? 'focus.nok' : 'focus.revise');
      await until(({ callback_id }) => callback_id === 'focus.reason');
      return submit({ 'comment.0': { 'task.comment.typed': reason } });
    },

    /** Does the same with a saved reason: presses, chooses, submits. */
    async decidesAsSaved(verdict: 'REVISE' | 'NOK'): Promise<SubmitResult> {
      await click(verdict === 'NOK' ? 'focus.nok' : 'focus.revise');
      const { blocks } = await until(({ callback_id }) => callback_id === 'focus.reason');
      const { element } = blocks.find(({ block_id }) => block_id === 'reason.0') as unknown as {
        element: { options: { value: string }[] };
      };
      await click('task.comment.reason', element.options[0]?.value);
      return submit();
    },
  };
}

/** Returns the task that a review's view shows; undefined if none is left. */
export function taskIn(view: View | undefined): string | undefined {
  const { focus } = JSON.parse(view?.private_metadata || '{}') as { focus?: { task?: string } };
  return focus?.task;
}

/** Returns all text of a view outside inputs. */
export function textIn(view: View | undefined): string {
  return JSON.stringify(view?.blocks ?? []);
}
