import { z } from 'zod';
import { verdicts } from './terms.ts';

/**
 * A member's last text about one round of a task, typed into a form that may be closed, sent too late or undone. Inputs
 * report it while it is typed, possibly late and in any order.
 */
export const TypedText = z
  .object({
    /** '' once it was sent, or deleted by its author. */
    text: z.string(),
    verdict: z.enum(verdicts),
    /** The form it was typed into, identified by its opening time (ms). */
    form: z.number(),
    /** Its order among that form's texts: Slack's timestamp in microseconds, as 20 digits. */
    order: z.string(),
    /** The form was sent, so later reports are outdated. */
    isSent: z.literal(true).exactOptional(),
    /** `typed` into a form that was closed · `undone`: the reason of an undone decision · `late`: somebody was first. */
    from: z.enum(['typed', 'undone', 'late']),
    /** When it was stored (ms). */
    at: z.number(),
  })
  .readonly();
export type TypedText = z.infer<typeof TypedText>;

/** Returns the current text after `next` has arrived: the newest one, in any order of arrival. */
export function newestText(stands: TypedText | undefined, next: TypedText): TypedText {
  if (stands === undefined) return next;
  if (next.form !== stands.form) return next.form > stands.form ? next : stands;
  if (stands.isSent !== next.isSent) return next.isSent ? next : stands;
  return next.order > stands.order ? next : stands;
}

const fraction = /^(\d+)\.(\d{1,6})$/;

/** Returns the order of an action from Slack's `ts`, such as `1548426417.840180`. */
export function orderOf(ts: string): string {
  const [, seconds = '0', micros = '0'] = fraction.exec(ts) ?? [];
  return `${seconds}${micros.padEnd(6, '0')}`.padStart(20, '0');
}
