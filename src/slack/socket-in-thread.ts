import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { messageOf, UserError } from '../errors.ts';
import { threadProgram } from '../threads.ts';
import { giveSigns } from './sign-of-life.ts';
import { connectionLost } from './socket.ts';
import type { Intake, IntakeListener, IntakeOptions } from './socket-intake.ts';
import type { FromThread, ThreadData, ToThread } from './socket-messages.ts';

/** What the thread may take (MB): what has arrived is handed over at once. */
const limits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** The wait before a thread is started in place of one that has ended (ms). */
const restartMs = 1_000;
/** The same after Slack has refused the token, which it had accepted before (ms). */
const refusedRestartMs = 5_000;

const newWorker = (...given: ConstructorParameters<typeof Worker>) => new Worker(...given);

/**
 * Creates an intake in a thread of its own: acks do not wait for what the bot is at work on. The thread loads its modules at once, and
 * connects when it is started. One that ends by itself is started again.
 * @param createWorker starts a thread
 */
export function createThreadIntake(
  options: IntakeOptions,
  listener: IntakeListener,
  createWorker = newWorker,
): Intake {
  const { log } = options;
  const signs = giveSigns();
  let thread: Worker | undefined;
  let isStarted = false;
  let isStopping = false;
  let wasConnected = false;
  let refusal: string | undefined;
  let connected: () => void = () => undefined;
  let refused: (error: Error) => void = () => undefined;

  const tell = (message: ToThread) => thread?.postMessage(message);

  function hear(message: FromThread): void {
    if (message.kind === 'arrived') listener.arrived(message.arrival);
    else if (message.kind === 'problem') listener.problem(message.problem);
    else if (message.kind === 'logged') log[message.level](message.fields, message.text);
    else if (message.kind === 'connected') {
      wasConnected = true;
      connected();
    } else if (message.kind === 'refused' && !wasConnected) refused(new UserError(message.reason));
    else if (message.kind === 'refused') {
      refusal = message.reason;
      void thread?.terminate();
    }
  }

  function run(): void {
    const data: ThreadData = {
      appToken: options.appToken,
      apiUrl: options.apiUrl,
      isTracing: log.isLevelEnabled('trace'),
      sign: signs.sign,
    };
    const [program, how] = threadProgram('slack/socket-thread');
    const started = createWorker(program, { ...how, workerData: data, resourceLimits: limits });
    thread = started;
    started.on('message', hear);
    started.on('error', (error) => log.error({ reason: messageOf(error) }, 'receiving from Slack failed'));
    started.on('exit', () => {
      if (thread !== started) return;
      thread = undefined;
      if (isStopping) return;
      listener.problem(refusal ?? connectionLost);
      setTimeout(() => isStopping || run(), refusal === undefined ? restartMs : refusedRestartMs);
      refusal = undefined;
    });
    if (isStarted) tell({ kind: 'start' });
  }

  async function end(): Promise<void> {
    isStopping = true;
    signs.stop();
    await thread?.terminate();
  }

  run();
  return {
    start: () =>
      new Promise((resolve, reject) => {
        connected = resolve;
        refused = (error) => void end().then(() => reject(error));
        isStarted = true;
        tell({ kind: 'start' });
      }),
    ack: (id, answer) => tell({ kind: 'ack', id, answer }),
    async stop() {
      isStopping = true;
      if (thread === undefined) return end();
      const ended = once(thread, 'exit');
      const stopped = new Promise<void>((resolve) =>
        thread?.on('message', ({ kind }: FromThread) => kind === 'stopped' && resolve()),
      );
      tell({ kind: 'stop' });
      await Promise.race([stopped, ended]);
      await end();
      connected();
    },
  };
}
