import { buildPage } from './build.ts';

await buildPage();
