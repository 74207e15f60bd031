import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ask } from './health.ts';

/** A sample of a scrape: `name{label="value"} 1`. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a scrape has told. */
export type Scrape = ReturnType<typeof readScrape>;

function readScrape(text: string) {
  const samples = text.split('\n').flatMap((line): Sample[] => {
    const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (value === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', is = '']) => [key, is]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
  /** Returns the samples with this name and these labels. */
  const find = (name: string, labels: Readonly<Record<string, string | RegExp>> = {}) =>
    samples.filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, is]) =>
          typeof is === 'string' ? sample.labels[label] === is : is.test(sample.labels[label] ?? ''),
        ),
    );
  const sum = (...args: Parameters<typeof find>) => find(...args).reduce((all, { value }) => all + value, 0);
  return {
    text,
    find,
    sum,
    /** Returns the highest of these values; undefined without any. */
    max: (...args: Parameters<typeof find>) =>
      find(...args).reduce<number | undefined>(
        (most, { value }) => Math.max(most ?? value, value),
        undefined,
      ),
    /** Estimates a quantile as Prometheus does, within the bucket that has it. */
    quantile(part: number, name: string): number {
      const wanted = part * sum(`${name}_count`);
      const buckets = find(`${name}_bucket`).map(({ labels, value }) => ({ le: Number(labels.le), value }));
      const at = buckets.findIndex(({ le, value }) => value >= wanted && Number.isFinite(le));
      const { le: from, value: below } = buckets[at - 1] ?? { le: 0, value: 0 };
      const { le: to, value: until } = buckets[at] ?? { le: Number.NaN, value: Number.NaN };
      return from + ((to - from) * (wanted - below)) / (until - below);
    },
  };
}

/** Scrapes a bot as Prometheus does. */
export async function scrape(port: number): Promise<Scrape> {
  const answer = await ask(port, '/metrics');
  if (answer?.status !== 200) throw new Error(`/metrics answered ${answer?.status}`);
  return readScrape(answer.text.replaceAll('le="+Inf"', 'le="Infinity"'));
}

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

export const alertsFile = readFileSync(
  join(import.meta.dirname, '../../deploy/prometheus/alerts.yml'),
  'utf8',
);
export const alerts: readonly Alert[] = parse(alertsFile).groups.flatMap(
  ({ rules }: { rules: readonly Alert[] }) => rules,
);

/** Returns whether a value passes the threshold of an alert. */
export function passes(name: string, value: number | undefined): boolean {
  const { expr = '' } = alerts.find(({ alert }) => alert === name) ?? {};
  const [, sign, threshold] = /(>=?) ([\d.]+)$/.exec(expr) ?? [];
  if (threshold === undefined) throw new Error(`${name} has no threshold`);
  if (value === undefined) return false;
  return sign === '>' ? value > Number(threshold) : value >= Number(threshold);
}
