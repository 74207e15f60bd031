import { UserError } from '../../../errors.ts';
import { positionsProblem } from './restart.view.ts';

/** Returns a whole number above 0, or undefined. */
export function parsePositions(text: string): number | undefined {
  const value = /^\+?\d{1,9}$/u.test(text.trim()) ? Number(text) : 0;
  return value > 0 ? value : undefined;
}

/**
 * Splits `<id> <positions>`: the last word is the number, unless the whole text is an id. Throws a UserError if the last
 * word is an invalid number.
 */
export async function parseRestartArguments(
  text: string,
  isId: (text: string) => Promise<boolean>,
): Promise<{ campaign: string; positions?: number }> {
  const words = text.trim().split(/\s+/u);
  const last = words.at(-1) ?? '';
  const campaign = words.slice(0, -1).join(' ');
  if (campaign === '' || (await isId(text.trim()))) return { campaign: text.trim() };
  const positions = parsePositions(last);
  if (positions !== undefined) return { campaign, positions };
  if (/^[+-]?[\d.,']+$/u.test(last) || (await isId(campaign))) {
    throw new UserError(
      `Nothing was restarted. ${positionsProblem} For example: \`/campaign restart &lt;id&gt; 20\`.`,
    );
  }
  return { campaign: text.trim() };
}
