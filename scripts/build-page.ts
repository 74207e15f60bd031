import { buildPage } from '../src/sandbox/slack/index.ts';

await buildPage();
