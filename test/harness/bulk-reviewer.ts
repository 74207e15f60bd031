import type { ActResult, SubmitResult, View } from '../../src/sandbox/slack/index.ts';
import { focusReviewer } from './focus-reviewer.ts';
import { sandboxClient } from './slack-client.ts';

/** A person who selects tasks page by page and decides on them together, over the modal protocol. */
export type BulkReviewer = ReturnType<typeof bulkReviewer>;

/** @param url of the sandbox workspace */
export function bulkReviewer(url: string, user: string) {
  const client = sandboxClient(url);
  const { view, until } = focusReviewer(url, user);
  let clicks = 0;

  async function open(): Promise<View> {
    const found = await view();
    if (found === undefined) throw new Error(`${user} has no modal open`);
    return found;
  }

  async function click(action_id: string, value?: unknown, block_id?: string): Promise<ActResult> {
    clicks += 1;
    const { id: view_id } = await open();
    return client.act('click', { user, view_id, action_id, value, block_id });
  }

  /** Presses a button, and waits for the resulting view. */
  async function presses(action: string, value?: unknown): Promise<View> {
    const before = stepOf(await open());
    await click(action, value);
    return until((shown) => stepOf(shown) !== before);
  }

  async function submits(values: Record<string, Record<string, unknown>> = {}): Promise<SubmitResult> {
    clicks += 1;
    return client.act<SubmitResult>('submit', { user, view_id: (await open()).id, values });
  }

  /** Returns the blocks of the check boxes on the current page. */
  const boxes = async () =>
    (await open()).blocks.filter(({ block_id }) => String(block_id).startsWith('bulk.row/'));

  return {
    view,
    until,
    click,
    presses,
    submits,
    boxes,
    /** Presses the button of the preview, which says what it rates, and waits for the confirmation. */
    async confirms(): Promise<View> {
      await click('bulk.confirm');
      return until(({ callback_id }) => callback_id === 'bulk.confirmed');
    },

    /** Returns the number of presses, ticks and choices. */
    clicks: () => clicks,

    /** Ticks or unticks the box of a task on the page. @param place from 0 */
    async ticks(place: number, is = true): Promise<string> {
      const block = (await boxes())[place];
      const id = String(block?.block_id);
      const task = id.split('/').slice(3).join('/');
      await click('bulk.tick', is ? [task] : [], id);
      return task;
    },

    /** Returns which tasks of the page are shown as ticked. */
    async ticked(): Promise<string[]> {
      return (await boxes()).flatMap((block) => {
        const [box] = block.elements as { initial_options?: { value: string }[] }[];
        return (box?.initial_options ?? []).map(({ value }) => value);
      });
    },

    /** Chooses a rating, then a saved reason if the rating needs one; shows the preview. */
    async decides(verdict: 'OK' | 'REVISE' | 'NOK'): Promise<View> {
      await submits();
      await until(({ callback_id }) => callback_id === 'bulk.decision');
      await click('bulk.verdict', verdict);
      const form = await until(({ blocks }) => blocks.some(({ block_id }) => block_id === 'scope'));
      if (verdict !== 'OK') {
        const { element } = form.blocks.find(({ block_id }) =>
          String(block_id).startsWith('reason.'),
        ) as unknown as { element: { options: { value: string }[] } };
        await click('bulk.comment.reason', element.options[0]?.value);
      }
      await submits();
      return until(({ callback_id }) => callback_id === 'bulk.preview');
    },
  };
}

function stepOf({ id, private_metadata, callback_id }: View): string {
  const { step } = JSON.parse(private_metadata || '{}') as { step?: number };
  return `${id} ${callback_id} ${step}`;
}
