import type { Seen, SeenView } from '@proofdesk/slack-sandbox/testing';
import { expect, test } from 'vitest';
import { paidShelf } from '../harness/acts.ts';
import { eventually, sharedWorld } from '../harness/worlds.ts';

const shelf = { ...paidShelf, required_proof: ['A photo of the whole shelf'] };
const nokLabel = 'Reason for NOK';

const world = sharedWorld({
  scenario: { campaigns: [shelf] },
  // Chloe is a reviewer: she is in the channel.
  env: { UNDO_SECONDS: '0', ACCOUNT_OWNERS: 'U01ANN,U02BEN' },
});

const reviseForm = (card: Seen, person = world.ann) => person.opens(card, 'REVISE', /Request a revision/);
const nokForm = (card: Seen) => world.ann.opens(card, 'NOK', /Rate NOK/);

/** What stands in the input of the comment. */
const commentIn = ({ inputs, field }: SeenView) =>
  field(inputs.find((label) => /corrected|NOK/.test(label)) ?? '');

/** The names of the saved reasons that a form offers, in their order. */
const offered = ({ inputs, choices }: SeenView) =>
  inputs.filter((label) => /saved reasons/i.test(label)).flatMap(choices);

const comment = async (task: string) => {
  const found = await eventually('the rating', async () => {
    const rated = await world.marketplace.task(task);
    return rated.task_rating === 'NOTRATED' ? undefined : rated;
  });
  return String(found.employer_comment);
};

test('a saved reason is pressed, chosen and sent: three clicks, no typing; the most used comes first', async () => {
  const { task, card } = await world.taskWithCard('a dark shelf');
  const form = await reviseForm(card);
  expect(offered(form)[0]).toBe('Part of the proof is missing');
  expect(offered(form)).toContain('The answer is in another language');
  // The preview of each begins with what tells it from the others.
  expect(form.text).not.toContain('Thank you for your work');
  // What begins alike is told apart: the greeting of all of them is no preview.
  expect(form.sent()).toContain('The picture is too blurry or too dark');
  expect(form.sent()).not.toContain('Thank you for your work');
  await form.select('Saved reasons', 'The picture is blurry or dark');
  await form.until((view) =>
    commentIn(view).startsWith('Thank you for your work. The picture is too blurry'),
  );
  expect((await form.submit()).errors).toBeUndefined();
  expect(await comment(task)).toMatch(
    /^Thank you for your work\. The picture is too blurry .* submit it again\.$/,
  );

  const next = await world.taskWithCard('the next shelf');
  await eventually('the use is counted', async () => {
    const [first] = offered(await reviseForm(next.card));
    return first === 'The picture is blurry or dark';
  });
});

test('a saved reason is filled in for the task, follows what was typed, gives way to another one, and can be edited', async () => {
  const { task, card } = await world.taskWithCard('a shelf elsewhere');
  const form = await nokForm(card);
  await form.fill(nokLabel, 'Hello.');
  await form.select('Saved reasons', 'The instructions were not followed');
  await form.until((view) => commentIn(view).startsWith('Hello.\n\nWe could not accept'));
  expect(commentIn(form)).toContain('“Photo of a shelf”. We asked for:\nA photo of the whole shelf');
  await form.select('Saved reasons', 'It shows something else');
  await form.until((view) => commentIn(view).includes('a different place'));
  expect(commentIn(form)).not.toContain('instructions');
  await form.submit({ [nokLabel]: `${commentIn(form)} Thank you all the same.` });
  expect(await comment(task)).toMatch(/^Hello\.\n\nWe could not .* asked for\. Thank you all the same\.$/s);
});

test('what was typed is offered again after the form was closed, and not once it was sent', async () => {
  const { task, card } = await world.taskWithCard('a closed shelf');
  const form = await nokForm(card);
  await form.fill(nokLabel, 'The shelf is empty');
  await form.close();
  // A revision takes the same reason.
  const again = await reviseForm(card);
  expect(commentIn(again)).toBe('The shelf is empty');
  expect(again.text).toMatch(/This is from before, .* It was not sent\. Change it, or delete it\./);
  const others = await reviseForm(card, world.ben);
  expect(commentIn(others)).toBe('');
  await others.close();
  await again.submit();
  expect(await comment(task)).toBe('The shelf is empty');
});

const list = async (person = world.ann): Promise<SeenView> => {
  await (await person.looksAtHome(/Reviewing/)).clicks('Saved reasons');
  return person.modal(/Saved reasons/);
};

test('a reason is added for one campaign, changed, removed, and offered as it is', async () => {
  const form = await list();
  await form.clicks('Add a reason', /Text for the worker/);
  const wrong = { Name: 'Show the labels', 'Text for the worker': 'Dear {name}, show the labels.' };
  expect((await form.submit(wrong)).errors).toEqual({
    'Text for the worker': 'Nothing can be filled in for {name}. Use {worker}, {campaign} or {asked}.',
  });
  await form.fill('Text for the worker', 'Dear {worker}, show the labels of “{campaign}”.');
  await form.select('Only in this campaign', 'Photo of a shelf');
  expect((await form.submit()).errors).toBeUndefined();
  await form.untilText(/“Show the labels” was added.*REVISE · Photo of a shelf · not used yet · by @Ann/s);

  const { card } = await world.taskWithCard('a shelf without labels');
  const offer = await reviseForm(card);
  expect(offered(offer)).toContain('Show the labels');
  await offer.select('Saved reasons', 'Show the labels');
  await offer.until((view) => /^Dear \S.*, show the labels of “Photo of a shelf”\.$/.test(commentIn(view)));

  const again = await list();
  await again.clicks('*Show the labels*', /Change a reason/);
  await again.next(/“Show the price labels” was changed/, { Name: 'Show the price labels' });
  await again.clicks('*Show the price labels*', /Change a reason/);
  await again.clicks('Remove', /“Show the price labels” was removed/);
  expect(offered(await reviseForm(card))).not.toContain('Show the price labels');
  const audit = await world.ann.asks('/proofdesk audit', /removed a saved reason/);
  expect(audit.text).toMatch(/changed a saved reason/);
  expect(audit.text).toMatch(/added a saved reason/);
});

test('whoever may rate sees the saved reasons; only managers and owners change them', async () => {
  const seen = await list(world.chloe);
  expect(seen.buttons).not.toContain('Add a reason');
  expect(seen.text).toMatch(/Managers and owners of this account can add, change and remove reasons/);
});
