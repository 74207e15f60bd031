import type { Person, Seen, SeenView } from '@proofdesk/slack-sandbox/testing';
import type { Act, PersonId } from './schedule.ts';
import { type Card, keyOf, type View } from './view.ts';
import { type ChaosWorld, channel, finished } from './world.ts';

/** How long a person waits for a modal or for it to change (ms); what does not come is given up. */
const waitsMs = 2_500;
/** How long nobody else acts on a card that somebody has begun with (ms). */
const busyMs = 3_000;

const forms = {
  nok: { button: 'NOK', title: 'Rate NOK', label: 'Reason for NOK' },
  revise: { button: 'REVISE', title: 'Request a revision', label: 'What should be corrected?' },
} as const;

/** What people have tried: what happens at the marketplace must be one of these. */
export interface Tried {
  /** `verdict|comment|bonus`, with the tasks; undefined: any task of a selection or a review. */
  readonly ratings: Map<string, Set<string> | undefined>;
  /** The decisions of which somebody has pressed Undo. */
  readonly undone: Set<string>;
  /** The titles of the campaigns to be created, and the positions of each restart. */
  readonly created: Set<string>;
  readonly restarted: Set<string>;
  /** How often each act was done to its end, as far as the person could see. */
  readonly done: Map<string, number>;
}

export const ratingKey = (verdict: string, comment: string, bonus: string): string =>
  `${verdict}|${comment}|${Number(bonus).toFixed(2)}`;

