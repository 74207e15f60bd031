import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { main, root } from './lib/processes.mjs';
import { createSbom } from './lib/sbom.mjs';

// Prints the software bill of materials of what the image runs besides Node, or writes it to the given file: CycloneDX
// JSON, from package-lock.json alone.
await main(async () => {
  const [file] = process.argv.slice(2);
  const read = async (name) => JSON.parse(await readFile(join(root, name), 'utf8'));
  const { description } = await read('package.json');
  const sbom = createSbom({ ...(await read('package-lock.json')), description }, new Date());
  const text = `${JSON.stringify(sbom, null, 2)}\n`;
  if (file === undefined) process.stdout.write(text);
  else await writeFile(file, text);
});
