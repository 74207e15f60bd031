/** What people do in `/review` and in “Select tasks”, in the words that stand there. */
import type { Person, SlackHandle } from './slack.ts';
import type { SeenView } from './slack-modal.ts';

const forms = {
  REVISE: { title: 'Ask for a revision', label: 'What should be corrected?' },
  NOK: { title: 'Refuse this task', label: 'Why is it refused?' },
};

const ratings = {
  OK: { choice: 'OK: the workers are paid', label: 'Comment for the workers' },
  REVISE: { choice: 'REVISE: the workers can submit a correction', label: 'What should be corrected?' },
  NOK: { choice: 'NOK: the workers are not paid', label: 'Reason for NOK' },
};

/** A campaign whose tasks pay, and whose bonuses count. */
export const paidShelf = {
  campaign_id: 'c0ffee01',
  title: 'Photo of a shelf',
  status: 'RUNNING',
  payment_per_task: '0.10000',
  available_positions: 1_000,
} as const;

/** A review that has a task, or has none left. */
export const aReview = /^Review\n.*(?:of this review|No (?:other )?(?:waiting )?task)/s;

/** Starts a focus review. @param what filters the tasks */
export async function startsReview(person: Person, channel: string, what = ''): Promise<SeenView> {
  await person.types(channel, `/review ${what}`);
  return person.modal(aReview);
}

/** Returns whether a review has a task to decide on. */
export const hasTask = ({ text }: SeenView): boolean => text.includes('of this review');

/** Opens the form for a reason. */
export async function opensReason(review: SeenView, verdict: 'REVISE' | 'NOK'): Promise<SeenView> {
  await review.clicks(verdict);
  return review.until(({ title }) => title === forms[verdict].title);
}

/** Requests a revision or refuses a task, with a typed reason. */
export async function decides(review: SeenView, verdict: 'REVISE' | 'NOK', reason: string) {
  await opensReason(review, verdict);
  await review.fill(forms[verdict].label, reason);
  return review.submit();
}

/** Does the same with a saved reason. */
export async function decidesAsSaved(review: SeenView, verdict: 'REVISE' | 'NOK') {
  await opensReason(review, verdict);
  await review.select('Saved reasons', review.choices('Saved reasons')[0] ?? '');
  return review.submit();
}

/** Opens the selection in Home. */
export async function opensSelection(person: Person): Promise<SeenView> {
  await person.opensHome();
  await (await person.home(/Reviewing/)).clicks('Select…');
  return person.modal(/^Select tasks\n.*(?:that waits?\b|No (?:waiting )?task)/s);
}

/** Presses a button, and waits until it has changed what is shown. */
export async function presses(view: SeenView, button: string): Promise<SeenView> {
  const before = view.text;
  await view.clicks(button);
  return view.until(({ text }) => text !== before);
}

/** Returns the labels of the ticked boxes. */
export const tickedIn = ({ boxes }: SeenView): string[] =>
  boxes.filter(({ isTicked }) => isTicked).map(({ label }) => label);

/** Goes on from the selection, and chooses a rating. */
export async function choosesRating(page: SeenView, verdict: keyof typeof ratings): Promise<SeenView> {
  await page.submit();
  await page.until(({ title }) => title === 'Decide together');
  const { choice, label } = ratings[verdict];
  await page.select('Rating', choice);
  return page.until(({ inputs }) => inputs.includes(label));
}

/** Rates what is selected, with a saved reason if it needs one, as far as the preview. */
export async function decidesTogether(page: SeenView, verdict: keyof typeof ratings): Promise<SeenView> {
  await choosesRating(page, verdict);
  if (verdict !== 'OK') await page.select('Saved reasons', page.choices('Saved reasons')[0] ?? '');
  await page.submit();
  return page.until(({ title }) => title === 'Check and confirm');
}

/** Confirms the preview. */
export async function confirms(preview: SeenView): Promise<SeenView> {
  await preview.clicks('Rate ');
  return preview.until(({ title }) => title === 'Confirmed');
}

/** Returns how often a person has pressed, ticked, chosen or submitted anything. */
export async function pressesOf(slack: SlackHandle, user: string): Promise<number> {
  const delivered = await slack.requests({ direction: 'out', attempt: 0 });
  return delivered.filter(
    ({ method, payload }) =>
      (method === 'block_actions' || method === 'view_submission') &&
      (payload as { user: { id: string } }).user.id === user,
  ).length;
}
