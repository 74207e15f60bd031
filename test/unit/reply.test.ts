import { expect, test } from 'vitest';
import { noteIn } from '../../src/domain/note.ts';
import { threadReplyOf } from '../../src/slack/events.ts';
import { writtenText } from '../../src/slack/mrkdwn.ts';

test.each([
  ['note', ''],
  ['note: …', ''],
  ['NOTE: ask Ben first', 'ask Ben first'],
  ['  note ask Ben?  ', 'ask Ben?'],
  ['note\nthe shop\nhas closed', 'the shop\nhas closed'],
  ['note 👍', '👍'],
  ['notes are in the file', undefined],
  ['a note', undefined],
  ['ok', undefined],
  ['nok: show the label', undefined],
  ['', undefined],
])('the note in the reply %j', (text, expected) => {
  expect(noteIn(text)).toBe(expected);
});

test.each([
  ['a &lt;b&gt; &amp; c', 'a <b> & c'],
  ['see <https://a.example/x?y=1&amp;z=2>', 'see https://a.example/x?y=1&z=2'],
  ['see <https://a.example|a.example>', 'see https://a.example'],
  ['see <https://a.example|the rules>', 'see the rules (https://a.example)'],
  ['mail <mailto:a@b.example|a@b.example>', 'mail a@b.example'],
  ['in <#C01|review>', 'in #review'],
  ['&amp;lt; stays', '&lt; stays'],
  ['<!date^1^{date}|today>', 'today'],
])('what a person wrote is read without Slack’s notation: %j', (source, text) => {
  expect(writtenText(source)).toEqual({ text, mentioned: [] });
});

test('what a person wrote names whom it mentions', () => {
  expect(writtenText('ask <@U02BEN> and <@U02BEN>')).toEqual({
    text: 'ask @U02BEN and @U02BEN',
    mentioned: ['U02BEN'],
  });
  expect(writtenText('<!here> <!subteam^S1|@reviewers>')).toMatchObject({
    text: '@here @reviewers',
  });
});

test('what a person wrote is all that counts: a link, a mention or a name never becomes a note', () => {
  for (const source of ['<#C1|note>', '<https://note|note>', '<@Unote>', '<!note>'])
    expect(noteIn(writtenText(source).text)).toBeUndefined();
});

const reply = { type: 'message', user: 'U01ANN', text: 'note', ts: '2.0', thread_ts: '1.0', team: 'T1' };
const read = (event: unknown) => threadReplyOf('T1', 'C1', event);

test('an event of a message is a reply of a person, also one that was sent to the channel as well', () => {
  const where = { workspace: 'T1', team: 'T1', channel: 'C1', thread: '1.0', ts: '2.0' };
  const expected = { ...where, member: 'U01ANN' };
  expect(read(reply)).toEqual({ ...expected, texts: ['note'] });
  expect(read({ ...reply, subtype: 'thread_broadcast' })).toMatchObject(expected);
  expect(read({ ...reply, user_team: 'T9' })).toMatchObject({ team: 'T9' });
});

test('an event of a message may say that it was changed or deleted', () => {
  const before = { ...reply, text: 'note x' };
  const changed = read({ subtype: 'message_changed', message: reply, previous_message: before });
  expect(changed).toMatchObject({ ts: '2.0', texts: ['note', 'note x'] });
  const deleted = read({ subtype: 'message_deleted', previous_message: reply });
  expect(deleted).toMatchObject({ ts: '2.0', texts: ['note'] });
});

test.each([
  ['of a bot', { ...reply, bot_id: 'B1' }],
  ['of a workflow', { ...reply, subtype: 'bot_message' }],
  ['with a file', { ...reply, subtype: 'file_share' }],
  ['outside of a thread', { ...reply, thread_ts: undefined }],
  ['that begins a thread', { ...reply, thread_ts: '2.0' }],
  ['of nobody', { ...reply, user: undefined }],
  ['that the bot changed', { subtype: 'message_changed', message: { ...reply, bot_id: 'B1' } }],
  ['that is no message', null],
])('no event for a message %s', (_, event) => {
  expect(read(event)).toBeUndefined();
});
