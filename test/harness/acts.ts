/** What people do with Proofdesk, in the words that stand there. */
import type { Person, Seen, SeenView, SlackHandle } from '@proofdesk/slack-sandbox/testing';

const forms = {
  REVISE: { title: 'Request a revision', label: 'What should be corrected?' },
  NOK: { title: 'Rate NOK', label: 'Reason for NOK' },
};

/** The channel that the account's tasks come to. */
export const place = 'C01REVIEW';

export const shelf = { campaign_id: 'c0ffee01', title: 'Photo of a shelf', status: 'RUNNING' } as const;
export const survey = { campaign_id: 'decade02', title: 'Survey of shops', status: 'RUNNING' } as const;

/** A campaign whose tasks pay, and whose bonuses count. */
export const paidShelf = { ...shelf, payment_per_task: '0.10000', available_positions: 1_000 } as const;

/** A campaign that can be restarted. */
export const finishedShop = {
  campaign_id: 'f1n15hed',
  title: 'Visit a coffee shop',
  status: 'FINISHED',
  available_positions: 16,
  payment_per_task: '0.25000',
  tasks: { OK: 12, NOK: 4 },
} as const;

/** A picture of one pixel, in base64. */
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const types: Record<string, string> = { png: 'image/png', jpg: 'image/jpeg', pdf: 'application/pdf' };

/** A proof file, by default a picture, of the type that its name says. */
export const proofFile = (filename: string, content: string | Buffer = Buffer.from(pixel, 'base64')) => ({
  filename,
  content_type: types[filename.split('.').at(-1) ?? ''] ?? 'text/plain',
  base64: Buffer.from(content).toString('base64'),
});

/** A moment as the marketplace writes it. */
export const datetime = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** Members of a workspace, as the sandbox takes them. */
export const members = {
  ann: { id: 'U01ANN', name: 'ann', real_name: 'Ann Reyes' },
  ben: { id: 'U02BEN', name: 'ben', real_name: 'Ben Okafor' },
  chloe: { id: 'U03CHLOE', name: 'chloe', real_name: 'Chloé Martin' },
  dan: { id: 'U04DAN', name: 'dan', real_name: 'Dan Moss' },
};

/** A review that has a task, or has none left. */
export const aReview = /^Review\n.*(?:Task [\d,]+ · |No (?:other )?(?:waiting )?tasks)/s;

/** Starts a focus review. @param what filters the tasks */
export async function startsReview(person: Person, channel: string, what = ''): Promise<SeenView> {
  await person.types(channel, `/review ${what}`);
  return person.modal(aReview);
}

/** Returns whether a review has a task to decide on. */
export const hasTask = ({ text }: SeenView): boolean => /Task [\d,]+ · /.test(text);

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
  await (await person.looksAtHome(/Reviewing/)).clicks('Select…');
  return person.modal(/^Select tasks\n.*(?:\d waiting\b|No (?:waiting )?tasks)/s);
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

