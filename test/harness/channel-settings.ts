import type { Person } from './slack.ts';

/** Turns notes by replies to cards on or off in a channel, in its settings. */
export async function setsThreads(person: Person, channel: string, isOn: boolean): Promise<void> {
  const before = (await person.reads(channel)).at(-1)?.ts ?? '';
  await person.types(channel, '/proofdesk subscriptions');
  const list = await person.sees(channel, /replies in threads/i, { after: before });
  await person.clicks(list, 'Settings…');
  const form = await person.modal(/Channel settings/);
  await form.select('Threads', isOn ? ['Replies in the threads of cards leave notes'] : []);
  await form.submit();
  await list.untilText(isOn ? /replies in threads leave notes/i : /replies in threads leave no notes/i);
}
