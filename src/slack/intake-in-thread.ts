import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { messageOf, UserError } from '../errors.ts';
import { threadProgram } from '../threads.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { Intake, IntakeListener, IntakeSettings } from './intake.ts';
import type { FromThread, Step, ThreadData, ToThread } from './intake-messages.ts';
import type { Log } from './slack-logger.ts';
import { connectionLost } from './socket.ts';

/** Memory limits of the thread (MB): arrivals are handed over at once. */
const limits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** Delay before a thread that has ended is replaced (ms). */
const restartMs = 1_000;
/** Delay after a thread was refused Slack's token or the port, which worked before (ms). */
const refusedRestartMs = 5_000;

const newWorker = (...given: ConstructorParameters<typeof Worker>) => new Worker(...given);

/** A caller that waits until the thread has completed a step. */
interface Waiting {
  readonly step: Step;
  readonly resolve: (port: number) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Creates an intake in a separate thread, so that acks do not wait for the bot's other work. The thread loads its modules at
 * once, and opens the port and connects when it is told to. A thread that ends unexpectedly is restarted, and repeats its
 * steps.
 * @param createWorker starts a thread
 */
export function createThreadIntake(
  { log, ...options }: IntakeSettings & { readonly log: Log },
  listener: IntakeListener,
  createWorker = newWorker,
): Intake {
  const signs = startHeartbeat();
  const steps: Step[] = [];
  let settings: IntakeSettings = options;
  let thread: Worker | undefined;
  let isStopping = false;
  let waiting: Waiting | undefined;
  let refusal: string | undefined;

  const tell = (message: ToThread) => thread?.postMessage(message);

  function hear(message: FromThread): void {
    if (message.kind === 'arrived') listener.arrived(message.arrival);
    else if (message.kind === 'problem') listener.problem(message.problem);
    else if (message.kind === 'logged') log[message.level](message.fields, message.text);
    else if (message.kind === 'health') {
      const { id, path } = message;
      void listener.health(path).then((answer) => tell({ kind: 'health', id, answer }));
    } else if (message.kind === 'opened') {
      // A replacement thread opens the same port, even when any free one was requested.
      if (settings.mode === 'http') settings = { ...settings, port: message.port };
      done('open', message.port);
    } else if (message.kind === 'started') done('start');
    else if (message.kind === 'refused') refuse(message.reason);
  }

  /** Resolves the wait for a step; nothing waits when a restarted thread repeats it. */
  function done(step: Step, port = 0): void {
    if (waiting?.step !== step) return;
    waiting.resolve(port);
    waiting = undefined;
  }

  function refuse(reason: string): void {
    if (waiting !== undefined) {
      const { reject } = waiting;
      return void end().then(() => reject(new UserError(reason)));
    }
    refusal = reason;
    void thread?.terminate();
  }

  function run(): void {
    const data: ThreadData = { settings, isTracing: log.isLevelEnabled('trace'), sign: signs.sign };
    const [program, how] = threadProgram('slack/intake-thread');
    const started = createWorker(program, { ...how, workerData: data, resourceLimits: limits });
    thread = started;
    started.on('message', hear);
    started.on('error', (error) => log.error({ reason: messageOf(error) }, 'receiving from Slack failed'));
    started.on('exit', () => {
      if (thread !== started) return;
      thread = undefined;
      if (isStopping) return;
      const reason = refusal ?? connectionLost;
      log.warn({ reason }, 'the thread that receives from Slack has ended, and is started again');
      listener.problem(reason);
      setTimeout(() => isStopping || run(), refusal === undefined ? restartMs : refusedRestartMs);
      refusal = undefined;
    });
    for (const kind of steps) tell({ kind });
  }

  const take = (step: Step) =>
    new Promise<number>((resolve, reject) => {
      waiting = { step, resolve, reject };
      steps.push(step);
      tell({ kind: step });
    });

  async function end(): Promise<void> {
    isStopping = true;
    signs.stop();
    await thread?.terminate();
  }

  run();
  return {
    ...(settings.mode === 'http' ? { open: () => take('open') } : {}),
    async start() {
      await take('start');
    },
    ack: (id, answer) => tell({ kind: 'ack', id, answer }),
    fail: (id, why) => tell({ kind: 'fail', id, why }),
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
      done('start');
    },
  };
}
