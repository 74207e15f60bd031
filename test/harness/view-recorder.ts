import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoggedRequest } from '@proofdesk/slack-sandbox';
import { outline } from './view-outline.ts';

/** Where views are recorded, for scripts/baseline.ts; nowhere in other runs. */
const folder = process.env.BASELINE;

const written = new Set<string>();

/** Records every message, view and answer of a form that a workspace has received, if a baseline is being drawn. */
export function recordViews(requests: readonly LoggedRequest[]): void {
  if (folder === undefined) return;
  for (const view of requests.flatMap(sentBy).map(alike)) {
    if (written.has(view)) continue;
    written.add(view);
    appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(view)}\n`);
  }
}

/** Returns what a request shows to people, as an outline under a title of its kind. */
function sentBy({ direction, method, args, answer, ok }: LoggedRequest): string[] {
  if (direction === 'out') return isEmpty(answer) ? [] : [`${method}\n${outline(answer)}`];
  if (ok === false) return [];
  if (method.startsWith('views.')) return [`${method}\n${outline(parsed(args?.view))}`];
  if (method.startsWith('chat.post') || method === 'chat.update' || method === 'response_url') {
    const { text, blocks } = args ?? {};
    return [`${method}\n${outline({ text, blocks: parsed(blocks) })}`];
  }
  return [];
}

/** What sandbox workers happen to have done, and how often, differs from run to run. */
function alike(view: string): string {
  return view
    .replace(/```[\s\S]*?```/g, '```proof```')
    .replace(/\bWorker \w+ \(<id>\) · [^·\\"]+/g, 'Worker <name> (<id>) · <country> ')
    .replace(/(New task by worker <id>(?:, corrected)?): [^\n]*/g, '$1…"')
    .replace(/\d+(?:,\d+)*/g, '#');
}

function isEmpty(answer: unknown): boolean {
  return typeof answer !== 'object' || answer === null || Object.keys(answer).length === 0;
}

/** Web API arguments that are structures arrive as JSON. */
function parsed(value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value;
}
