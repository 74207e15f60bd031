import { main, root, run } from './lib/processes.mjs';
import { runStack } from './lib/stack.mjs';
import { changedFiles } from './lib/watch.mjs';

await main(() =>
  runStack(
    'dev',
    {
      ports: ['page', 'marketplace', 'bot', 'workspace'],
      flags: ['inspect'],
      onDeath: report,
    },
    async (stack) => {
      const changes = await changedFiles(root, ['src', 'desk', 'sandbox', 'manifest.yml'], stack.signal);
      console.log('Starting the sandboxes, the page and the bot …');
      const [, isRunning] = await Promise.all([
        stack.startPage(),
        buildDesk().then(() => restart(stack, 'sandboxes')),
      ]);
      if (isRunning) {
        console.log(stack.readyLine());
      }
      console.log('Change a file under src/, desk/ or sandbox/ and see the result. Ctrl-C stops everything.');
      for await (const files of changes) {
        if (files.some((path) => path.startsWith('desk/'))) {
          await buildDesk();
        }
        const part = affectedPart(files);
        if (part !== undefined) {
          const started = performance.now();
          console.log(`${files.join(', ')} changed: restarting the ${part} …`);
          if ((await restart(stack, part)) && !stack.signal.aborted) {
            console.log(`Restarted in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
          }
        }
      }
    },
  ),
);
process.exit();

/**
 * Returns the part that must restart for changed files: the sandboxes, which then start from their seeds again, only the
 * bot, which also serves the desk, or nothing for files of the workspace's page, which Vite updates in the browser.
 */
function affectedPart(files) {
  const code = files.filter((path) => !path.startsWith('sandbox/slack/src/page/'));
  if (code.some((path) => path.startsWith('sandbox/') || path === 'manifest.yml')) {
    return 'sandboxes';
  }
  return code.length > 0 ? 'bot' : undefined;
}

/** Restarts the bot, and before it the sandboxes if they are affected. Returns whether all of them became ready. */
async function restart(stack, part) {
  try {
    if (part === 'sandboxes') {
      await stack.removeBot();
      const ready = await Promise.all([stack.startMarketplace(), stack.startWorkspace()]);
      if (ready.includes(false)) {
        return false;
      }
    }
    return await stack.startBot();
  } catch (problem) {
    if (!stack.signal.aborted) {
      report(problem);
    }
    return false;
  }
}

/** Builds the desk's page, or prints why it cannot be built. */
async function buildDesk() {
  const { output } = await run(process.execPath, ['--import', 'tsx', 'desk/build.ts']);
  console.log(output.trimEnd());
}

/** Prints why a process does not run. The next file change may fix it. */
function report(problem) {
  console.error(`${problem.message}\nWaiting for a change …`);
}
