/** Streams the answer of results_csv: its rows are passed on before the last of them has arrived. */
import { readCsvAnswer } from './csv-answer.ts';
import type { Datetimes } from './datetimes.ts';
import { decoderOf, type HttpResponse } from './http.ts';
import { CallerFailure } from './pipeline.ts';
import { createResultsReader, type ReadResults } from './results-csv.ts';
import type { Takers } from './results-table.ts';
import type { ResultsTaker } from './types.ts';

/** More than any results should need: those of a million tasks are a third of it. */
const maxBytes = 1024 * 1024 * 1024;

/** Creates the reader of one answer. */
export function createResultsAnswer({
  datetimes,
  campaignId,
  into,
  onSkipped,
}: {
  readonly datetimes: Datetimes;
  readonly campaignId: string;
  readonly into: ResultsTaker;
  readonly onSkipped: Takers['onSkipped'];
}) {
  const onRows = async (rows: Parameters<Takers['onRows']>[0]) => into.onRows?.(rows);
  const reader = createResultsReader(datetimes, { onRows, onSkipped }, campaignId);
  let wireBytes = 0;
  let isUndecodable = false;

  async function take(bytes: Buffer): Promise<void> {
    await into.onCsv?.(bytes);
    await reader.push(bytes);
  }

  async function takeOrFail(bytes: Buffer): Promise<void> {
    await take(bytes).catch((error: unknown) => {
      throw new CallerFailure(error);
    });
  }

  return {
    /** Reads a response. Resolves to the JSON around the CSV text, with an empty text. */
    async receive(response: HttpResponse): Promise<{ readonly text: string }> {
      const { body, received } = response;
      const counted = (async function* () {
        for await (const chunk of body) {
          wireBytes += (chunk as Buffer).length;
          yield chunk as Buffer;
        }
      })();
      const decoded = inUtf8(counted, response, () => {
        isUndecodable = true;
      });
      const text = await readCsvAnswer(decoded, maxBytes, takeOrFail);
      if (received !== undefined) wireBytes = received();
      return { text };
    },

    /** Ends the reading of a success. @param csv text that was not passed on before */
    async end(csv: string): Promise<ReadResults & { readonly wireBytes: number }> {
      if (csv !== '') await take(Buffer.from(csv));
      return { ...(await reader.end(isUndecodable)), wireBytes };
    },
  };
}

/** Passes on an arriving answer in UTF-8; one that is declared to be UTF-8 is not examined. */
function inUtf8(
  chunks: AsyncIterable<Buffer>,
  response: HttpResponse,
  onUndecodable: () => void,
): AsyncIterable<Buffer> {
  const decoder = decoderOf(response);
  if (decoder.encoding === 'utf-8') return chunks;
  return (async function* () {
    for await (const chunk of chunks) yield encoded(decoder.decode(chunk, { stream: true }));
    yield encoded(decoder.decode());
  })();

  function encoded(text: string): Buffer {
    if (text.includes('\uFFFD')) onUndecodable();
    return Buffer.from(text);
  }
}
