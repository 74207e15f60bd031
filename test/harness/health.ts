import type { World } from './world.ts';

/** Asks the bot's own port for a path; undefined while nothing listens there. */
export async function ask(port: number, path: string): Promise<{ status: number; text: string } | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  return answer && { status: answer.status, text: await answer.text() };
}

export const isReady = async ({ port }: World) => {
  const answer = await ask(port, '/readyz');
  return answer?.status === 200 && answer.text.startsWith('ready\n');
};

/** Whether the bot says that part of its work waits, and why. */
export const isDegraded = async ({ port }: World, why: RegExp) => {
  const answer = await ask(port, '/readyz');
  return answer?.status === 200 && answer.text.startsWith('degraded\n') && why.test(answer.text);
};

/** Whether the bot says that it is not ready, and why. */
export const notReady = async ({ port }: World, why: RegExp) => {
  const answer = await ask(port, '/readyz');
  return answer?.status === 503 && why.test(answer.text);
};