/** Returns what people do in Slack: each act, with a number from 0 to 1 that chooses what it is done to. */
export function createPeople({ slack }: Pick<ChaosWorld, 'slack'>, view: View) {
  const [undone, created, restarted] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const tried: Tried = { ratings: new Map(), undone, created, restarted, done: new Map() };
  const busy = new Map<string, number>();
  let count = 0;

  function tries(task: string | undefined, verdict: string, comment = '', bonus = '0'): void {
    const key = ratingKey(verdict, comment, bonus);
    const tasks = tried.ratings.has(key) ? tried.ratings.get(key) : new Set<string>();
    tried.ratings.set(key, task === undefined || tasks === undefined ? undefined : tasks.add(task));
  }

  /** Chooses a card with this button, as the person sees it. */
  async function cardWith(person: Person, button: string, pick: number): Promise<[Card, Seen] | undefined> {
    const now = Date.now();
    const found = [...view.cards.values()].filter(
      ({ ts, buttons }) => buttons.some((name) => name.startsWith(button)) && (busy.get(ts) ?? 0) < now,
    );
    const card = found[Math.floor(pick * found.length)];
    const seen = card && (await person.reads(channel)).find(({ ts }) => ts === card.ts);
    if (card === undefined || seen === undefined) return undefined;
    busy.set(card.ts, now + busyMs);
    return [card, seen];
  }

  /** Opens the form for a reason from a card, and sends it. */
  const decideWithReason = (which: keyof typeof forms) => async (person: Person, pick: number) => {
    const found = await cardWith(person, 'OK', pick);
    if (!found) return false;
    const { button, title, label } = forms[which];
    const comment = `Reason ${++count}`;
    tries(found[0].task, button, comment);
    await person.clicks(found[1], button);
    const form = await person.modal(new RegExp(title), waitsMs);
    await form.fill(label, comment);
    return (await form.submit()).ok;
  };

  /** Shows what an act costs, and confirms it. */
  async function confirms(form: SeenView, button: RegExp): Promise<boolean> {
    await form.submit();
    const { buttons } = await form.until((shown) => shown.buttons.some((text) => button.test(text)), waitsMs);
    return (await form.clicks(buttons.find((text) => button.test(text)) ?? '')).ok;
  }

  const acts: Record<Act, (person: Person, pick: number) => Promise<boolean>> = {
    async ok(person, pick) {
      const found = await cardWith(person, 'OK', pick);
      if (!found) return false;
      tries(found[0].task, 'OK');
      return (await person.clicks(found[1], 'OK')).ok;
    },
    nok: decideWithReason('nok'),
    revise: decideWithReason('revise'),
    async bonus(person, pick) {
      const found = await cardWith(person, 'OK', pick);
      if (!found) return false;
      const comment = `With a bonus ${++count}`;
      tries(found[0].task, 'OK', comment, '0.05');
      await person.chooses(found[1], '…', 'OK with bonus or favorite');
      const form = await person.modal(/OK with extras/, waitsMs);
      await form.fill('Bonus', '0.05');
      await form.fill('Comment for the worker', comment);
      await form.submit();
      await form.until(({ submitLabel }) => submitLabel.startsWith('Rate OK for'), waitsMs);
      return (await form.submit()).ok;
    },
    async undo(person, pick) {
      const found = (await cardWith(person, 'Undo', pick)) ?? ((await acts.ok(person, pick)) && undefined);
      const { decision } = (found || [undefined])[0] ?? {};
      if (!found || decision === undefined) return false;
      tried.undone.add(keyOf(found[0], decision));
      return (await person.clicks(found[1], 'Undo')).ok;
    },
    async focus(person, pick) {
      await person.types(channel, '/review');
      const review = await person.modal(/^Review\n.*Task [\d,]+ · /s, waitsMs);
      for (let step = 0; step < 2 + Math.floor(pick * 4); step += 1) {
        const before = review.text;
        const which = (['ok', 'ok', 'nok', 'revise'] as const)[(count + step) % 4] ?? 'ok';
        if (which !== 'ok') {
          const { button, title, label } = forms[which];
          const comment = `Reviewed ${++count}`;
          tries(undefined, button, comment);
          await review.clicks(button);
          await review.until((shown) => shown.title === title, waitsMs);
          await review.fill(label, comment);
        } else tries(undefined, 'OK');
        await review.submit();
        await review.until((shown) => shown.text !== before && shown.title === 'Review', waitsMs);
        if (!/Task [\d,]+ · /.test(review.text)) break;
      }
      await review.close({ all: true });
      return true;
    },
    async bulk(person, pick) {
      await person.opensHome();
      await (await person.home(/Reviewing/, waitsMs)).clicks('Select…');
      const page = await person.modal(/^Select tasks\n/s, waitsMs);
      for (const { label } of page.boxes.slice(0, 2 + Math.floor(pick * 5))) await page.ticks(label);
      await page.clicks('NOK…');
      await page.until(({ inputs }) => inputs.includes('Reason for NOK'), waitsMs);
      const comment = `Together ${++count}`;
      tries(undefined, 'NOK', comment);
      await page.fill('Reason for NOK', comment);
      await page.submit();
      await page.until(({ title }) => title === 'Check and confirm', waitsMs);
      await page.clicks('Rate ');
      await page.until(({ title }) => title === 'Confirmed', waitsMs);
      return true;
    },
    async restart(person) {
      const positions = String(10 + ++count);
      tried.restarted.add(positions);
      const campaign = finished[count % finished.length];
      await person.types(channel, `/campaign restart ${campaign} ${positions}`);
      return confirms(await person.modal(/Positions to add/, waitsMs), /^Add |^Ask for approval$/);
    },
    async create(person) {
      const title = `Created ${++count}`;
      tried.created.add(title);
      await person.types(channel, '/campaign new');
      let job = await person.modal(/^New campaign\n/, waitsMs);
      if (job.buttons.includes('Discard')) {
        await job.clicks('Discard');
        await person.types(channel, '/campaign new');
        job = await person.modal(/Positions per worker/, waitsMs);
      }
      await job.fill('Title', title);
      await job.select('Category', 'Short survey');
      await job.fill('Payment per task', '0.25');
      await job.fill('Positions', '20');
      await job.fill('Minutes to finish', '5');
      await job.submit();
      const work = await person.modal(/What the worker does/, waitsMs);
      await work.fill('What the worker does', 'Taste it.');
      await work.fill('What the worker submits as proof', 'A word');
      await work.submit();
      const check = await person.modal(/fees not included/, waitsMs);
      return (await check.clicks('Create for')).ok;
    },
    async approve(person) {
      const asked = (await person.reads(`D${person.id.slice(1)}`)).find(({ buttons }) =>
        buttons.includes('Approve'),
      );
      return asked !== undefined && (await person.clicks(asked, 'Approve')).ok;
    },
  };

  return {
    tried,
    /** Does an act. What cannot be done now, or is not answered in time, is given up. */
    async does(who: PersonId, act: Act, pick: number): Promise<void> {
      const isDone = await acts[act](slack.person(who), pick).catch(() => false);
      if (isDone) tried.done.set(act, (tried.done.get(act) ?? 0) + 1);
    },
  };
}
