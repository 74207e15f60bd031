import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseReply } from '../../src/domain/reply.ts';
import { threadReplyOf } from '../../src/slack/thread-replies.ts';
import { writtenText } from '../../src/slack/written-text.ts';

const anyCase = (word: string) =>
  fc
    .tuple(...[...word].map((letter) => fc.constantFrom(letter.toLowerCase(), letter.toUpperCase())))
    .map((letters) => letters.join(''));
const space = fc.constantFrom('', ' ', '\n', '\t ', '\u00a0');

describe('what a reply asks for', () => {
  test('`ok` alone rates, in any case and with spaces around it', () => {
    fc.assert(
      fc.property(anyCase('ok'), space, space, (word, before, after) => {
        expect(parseReply(`${before}${word}${after}`)).toEqual({ kind: 'rating', verdict: 'OK', reason: '' });
      }),
    );
  });

  test('nothing else ever pays: not a text that begins with ok, nor one that contains it', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.tuple(anyCase('ok'), fc.string({ unit: 'grapheme', minLength: 1 })).map((parts) => parts.join('')),
      fc.tuple(fc.string({ minLength: 1 }), anyCase('ok')).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (written) => {
        const reply = parseReply(written);
        const pays = reply?.kind === 'rating' && reply.verdict === 'OK';
        expect(pays).toBe(/^[oO][kK]$/.test(written.trim()));
      }),
      {
        numRuns: 2_000,
        examples: [
          ['ok?'],
          ['ok thanks, but the label is missing'],
          ['OK!'],
          ['ok.'],
          ['ok:'],
          ['ok, but'],
          ['okay'],
          ['o k'],
          ['*ok*'],
          ['`ok`'],
          ['> ok'],
          ['not ok'],
          ['ok ok'],
          ['o\u212a'],
          ['ok\u200b'],
          ['ok :+1:'],
          ['ok 👍'],
        ],
      },
    );
  });

  const reason = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .map((text) => text.trim())
    .filter((text) => /[\p{L}\p{N}]/u.test(text) && !/^[:,]/.test(text));

  test('`revise` and `nok` take the rest as the reason, as it was written', () => {
    const words = [
      ['revise', 'REVISE'],
      ['nok', 'NOK'],
    ] as const;
    const mark = fc.constantFrom(': ', ':', ', ', ',', ' ', '\n', ' : ', ' , ');
    fc.assert(
      fc.property(
        fc.constantFrom(...words),
        anyCase('revise'),
        mark,
        reason,
        ([word, verdict], cased, sep, text) => {
          const written = word === 'revise' ? cased : word;
          const reply = parseReply(`${written}${sep}${text}`);
          const isQuestion = !sep.includes(':') && /[?？]["'”’)\]\s]*$/u.test(text);
          if (isQuestion) expect(reply).toEqual({ kind: 'question', verdict });
          else expect(reply).toEqual({ kind: 'rating', verdict, reason: text });
        },
      ),
      {
        examples: [
          [words[0], 'Revise', ' ', 'the price labels cannot be read'],
          [words[1], 'revise', ', ', 'really?'],
          [words[0], 'REVISE', ': ', 'can you add a photo of the label?'],
        ],
      },
    );
  });

  test.each([
    ['nok', { kind: 'no reason', verdict: 'NOK' }],
    ['Revise:', { kind: 'no reason', verdict: 'REVISE' }],
    ['revise ,', { kind: 'no reason', verdict: 'REVISE' }],
    ['nok ...', { kind: 'no reason', verdict: 'NOK' }],
    ['nok?', undefined],
    ['nok ?', undefined],
    ['nokia', undefined],
    ['revised it', undefined],
    ['I would nok this', undefined],
    ['nok, are you sure?', { kind: 'question', verdict: 'NOK' }],
    ['nok: are you sure?', { kind: 'rating', verdict: 'NOK', reason: 'are you sure?' }],
    ['note', { kind: 'no text' }],
    ['NOTE: ask Ben first', { kind: 'note', text: 'ask Ben first' }],
    ['note ask Ben?', { kind: 'note', text: 'ask Ben?' }],
    ['notes are in the file', undefined],
    ['', undefined],
  ])('%j', (text, expected) => {
    expect(parseReply(text)).toEqual(expected);
  });
});

describe('what a person wrote, without Slack’s notation', () => {
  test.each([
    ['a &lt;b&gt; &amp; c', 'a <b> & c'],
    ['see <https://a.example/x?y=1&amp;z=2>', 'see https://a.example/x?y=1&z=2'],
    ['see <https://a.example|a.example>', 'see https://a.example'],
    ['see <https://a.example|the rules>', 'see the rules (https://a.example)'],
    ['mail <mailto:a@b.example|a@b.example>', 'mail a@b.example'],
    ['in <#C01|review>', 'in #review'],
    ['&amp;lt; stays', '&lt; stays'],
    ['<!date^1^{date}|today>', 'today'],
  ])('%j', (source, text) => {
    expect(writtenText(source)).toEqual({ text, mentioned: [], mentionsGroup: false });
  });

  test('names whom it mentions', () => {
    expect(writtenText('ask <@U02BEN> and <@U02BEN>')).toEqual({
      text: 'ask @U02BEN and @U02BEN',
      mentioned: ['U02BEN'],
      mentionsGroup: false,
    });
    expect(writtenText('<!here> <!subteam^S1|@reviewers>')).toMatchObject({
      text: '@here @reviewers',
      mentionsGroup: true,
    });
  });

  test('a link, a mention or a name never becomes an ok', () => {
    for (const source of ['<#C1|ok>', '<https://ok|ok>', '<@Uok>', '<!ok>', '<!date^1^x|ok> now'])
      expect(parseReply(writtenText(source).text)).toBeUndefined();
  });
});

describe('events of messages', () => {
  const reply = { type: 'message', user: 'U01ANN', text: 'ok', ts: '2.0', thread_ts: '1.0', team: 'T1' };
  const read = (event: unknown) => threadReplyOf('T1', 'C1', event);

  test('a reply of a person, and one that was sent to the channel as well', () => {
    const expected = {
      workspace: 'T1',
      team: 'T1',
      member: 'U01ANN',
      channel: 'C1',
      thread: '1.0',
      ts: '2.0',
    };
    expect(read(reply)).toEqual({ ...expected, change: 'new', texts: ['ok'] });
    expect(read({ ...reply, subtype: 'thread_broadcast' })).toMatchObject({ change: 'new' });
    expect(read({ ...reply, user_team: 'T9' })).toMatchObject({ team: 'T9' });
  });

  test('one that was changed or deleted', () => {
    expect(
      read({ subtype: 'message_changed', message: reply, previous_message: { ...reply, text: 'note x' } }),
    ).toMatchObject({ change: 'changed', texts: ['ok', 'note x'] });
    expect(read({ subtype: 'message_deleted', previous_message: reply })).toMatchObject({
      change: 'deleted',
    });
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
  ])('none for one %s', (_, event) => {
    expect(read(event)).toBeUndefined();
  });
});
