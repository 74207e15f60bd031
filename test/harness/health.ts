import type { World } from './world.ts';

/** Requests a path from the bot's own port. Resolves with undefined while nothing listens there. */
export async function ask(port: number, path: string): Promise<{ status: number; text: string } | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  return answer && { status: answer.status, text: await answer.text() };
}

export const isReady = async ({ port }: World) => {
  const answer = await ask(port, '/readyz');
  return answer?.status === 200 && answer.text.startsWith('ready\n');
};

/** Returns whether the bot reports that part of its work waits, for this reason. */
export const isDegraded = async ({ port }: World, why: RegExp) => {
  const answer = await ask(port, '/readyz');
  return answer?.status === 200 && answer.text.startsWith('degraded\n') && why.test(answer.text);
};

/** Returns whether the bot reports that it is not ready, for this reason. */
export const notReady = async ({ port }: World, why: RegExp) => {
  const answer = await ask(port, '/readyz');
  return answer?.status === 503 && why.test(answer.text);
};
