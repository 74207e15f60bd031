import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, main, root } from './lib/processes.mjs';

// Prints the section of CHANGELOG.md for a tag such as v1.2.0, which must be the version in package.json.
await main(async () => {
  const version = (process.argv[2] ?? '').replace(/^v/, '');
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  if (version !== manifest.version) {
    throw new Failure(
      `The tag is for version "${version}", but package.json has version ${manifest.version}.`,
    );
  }
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  const section = changelog
    .split(/^## /m)
    .find((text) => text.startsWith(`${version} `) || text.startsWith(`${version}\n`));
  const notes = section?.slice(section.indexOf('\n')).trim();
  if (!notes) {
    throw new Failure(
      `CHANGELOG.md has no section "## ${version}". Rename "## Unreleased" and add the date.`,
    );
  }
  console.log(notes);
});
