import { setUp } from './lib/needs.mjs';
import { main } from './lib/processes.mjs';

// Installs missing requirements without asking. `--chromium` includes the browser for the browser tests.
await main(async () => {
  const { noChromium } = await setUp({ chromium: process.argv.includes('--chromium'), faketime: true });
  if (noChromium !== undefined) {
    console.warn(`The browser tests will be skipped: ${noChromium}`);
  }
  console.log('Everything needed is installed.');
});
