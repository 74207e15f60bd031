import { createHash } from 'node:crypto';

/** Action ids that others rely on; all others, and block ids, are the bot's own business. */
const contractActions = new Set(['task.ok', 'task.revise', 'task.nok']);

/** What people neither see nor feel, so that it may change without notice. */
const hidden = new Set([
  'block_id',
  'callback_id',
  'external_id',
  'private_metadata',
  'metadata',
  'value',
  'type',
  'verbatim',
  'emoji',
]);

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns a message or view as lines of text that can be compared: one line per block, element and option, with
 * everything that a person sees or can do, and without ids, times and what the bot hides in it.
 *
 * @param drawn a message's `{ text, blocks }`, a modal, a home tab, or a submission's answer
 */
export function outline(drawn: unknown): string {
  return lines(drawn, '').join('\n');
}

function lines(value: unknown, indent: string): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => lines(one, indent));
  if (!isFields(value)) return value === undefined ? [] : [`${indent}${short(value)}`];
  const shown = Object.entries(value).filter(([key, of]) => isShown(key, of));
  const inline = shown.filter(([, of]) => !isNested(of)).map(([key, of]) => `${key}=${short(of)}`);
  const nested = shown.filter(([, of]) => isNested(of));
  return [
    `${indent}${[typeof value.type === 'string' ? value.type : '-', ...inline].join(' ')}`,
    ...nested.flatMap(([key, of]) => [`${indent}  ${key}:`, ...lines(of, `${indent}    `)]),
  ];
}

function isShown(key: string, value: unknown): boolean {
  if (value === undefined || hidden.has(key)) return false;
  return key !== 'action_id' || (typeof value === 'string' && contractActions.has(value));
}

/** Texts and scalars stand in the line of what they belong to. */
function isNested(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((one) => typeof one === 'object');
  return isFields(value) && !('text' in value && Object.keys(value).every((key) => isTextKey(key)));
}

const isTextKey = (key: string) => ['type', 'text', 'verbatim', 'emoji'].includes(key);

/** Long texts are cut: their length and hash stand for the rest. */
function short(value: unknown): string {
  const text = withoutIds(JSON.stringify(isFields(value) ? value.text : value));
  if (text.length <= 360) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 6);
  return `${[...text].slice(0, 240).join('')}… (${text.length} characters, ${hash})`;
}

/** Ids of files, messages, tasks and campaigns, moments and durations differ from run to run. */
function withoutIds(text: string): string {
  return text
    .replace(/<!date\^\d+\^([^|>]*)\|[^>]*>/g, '<date $1>')
    .replace(/\b(?:\d{10}\.\d{6}|1[5-9]\d{8}(?:\d{3})?)\b/g, '<time>')
    .replace(/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?/g, '<time>')
    .replace(/http:\/\/(?:localhost|127\.0\.0\.1):\d+/g, '<host>')
    .replace(/\bp\d{16}\b/g, '<message>')
    .replace(/\b[FVR](?=[0-9A-Z]*\d)[0-9A-Z]{8,}\b/g, '<file>')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b/g, '<uuid>')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/g, '<id>');
}
