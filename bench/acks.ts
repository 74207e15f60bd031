import { clickOk, type OpenCard } from './cards.ts';
import { pause, percentile, type startMachine } from './machine.ts';
import { report } from './report.ts';

/*
 * Measures the ack times of the bot and of an empty Bolt app at 200 clicks a second, alternating in the same run. For each
 * percentile, the median of the rounds counts.
 */

type Machine = Awaited<ReturnType<typeof startMachine>>;

const perSecond = 200;
const bars = [
  { name: 'p50', share: 0.5, most: 1.2 },
  { name: 'p99', share: 0.99, most: 1.3 },
] as const;

/** The ack times (ms) of each round. */
export interface AckTimes {
  readonly bot: number[][];
  readonly empty: number[][];
}

/** Clicks on a card at even intervals for some seconds. Returns the ack times (ms). */
export async function clicksFor(
  seconds: number,
  machine: Pick<Machine, 'slackUrl'>,
  card: OpenCard,
): Promise<number[]> {
  const all: Promise<number>[] = [];
  const began = performance.now();
  for (let n = 0; n < seconds * perSecond; n += 1) {
    await pause(Math.max(0, began + (n * 1_000) / perSecond - performance.now()));
    all.push(clickOk(machine, card));
  }
  return Promise.all(all);
}

/** Reports both percentiles of the bot's acks against the empty app's. */
export function reportAcks(what: string, times: AckTimes, detail = ''): void {
  for (const { name, share, most } of bars) {
    const median = (rounds: readonly number[][]) =>
      percentile(
        rounds.map((all) => percentile(all, share)),
        0.5,
      );
    const [bot, empty] = [median(times.bot), median(times.empty)];
    report({
      what: `${what}: ${name}`,
      against: 'an empty Bolt app',
      value: bot / empty,
      most,
      measured: `${bot.toFixed(2)} ms, ${empty.toFixed(2)} ms${detail}`,
    });
  }
}
