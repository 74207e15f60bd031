import { afterEach } from 'vitest';
import { type BotProcess, startBotProcess } from '../harness/bot-process.ts';

/** Returns what starts the bot as a process, as {@link startBotProcess} does. After each test every one of them is killed. */
export function botsPerTest(): typeof startBotProcess {
  const bots = new Set<BotProcess>();
  afterEach(async () => {
    for (const { child, exit } of bots) {
      child.kill('SIGKILL');
      await exit;
    }
    bots.clear();
  });
  return async (...given) => {
    const bot = await startBotProcess(...given);
    bots.add(bot);
    return bot;
  };
}
