import type { Verdict } from '../../src/domain/terms.ts';
import { bulkAction } from '../../src/features/shared/bulk-button.ts';
import type { View } from '../../src/sandbox/slack/index.ts';
import type { ActParts } from './card-acts.ts';
import { buttonValue, type Screen, typedInto } from './screen.ts';

/** Creates the acts on many tasks at once: select, tick, choose a rating, read the preview, confirm; or undo all. */
export function createBulkActs({ log, random, view }: ActParts, draw: () => Verdict) {
  const is = (callback: string) => (shown: View) => shown.callback_id === callback;

  /** Ticks boxes on the current page. Resolves with the updated page. */
  async function tick(screen: Screen, page: View): Promise<View> {
    const boxes = page.blocks.filter(({ block_id }) => String(block_id).startsWith('bulk.row/'));
    const count = Math.min(boxes.length, random.between(2, 10));
    for (const { block_id } of boxes.slice(0, count)) {
      const id = String(block_id);
      await screen.press(page, 'bulk.tick', [id.split('/').slice(3).join('/')], id);
    }
    return (await screen.until(is('bulk.page'))) ?? page;
  }

  return async function rateMany(screen: Screen, isOwn: (text: string) => boolean): Promise<void> {
    const counting = [...view.summaries.values()].filter(
      ({ count, select, text }) => count > 0 && select !== undefined && isOwn(text),
    );
    if (counting.length === 0) return;
    const summary = random.pick(counting);
    if (summary.select === undefined) return;
    await screen.clicks(summary, bulkAction, summary.select);
    const page = await screen.until(is('bulk.page'));
    if (page === undefined) return screen.closeAll();
    const ticked = await tick(screen, page);
    await screen.submit(ticked);
    const asks = await screen.until(is('bulk.decision'));
    if (asks === undefined) return screen.closeAll();
    const verdict = draw();
    await screen.press(asks, 'bulk.verdict', verdict);
    const form = await screen.until((shown) => is('bulk.decision')(shown) && hasComment(shown));
    if (form === undefined) return screen.closeAll();
    const comment = verdict === 'OK' ? '' : `Together ${log.tried} by ${screen.user}`;
    await screen.submit(form, typedInto(form, /^comment\.\d+$/, comment));
    const preview = await screen.until(is('bulk.preview'));
    if (preview === undefined) return screen.closeAll();
    log.tried += 1;
    const [one] = await Promise.all([
      screen.press(preview, 'bulk.confirm', 'confirm'),
      ...(random.next() < 0.2 ? [screen.press(preview, 'bulk.confirm', 'confirm')] : []),
    ]);
    const confirmed = one === undefined ? undefined : await screen.until(is('bulk.confirmed'));
    const undo = confirmed && buttonValue(confirmed.blocks, 'bulk.undo');
    if (undo !== undefined) {
      const { rating = '' } = JSON.parse(undo) as { rating?: string };
      log.bulk.set(rating, Date.now());
      if (confirmed && random.next() < 0.15) {
        log.undoneBulk.add(rating);
        await screen.press(confirmed, 'bulk.undo', undo);
      }
    }
    await screen.closeAll();
  };
}

function hasComment({ blocks }: View): boolean {
  return blocks.some(({ block_id }) => /^comment\.\d+$/.test(String(block_id)));
}
