import { stringify } from 'yaml';
import { coverageMarkdown } from './coverage.ts';
import { openApiDocument } from './openapi.ts';
import { permissionsMarkdown } from './permissions.ts';

/** Returns every generated document: its path from the project's root, and its text. */
export function generatedDocs(): { readonly path: string; readonly text: string }[] {
  return [
    { path: 'sandbox/marketplace/openapi.yaml', text: openApiYaml() },
    { path: 'docs/api-coverage.md', text: coverageMarkdown() },
    { path: 'docs/permissions.md', text: permissionsMarkdown() },
  ];
}

function openApiYaml(): string {
  const note = '# Made from src/marketplace by "npm run docs": do not edit.\n';
  return (
    note + stringify(openApiDocument(), { lineWidth: 110, aliasDuplicateObjects: false, compat: 'yaml-1.1' })
  );
}
