import { type Verdict, verdicts } from '../../src/domain/terms.ts';
import type { View } from '../../src/sandbox/slack/index.ts';
import type { ActParts } from './card-acts.ts';
import type { SeenDecision } from './log.ts';
import { bonusFor } from './money.ts';
import { buttonValue, type Screen, typedInto } from './screen.ts';

/** The maximum number of tasks in one focus review. */
const mostSteps = 8;

/** The task that a review's view shows, and the previous decision that it offers to undo. */
interface Shown {
  readonly view: View;
  readonly task: string;
  readonly round: number;
  readonly last: string | undefined;
}

type Try = Pick<SeenDecision, 'verdict' | 'comment' | 'task'>;

/** Creates the acts in focus review: OK, REVISE, NOK, bonus, Skip, Undo, and closing it or walking away. */
export function createFocusActs(
  { log, random }: Pick<ActParts, 'log' | 'random'>,
  draw: () => Verdict,
  isOver: () => boolean,
) {
  async function shown(screen: Screen): Promise<Shown | undefined> {
    const view = await screen.until(({ callback_id }) => callback_id === 'focus.task');
    if (view === undefined) return undefined;
    const { focus } = JSON.parse(view.private_metadata) as { focus: { task?: string; round?: number } };
    if (focus.task === undefined) return undefined;
    return { view, task: focus.task, round: focus.round ?? 1, last: buttonValue(view.blocks, 'focus.undo') };
  }

  /** Fills in and submits the form that replaces the task. */
  async function sendForm(screen: Screen, callback: string, comment: string, bonus = ''): Promise<void> {
    const isForm = ({ callback_id }: View) => callback_id === callback;
    const values = (form: View) => ({
      ...typedInto(form, /^comment\.\d+$/, comment),
      ...(bonus === '' ? {} : typedInto(form, /^bonus$/, bonus)),
    });
    const form = await screen.until(isForm);
    if (form) await screen.submit(form, values(form));
    if (!form || bonus === '') return;
    const total = await screen.until((view) => isForm(view) && view.private_metadata.includes('"shown"'));
    if (total) await screen.press(total, `${callback}.confirm`, 'confirm');
  }

  async function decide(screen: Screen, { view, task }: Shown): Promise<Omit<Try, 'task'>> {
    const verdict = draw();
    log.tried += 1;
    const comment = `Reason ${log.tried} by ${screen.user}`;
    if (verdict !== 'OK') {
      await screen.press(view, `focus.${verdict.toLowerCase()}`, task);
      await sendForm(screen, 'focus.reason', comment);
      return { verdict, comment };
    }
    if (random.next() < 0.2) {
      await screen.press(view, 'focus.more.extras', task);
      await sendForm(screen, 'focus.extras', comment, bonusFor(log.tried));
      return { verdict, comment };
    }
    const twice = random.next() < 0.1;
    await Promise.all([screen.submit(view), ...(twice ? [screen.submit(view)] : [])]);
    return { verdict, comment: '' };
  }

  /** Notes a decision that was read as made. After several tries at one task, it may be an earlier one. */
  function accept(screen: Screen, id: string, { task, round }: Shown, tries: readonly Try[]): void {
    const verdict = verdicts.find((one) => id.endsWith(`-${one}`));
    const comments = tries
      .filter((one) => one.task === task && one.verdict === verdict)
      .map((one) => one.comment);
    if (verdict === undefined) return;
    log.accepted.set(id, {
      ...{ id, task, round, verdict, by: screen.user, comment: comments.at(-1) ?? '', comments },
      state: 'pending',
      onlyInFocusAt: Date.now(),
    });
  }

  /**
   * Goes through some tasks. A decision counts as accepted once the next view offers to undo it.
   * @param start opens the review
   * @param made receives the ids of accepted decisions
   */
  return async function review(
    screen: Screen,
    start: () => Promise<unknown>,
    made?: Set<string>,
  ): Promise<void> {
    log.reviews += 1;
    await start();
    let current = await shown(screen);
    const steps = random.between(2, mostSteps);
    const tries: Try[] = [];
    for (let step = 0; current !== undefined && step < steps && !isOver(); step += 1) {
      const before: Shown = current;
      if (before.last !== undefined && random.next() < 0.1) {
        log.undone.add(before.last);
        await screen.press(before.view, 'focus.undo', before.last);
      } else if (random.next() < 0.1) {
        await screen.press(before.view, 'focus.skip', before.task);
      } else {
        tries.push({ ...(await decide(screen, before)), task: before.task });
        current = await shown(screen);
        const id = current?.last;
        if (id !== undefined && id !== before.last && current?.task !== before.task) {
          made?.add(id);
          if (!log.accepted.has(id)) accept(screen, id, before, tries);
        }
        continue;
      }
      current = await shown(screen);
    }
    // Some walk away; others get their tasks once the lease has expired.
    if (random.next() < 0.8) await screen.closeAll();
  };
}
