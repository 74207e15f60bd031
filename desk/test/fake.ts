/** A bot that only pretends, to look at the page: `tsx desk/test/fake.ts [port] [tasks]`. */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buildDesk } from '../build.ts';
import type { Made, Me, Outcome, Rate, Row, Task } from '../src/protocol.ts';

const [port = '4555', amount = '300'] = process.argv.slice(2);
const campaigns = [
  ['c1', 'Photo of a supermarket shelf'],
  ['c2', 'Opening hours of a pharmacy'],
  ['c3', 'Write a review of the app'],
] as const;
const workers = ['ines_13', 'bao_631', 'jonas_561', 'maria.k', 'tolu_a', 'omar_22', 'anna_w'];
const countries = ['Greece', 'Vietnam', 'Germany', 'Brazil', 'Nigeria', 'India', 'Poland'];
const listeners = new Set<ServerResponse>();
const rated = new Map<string, Made>();
const mine = new Set(['t4']);
const ids = Array.from({ length: Number(amount) }, (_, at) => `t${at}`);
const pick = <T>(list: readonly T[], at: number) => list[at % list.length] as T;

function rowOf(task: string): Row {
  const at = Number(task.slice(1));
  const decided = rated.get(task);
  return {
    task,
    round: at % 5 === 3 ? 2 : 1,
    worker: pick(workers, at),
    country: pick(countries, at),
    campaign: pick(campaigns, at)[1],
    dueAt: Date.now() + (at - 1) * 1_700_000,
    hasEvidence: at % 4 === 1,
    isMine: mine.has(task),
    assignment: mine.has(task) ? 'mine' : '',
    ...(mine.has(task) ? { assignedTo: 'Ann Reyes' } : at % 9 === 5 ? { assignedTo: 'Ben Okafor' } : {}),
    ...(at === 6 ? { lookedAtBy: 'Chloé Martin' } : {}),
    ...(decided ? { decided } : {}),
  };
}

function taskOf(task: string): Task {
  const at = Number(task.slice(1));
  const file = (round: number, index: number, name: string) =>
    ({ url: `/desk/proof/${task}/${round}/${index}`, name, kind: 'picture' }) as const;
  const isSecond = at % 5 === 3;
  const pictures =
    at % 3 === 2 ? [] : Array.from({ length: 1 + (at % 3) }, (_, n) => file(1, n, `IMG_20${n}${at}.jpg`));
  return {
    ...rowOf(task),
    slots: [
      {
        asked: 'Name of the shop and the street it is in',
        pieces: isSecond
          ? [
              { text: 'Spar, Market Street ' },
              { text: '1', change: 'removed' },
              { text: '12', change: 'added' },
            ]
          : [{ text: 'Spar, Market Street 12' }],
        links: [],
      },
      {
        asked: 'What does the lowest shelf show? Name at least three products.',
        pieces: [
          { text: 'Oat milk, rice milk and two kinds of coffee creamer. The label of the third is torn.' },
        ],
        links: [{ url: 'https://maps.example.com/place/spar-lindenstrasse', host: 'maps.example.com' }],
      },
    ],
    instructions: 'Go to any supermarket.\nTake one sharp photo of the whole shelf from two meters away.',
    payment: '0.45 USD',
    files: at % 7 === 2 ? [{ url: `/desk/proof/${task}/1/9`, name: 'receipt.txt', kind: 'other' }] : pictures,
    ...(isSecond
      ? {
          before: {
            comment: 'The number of the house is missing.',
            by: 'Ben',
            files: [file(0, 0, 'Picture 1')],
            sentence: 'The text changed, the picture didn’t.',
          },
        }
      : {}),
    evidence: at % 4 === 1 ? ['Same picture as bao_631 (OK)', 'Submitted 12 s after another task'] : [],
    record: ['41 OK, 3 NOK, 2 revised', 'In this campaign: first task'],
    notes:
      at % 6 === 1
        ? [{ by: 'Ben Okafor', at: Date.now() - 9e6, text: 'Looks like the shop from yesterday.' }]
        : [],
    reasons: {
      NOK: [
        { id: 'n1', name: 'Another shop', text: 'The photo shows another shop than the one you name.' },
        { id: 'n2', name: 'Not sharp', text: 'The photo is too blurred to read the labels.' },
      ],
      REVISE: [
        {
          id: 'r1',
          name: 'Whole shelf',
          text: 'Please take the photo again so that the whole shelf is in it.',
        },
      ],
    },
  };
}