/** Rates what is selected, with a saved reason if it needs one, as far as the preview. */
export async function decidesTogether(page: SeenView, verdict: 'OK' | 'REVISE' | 'NOK'): Promise<SeenView> {
  await page.clicks(`${verdict}…`);
  if (verdict !== 'OK') {
    await page.until(({ inputs }) => inputs.includes(forms[verdict].label));
    await page.select('Saved reasons', page.choices('Saved reasons')[0] ?? '');
    await page.submit();
  }
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

/** Refuses the task of a card, or asks for a revision, with a typed reason. */
export async function rates(person: Person, card: Seen, verdict: 'REVISE' | 'NOK', reason: string) {
  const form = await person.opens(card, verdict, new RegExp(forms[verdict].title));
  return form.submit({ [forms[verdict].label]: reason });
}

/** Takes the decision on a card back, once that can be done. */
export async function undoes(person: Person, card: Seen): Promise<Seen> {
  await card.until(({ buttons }) => buttons.some((name) => name.startsWith('Undo')));
  await person.clicks(card, 'Undo');
  return card.until(({ buttons }) => buttons.includes('OK'));
}

/** Refuses the task of a card with a saved reason, whose text begins so. */
export async function refusesAsSaved(person: Person, card: Seen, reason: string, text: string) {
  const form = await person.opens(card, 'NOK', /Rate NOK/);
  await form.select('Saved reasons', reason);
  await form.until(({ field }) => field(forms.NOK.label).includes(text));
  return form.submit();
}

/** Goes on from a card to an OK with a bonus, as far as the total. */
export async function addsBonus(person: Person, card: Seen, bonus: string): Promise<SeenView> {
  const form = await person.picks(card, 'OK with bonus or favorite', /OK with extras/);
  return form.next(/This task costs/, { Bonus: bonus });
}

/** Presses a button in *Details…* of a card's menu, and waits for the modal that it opens. */
export async function opensFromDetails(
  person: Person,
  card: Seen,
  button: string,
  shows: RegExp,
): Promise<SeenView> {
  return (await person.picks(card, 'Details…', /Details of this task/)).opens(button, shows);
}

/** Restarts a campaign, confirms the total, and reads the outcome. @param asked the id and perhaps the positions; `meanwhile` happens while the form is open */
export async function restarts(
  person: Person,
  asked: string,
  outcome: RegExp,
  shows = /Positions to add/,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<SeenView> {
  const form = await person.enters(`/campaign restart ${asked}`, shows);
  await meanwhile();
  await form.submit();
  const confirms = (text: string) => text.startsWith('Add ') || text === 'Ask for approval';
  const { buttons } = await form.until((shown) => shown.buttons.some(confirms));
  return form.opens(buttons.find(confirms) ?? '', outcome);
}

/** Opens the empty form of a new campaign: what was left unfinished is discarded. */
export async function opensNewCampaign(person: Person): Promise<SeenView> {
  const form = await person.enters('/campaign new', /^New campaign\n/);
  if (!form.buttons.includes('Discard')) return form;
  await form.clicks('Discard', /was discarded/);
  return person.enters('/campaign new', /Positions per worker/);
}

/** Fills in the first page of a new campaign, and goes on to the second. */
export async function beginsCampaign(
  person: Person,
  { title = 'Taste a tea', payment = '0.25', positions = '2' } = {},
): Promise<SeenView> {
  const form = await opensNewCampaign(person);
  await form.fill('Title', title);
  await form.select('Category', 'Short survey');
  const rest = { 'Payment per task': payment, Positions: positions, 'Minutes to finish': '5' };
  return form.next(/What the worker does/, rest);
}

/** Fills in both pages of a new campaign, up to the one that shows everything once more. */
export async function previewsCampaign(
  person: Person,
  values: Parameters<typeof beginsCampaign>[1] = {},
): Promise<SeenView> {
  const work = await beginsCampaign(person, values);
  const texts = { 'What the worker does': 'Look.', 'What the worker submits as proof': 'A name' };
  return work.next(/Nothing is sent before/, texts);
}

/** Connects with a key, for an account or purpose that the form offers, or for a new account of this name. */
export async function connects(
  person: Person,
  key: string,
  purpose = 'default',
  channel = place,
): Promise<SeenView> {
  const form = await person.enters('/proofdesk connect', /Connect your account/, channel);
  await form.fill('API key', key);
  const label = 'What is this key for?';
  if (!form.inputs.includes(label)) await form.fill('Name', purpose);
  else if (form.choices(label).includes(purpose)) await form.select(label, purpose);
  else {
    await form.select(label, 'A new account');
    await form.fill('Name of the new account', purpose);
  }
  await form.submit();
  return form;
}

/** Opens the form of the spending limits. */
export async function opensLimits(person: Person): Promise<SeenView> {
  const settings = await person.enters('/proofdesk settings', /Owners/);
  return settings.opens('Spending limits', /Bonuses a day/);
}

/** Gives a role to a member. */
export async function givesRole(person: Person, role: 'Reviewer' | 'Manager', to: string): Promise<void> {
  const settings = await person.enters('/proofdesk settings', /Owners/);
  const form = await settings.opens('Add a role', /Add a role/);
  await form.select('Role', role);
  await form.select('Members', [to]);
  await (await form.next(/Saved\./)).close({ all: true });
}

/** Turns notes by replies to cards on or off in a channel, in its settings. */
export async function setsThreads(person: Person, channel: string, isOn: boolean): Promise<void> {
  const list = await person.asks('/proofdesk subscriptions', /notes by thread reply/i, channel);
  const form = await person.opens(list, 'Settings…', /Channel settings/);
  await form.select('Notes', isOn ? ['Save thread replies that start with “note”'] : []);
  await form.submit();
  await list.untilText(isOn ? /notes by thread reply on/i : /notes by thread reply off/i);
}

/** Sets how many days the tasks of a campaign may wait, as a person does it who has created it on the website. */
export async function setsTimeToRate(person: Person, channel: string, campaign: string, days: number) {
  const status = await person.asks(`/campaign status ${campaign}`, /No deadline is set/, channel);
  const form = await person.opens(status, 'Set deadline', /Days to rate a task/);
  await form.submit({ 'Days to rate a task': String(days) });
  await status.untilText(/Tasks are due after/);
}
