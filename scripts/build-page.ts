import { buildPage } from '../src/sandbox/slack/page/build.ts';

await buildPage();
