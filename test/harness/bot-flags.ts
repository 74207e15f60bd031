import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly scripts: { readonly start: string };
};

/** The flags that `npm start` gives to Node. The image gives the same, see test/unit/image.test.ts. */
export const botFlags: readonly string[] = scripts.start.match(/--\S+/g) ?? [];
