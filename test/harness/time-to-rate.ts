import type { Person } from './slack.ts';

/** Sets how many days the tasks of a campaign may wait, as a person does it who has created it on the website. */
export async function setsTimeToRate(person: Person, channel: string, campaign: string, days: number) {
  await person.types(channel, `/campaign status ${campaign}`);
  const status = await person.sees(channel, /how long its tasks may wait/);
  await person.clicks(status, 'Set time to rate');
  const form = await person.modal(/How many days may a task wait/);
  await form.fill('How many days may a task wait?', String(days));
  await form.submit();
  await status.untilText(/Its tasks may wait/);
}
