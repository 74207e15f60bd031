import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/app/config.ts';

const root = new URL('../../', import.meta.url);
const dockerfile = readFileSync(new URL('Dockerfile', root), 'utf8');
const [lastStage = ''] = dockerfile.split(/^FROM /m).slice(-1);

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** Returns the instructions of a Dockerfile, each on one line. */
const instructionsOf = (file: string): Instruction[] =>
  file
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .flatMap((line) => {
      const [, name = '', text = ''] = /^([A-Za-z]+)\s+(.*)$/.exec(line) ?? [];
      return name ? [{ name: name.toUpperCase(), text }] : [];
    });

const stageOf = ({ text }: Instruction) => / as (\S+)$/i.exec(text)?.[1];

/** The rules of hadolint that concern such an image, by their codes: each returns whether one instruction breaks it. */
const rules: Readonly<Record<string, (one: Instruction, all: readonly Instruction[]) => boolean>> = {
  'DL3000 absolute WORKDIR': ({ name, text }) => name === 'WORKDIR' && !text.startsWith('/'),
  'DL3002 not root': (one, all) =>
    one === all.at(-1) && /^(root|0)?(:|$)/.test(all.findLast(({ name }) => name === 'USER')?.text ?? ''),
  'DL3004 no sudo': ({ name, text }) => name === 'RUN' && /\bsudo\b/.test(text),
  'DL3006 DL3007 a version of the image': ({ name, text }) =>
    name === 'FROM' &&
    !/^[\w./-]+:(?!latest\b)[\w.-]*\d[\w.-]*(@sha256:[0-9a-f]{64})?( as \w+)?$/i.test(text),
  'DL3008 DL3009 DL3014 DL3015 packages of the system': ({ name, text }) =>
    name === 'RUN' &&
    /apt-get install/.test(text) &&
    !/-y.*--no-install-recommends.*rm -rf \/var\/lib\/apt\/lists/.test(text),
  'DL3012 one HEALTHCHECK': (one, all) =>
    one.name === 'HEALTHCHECK' && all.find(({ name }) => name === 'HEALTHCHECK') !== one,
  'DL3020 COPY, not ADD': ({ name }) => name === 'ADD',
  'DL3021 several files go into a folder': ({ name, text }) =>
    name === 'COPY' && text.replace(/--\S+ /g, '').split(/\s+/).length > 2 && !text.endsWith('/'),
  'DL3022 files of an earlier stage': (one, all) => {
    const from = /--from=(\S+)/.exec(one.text)?.[1];
    return from !== undefined && !all.slice(0, all.indexOf(one)).some((each) => stageOf(each) === from);
  },
  'DL3024 a name for each stage': (one, all) =>
    stageOf(one) !== undefined && all.find((each) => stageOf(each) === stageOf(one)) !== one,
  'DL3025 no shell around the program': ({ name, text }) =>
    (name === 'CMD' || name === 'ENTRYPOINT') && !text.startsWith('['),
  'DL3027 apt-get, not apt': ({ name, text }) => name === 'RUN' && /\bapt /.test(text),
  'SECRET none in the image': ({ name, text }) =>
    (name === 'ENV' || name === 'ARG') && /(token|secret|password|api_?key)\w*\s*=?/i.test(text),
  'DL4000 no MAINTAINER': ({ name }) => name === 'MAINTAINER',
  'DL4006 a pipe that fails': ({ name, text }) =>
    name === 'RUN' && / \| /.test(text) && !/pipefail/.test(text),
};

/** Returns the rules that a Dockerfile breaks. */
function lint(file: string): string[] {
  const all = instructionsOf(file);
  return Object.keys(rules).filter((rule) => all.some((one) => rules[rule]?.(one, all)));
}

/** What the image sets for the bot. */
const environment = Object.fromEntries(
  [...lastStage.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((pair) => pair.split('=', 2) as [string, string]),
  ),
);

test('the image keeps the rules of hadolint', () => {
  expect(lint(dockerfile)).toEqual([]);
});

test.each([
  ['DL3000', 'WORKDIR app'],
  ['DL3002', 'USER root'],
  ['DL3004', 'RUN sudo id'],
  ['DL3006', 'FROM node'],
  ['DL3007', 'FROM node:latest'],
  ['DL3008', 'RUN apt-get install -y curl'],
  ['DL3012', 'HEALTHCHECK CMD ["true"]\nHEALTHCHECK CMD ["true"]'],
  ['DL3020', 'ADD src ./src'],
  ['DL3021', 'COPY a b c'],
  ['DL3022', 'COPY --from=nowhere /a /b'],
  ['DL3024', 'FROM node:24-slim AS build'],
  ['DL3025', 'CMD node dist/main.js'],
  ['DL3027', 'RUN apt update'],
  ['SECRET', 'ENV SLACK_BOT_TOKEN=xoxb-1'],
  ['DL4000', 'MAINTAINER me'],
  ['DL4006', 'RUN cat a | \\\n  sort'],
])('would not keep %s with %s', (code, more) => {
  expect(lint(`${dockerfile}\n${more}\n`).join()).toMatch(code);
});

test('the image opens the port on all addresses of its container, in Socket Mode too', () => {
  const config = readConfig({
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_APP_TOKEN: 'xapp-1',
    MARKETPLACE_BASE_URL: 'https://market.example/api/',
    REDIS_URL: 'redis://redis:6379',
    PROOFDESK_ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
    ...environment,
  });
  expect(config.host).toBe('0.0.0.0');
});

test('the image runs what is built, and not as root', () => {
  expect(JSON.parse(/^CMD (.*)$/m.exec(lastStage)?.[1] ?? '[]')).toEqual(['node', 'dist/main.js']);
  expect(lastStage).toMatch(/^USER node$/m);
});

test('the image has neither development packages nor sources', () => {
  expect(dockerfile).toMatch(/^RUN npm install .*--omit=dev/m);
  const copied = [...lastStage.matchAll(/^COPY (?:--from=\w+ )?(\S+)/gm)].map(([, path]) => path);
  expect(copied).toEqual(['/app/node_modules', '/app/dist', 'package.json']);
});
