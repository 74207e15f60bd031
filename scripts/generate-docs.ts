/** Writes the generated documents: sandbox/marketplace/openapi.yaml, docs/api-coverage.md and docs/permissions.md. */
import { writeFile } from 'node:fs/promises';
import { generatedDocs } from './docs/index.ts';

for (const { path, text } of generatedDocs()) await writeFile(new URL(`../${path}`, import.meta.url), text);