const me = (): Me => ({
  session: 'session',
  member: 'U01ANN',
  name: 'Ann Reyes',
  now: Date.now(),
  campaigns: campaigns.map(([id, title]) => ({ id, title, waiting: 100 })),
  warnings: [],
});

function rate({ verdict, tasks }: Rate): Outcome[] {
  return tasks.map(({ id, task }) => {
    if (task === 't2')
      return { task, kind: 'missed', sentence: 'Ben rated this NOK at 10:04.', row: rowOf(task) };
    const undoUntil = Date.now() + 20_000;
    rated.set(task, {
      id,
      verdict,
      sentence: `Ann rated this ${verdict}.`,
      undoUntil,
    });
    return { task, kind: 'done', row: rowOf(task) };
  });
}

const picture = (path: string) => {
  const hue = [...path].reduce((sum, letter) => sum + letter.charCodeAt(0) * 7, 0) % 360;
  const bottles = Array.from(
    { length: 40 },
    (_, n) =>
      `<rect x="${40 + (n % 10) * 112}" y="${60 + Math.floor(n / 10) * 200}" width="70" height="130" rx="14" fill="hsl(${(hue + n * 13) % 360} 45% ${40 + (n % 4) * 8}%)"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="900"><rect width="1200" height="900" fill="hsl(${hue} 18% 82%)"/>${bottles.join('')}</svg>`;
};

await buildDesk();
const page = join(import.meta.dirname, '../../dist/desk');
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
  const json = (value: unknown) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  const [, task = ''] = /^\/desk\/api\/tasks\/(.+)$/.exec(pathname) ?? [];
  const done = (): Outcome => ({ task: body.task, kind: 'done', row: rowOf(body.task) });
  response.setHeader(
    'content-security-policy',
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; connect-src 'self'",
  );
  if (/^\/desk\/?$/.test(pathname))
    response.setHeader('content-type', 'text/html').end(await readFile(join(page, 'index.html')));
  else if (pathname.startsWith('/desk/assets/')) {
    const types = { css: 'text/css', js: 'text/javascript', mjs: 'text/javascript', svg: 'image/svg+xml' };
    response
      .setHeader('content-type', types[pathname.split('.').at(-1) as 'js'] ?? 'font/woff2')
      .end(await readFile(join(page, pathname.slice(6))));
  } else if (pathname.startsWith('/desk/proof/'))
    response.setHeader('content-type', 'image/svg+xml').end(picture(pathname));
  else if (pathname === '/desk/session') json({});
  else if (pathname === '/desk/api/me') json(me());
  else if (pathname === '/desk/api/queue')
    json({
      tasks: ids.filter((id) => !rated.has(id) && rowOf(id).worker.includes(searchParams.get('text') ?? '')),
      more: 0,
    });
  else if (pathname === '/desk/api/rows') json(body.tasks.map(rowOf));
  else if (task) json(taskOf(task));
  else if (pathname === '/desk/api/look') json({ others: { t6: 'Chloé Martin' }, looking: ['t6'] });
  else if (pathname === '/desk/api/rate') json(rate(body));
  else if (pathname === '/desk/api/undo') {
    rated.delete(body.task);
    json(done());
  } else if (pathname === '/desk/api/take') {
    mine.add(body.task);
    json(done());
  } else if (pathname === '/desk/api/assign') {
    mine.delete(body.task);
    json(done());
  } else if (pathname === '/desk/api/note') json(done());
  else if (pathname === '/desk/api/members')
    json([
      { member: 'U02BEN', name: 'Ben Okafor' },
      { member: 'U03CHLOE', name: 'Chloé Martin' },
    ]);
  else if (pathname === '/desk/api/events') {
    response.setHeader('content-type', 'text/event-stream').write(':\n\n');
    listeners.add(response);
  } else json({});
}
createServer((request, response) => void serve(request, response)).listen(Number(port), '127.0.0.1');
