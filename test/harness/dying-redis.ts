import { type Command, Redis } from 'ioredis';

/**
 * The connection of a dying process: after a given number of steps, each a command or a pipeline, all further ones fail, as
 * if the process had died.
 */
export class DyingRedis extends Redis {
  private left = Number.POSITIVE_INFINITY;
  /** Whether the commands of a pipeline, which share a stream, are executed. */
  private readonly pipelines = new WeakMap<object, boolean>();

  diesAfter(steps: number): void {
    this.left = steps;
  }

  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    // Pings always work: they wait for the commands sent before the process died.
    const isCarriedOut = command.name === 'ping' || this.isAlive(stream);
    if (isCarriedOut) return super.sendCommand(command, stream);
    (command as Command).reject(new Error('the process has died'));
    return (command as Command).promise;
  }

  private isAlive(pipeline: object | undefined): boolean {
    const decided = pipeline && this.pipelines.get(pipeline);
    if (decided !== undefined) return decided;
    const isAlive = this.left > 0;
    this.left -= 1;
    if (pipeline) this.pipelines.set(pipeline, isAlive);
    return isAlive;
  }
}
