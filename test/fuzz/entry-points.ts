import fc, { type Arbitrary } from 'fast-check';
import { ask } from '../harness/health.ts';
import type { Transport, World } from '../harness/world.ts';
import type { Corpus } from './corpus.ts';
import { rawRequests, sendRaw } from './http-bytes.ts';
import { apiAnswers } from './marketplace.ts';
import { clicks, commands, type Delivery, events, submissions, typings } from './payloads.ts';
import { type EntryPoint, entryPoint } from './run.ts';
import { deliverByHttp, deliverBySocket, openSlackWorld, type SlackWorld } from './slack-world.ts';

/**
 * Returns every place at which something from outside enters, with the generator of what may arrive there.
 * @param openWorld opens the world of those that need one
 */
export function entryPoints(
  openWorld: (transport: Transport) => Promise<SlackWorld> = openSlackWorld,
): readonly EntryPoint[] {
  function inWorld<Case>(
    name: string,
    transport: Transport,
    cases: (corpus: Corpus) => Arbitrary<Case>,
    run: (world: World, one: Case) => Promise<string>,
  ): EntryPoint {
    return entryPoint(name, async () => {
      const { world, corpus, emitted, close } = await openWorld(transport);
      return {
        cases: cases(corpus),
        run: (one: Case) => run(world, one),
        emitted,
        close,
        async afterBatch() {
          const answer = await ask(world.port, '/healthz');
          if (answer?.status !== 200) throw new Error('/healthz does not answer');
        },
      };
    });
  }

  const byHttp = (name: string, cases: (corpus: Corpus) => Arbitrary<Delivery>) =>
    inWorld(name, 'http', cases, deliverByHttp);
  const send = ({ port }: World, one: Parameters<typeof sendRaw>[1]) => sendRaw(port, one);
  const everything = (corpus: Corpus) =>
    fc.oneof(commands(corpus), clicks(corpus), submissions(corpus), typings(corpus), events(corpus));

  return [
    inWorld('port with HTTP', 'http', () => rawRequests, send),
    byHttp('commands', commands),
    byHttp('clicks', clicks),
    byHttp('submissions', submissions),
    byHttp('options and shortcuts', typings),
    byHttp('events', events),
    inWorld('port with Socket Mode', 'socket', () => rawRequests, send),
    inWorld('Socket Mode envelopes', 'socket', everything, deliverBySocket),
    apiAnswers,
  ];
}
