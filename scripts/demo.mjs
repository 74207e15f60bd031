import { Failure, main, run } from './lib/processes.mjs';
import { runStack } from './lib/stack.mjs';

await main(() =>
  runStack('demo', { ports: ['page', 'marketplace', 'bot', 'control'] }, async (stack) => {
    console.log('Starting the sandboxes …');
    const desk = buildPage('desk/build.ts');
    const workspace = buildPage('sandbox/slack/src/page/build-now.ts').then(stack.startWorkspace);
    await Promise.all([stack.startMarketplace(), workspace, desk]);
    await stack.serveControl();
    console.log('Starting the bot …');
    if (await stack.startBot()) {
      console.log(stack.readyLine());
      console.log('Open the page in a browser. Ctrl-C stops all of it.');
    }
  }),
);
// Open timers and requests no longer matter.
process.exit();

async function buildPage(script) {
  const { code, output } = await run(process.execPath, ['--import', 'tsx', script]);
  if (code !== 0) {
    throw new Failure(`The page could not be built:\n${output.trimEnd()}`);
  }
}
