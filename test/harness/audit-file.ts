import { eventually } from './eventually.ts';
import type { World } from './world.ts';

/** An entry of the audit: the cells of its row that are not empty, by the name of their column in lower case. */
type AuditRow = Readonly<Record<string, string>>;

/** Returns the audit as Ann gets it who has it sent as a file, oldest entry first. */
export async function readsAudit({ ann, slackUrl }: World): Promise<AuditRow[]> {
  const [channel, direct] = ['C01REVIEW', 'D01ANN'];
  const last = async (place: string) => (await ann.reads(place)).at(-1)?.ts ?? '';
  const [before, beforeDirect] = [await last(channel), await last(direct)];
  await ann.types(channel, '/proofdesk audit');
  await ann.clicks(await ann.sees(channel, /Audit/, { after: before }), 'Send as a file');
  const file = await eventually('the file of the audit', async () => {
    const messages = (await ann.reads(direct)).filter(({ ts }) => ts > beforeDirect);
    return messages.flatMap(({ files }) => files)[0];
  });
  const [head = [], ...rows] = cellsOf(await (await fetch(`${slackUrl}${file.sandbox_url}`)).text());
  return rows
    .reverse()
    .map((row) =>
      Object.fromEntries(
        head.map((name, at) => [name.toLowerCase(), row[at] ?? '']).filter(([, cell]) => cell !== ''),
      ),
    );
}

/** Returns the cells of a CSV file without the apostrophe that keeps spreadsheets from reading them as a number. */
function cellsOf(csv: string): string[][] {
  const lines = csv.replace(/^\uFEFF/u, '').trimEnd();
  return lines
    .split(/\r\n(?=(?:[^"]*"[^"]*")*[^"]*$)/u)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/gu)].map(([, quoted, plain = '']) =>
        (quoted?.replaceAll('""', '"') ?? plain).replace(/^'/u, ''),
      ),
    );
}
