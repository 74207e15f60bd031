import type { Person } from './slack-person.ts';

/** Lets somebody who may not spend that much fill in a new campaign and ask for it. */
export async function asksForCampaign(person: Person, channel: string): Promise<void> {
  const job = await person.opens(channel, '/campaign new', /Positions per worker/);
  await job.fill('Title', 'Taste a tea');
  await job.select('Category', 'Short survey');
  const work = await job.next(/What the worker does/, {
    'Payment per task': '0.25',
    Positions: '20',
    'Minutes to finish': '5',
  });
  const check = await work.next(/20 × 0\.25 = \*?5\.00\*?, fees not included/, {
    'What the worker does': 'Taste it.',
    'What the worker submits as proof': 'A word',
  });
  await check.opens('Create for 5.00', /Nothing was done yet.*asked to approve it/s);
}
