import { z } from 'zod';
import { verdicts } from './terms.ts';

/**
 * What somebody last typed about one round of a task, in a form that may be closed, sent too late or undone. Inputs tell
 * it as it is typed; what they tell may arrive late and in any order.
 */
export const TypedText = z
  .object({
    /** '' once it was sent, or deleted by whoever typed it. */
    text: z.string(),
    verdict: z.enum(verdicts),
    /** The form it was typed into, by when that was opened (ms). */
    form: z.number(),
    /** Where it comes among what was typed into that form: Slack's time of it in microseconds, as 20 digits. */
    order: z.string(),
    /** The form was sent: what is still told of it is older than this. */
    isSent: z.literal(true).exactOptional(),
    /** `typed` into a form that was closed · `undone`: the reason of a decision that was undone · `late`: somebody was first. */
    from: z.enum(['typed', 'undone', 'late']),
    /** When it was stored (ms). */
    at: z.number(),
  })
  .readonly();
export type TypedText = z.infer<typeof TypedText>;

/** Returns the text that stands once `next` has arrived: the newest one, in whichever order they arrive. */
export function newestText(stands: TypedText | undefined, next: TypedText): TypedText {
  if (stands === undefined) return next;
  if (next.form !== stands.form) return next.form > stands.form ? next : stands;
  if (stands.isSent !== next.isSent) return next.isSent ? next : stands;
  return next.order > stands.order ? next : stands;
}

const fraction = /^(\d+)\.(\d{1,6})$/;

/** Returns the order of something that Slack says was done at `ts`, such as `1548426417.840180`. */
export function orderOf(ts: string): string {
  const [, seconds = '0', micros = '0'] = fraction.exec(ts) ?? [];
  return `${seconds}${micros.padEnd(6, '0')}`.padStart(20, '0');
}
