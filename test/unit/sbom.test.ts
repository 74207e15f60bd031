import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

const root = join(import.meta.dirname, '../..');
const readJson = async (path: string) => JSON.parse(await readFile(join(root, path), 'utf8'));

/** What CycloneDX 1.5 demands of a bill of materials, of the parts that this one has. */
const Component = z.object({
  type: z.enum(['application', 'framework', 'library']),
  'bom-ref': z.string().min(1),
  name: z.string().min(1),
  version: z.string().min(1),
  purl: z.string().regex(/^pkg:npm\/.+@.+$/),
  scope: z.enum(['required', 'optional', 'excluded']).optional(),
  hashes: z
    .array(
      z.object({ alg: z.enum(['SHA-1', 'SHA-256', 'SHA-512']), content: z.string().regex(/^[0-9a-f]+$/) }),
    )
    .optional(),
  licenses: z
    .array(
      z.union([
        z.object({ license: z.object({ id: z.string() }) }),
        z.object({ license: z.object({ name: z.string() }) }),
        z.object({ expression: z.string() }),
      ]),
    )
    .optional(),
});
const Sbom = z.object({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.string().regex(/^1\.\d$/),
  serialNumber: z.string().regex(/^urn:uuid:[0-9a-f-]{36}$/),
  version: z.int().positive(),
  metadata: z.object({ timestamp: z.iso.datetime(), component: Component }),
  components: z.array(Component).min(1),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
});

interface Locked {
  readonly version: string;
  readonly dev?: boolean;
}

let folder: string;
let sbom: z.output<typeof Sbom>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proofdesk-sbom-'));
  const file = join(folder, 'sbom.json');
  await promisify(execFile)(process.execPath, [join(root, 'scripts/sbom.mjs'), file], { cwd: root });
  sbom = Sbom.parse(JSON.parse(await readFile(file, 'utf8')));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the bill of materials is of this project', async () => {
  const { name, version } = await readJson('package.json');
  expect(sbom.metadata.component).toMatchObject({ type: 'application', name, version });
});

test('it lists every runtime dependency with its version, license and hash', async () => {
  const { dependencies } = await readJson('package.json');
  const { packages } = (await readJson('package-lock.json')) as { packages: Record<string, Locked> };
  for (const name of Object.keys(dependencies)) {
    const component = sbom.components.find((one) => one.name === name);
    expect(component, name).toMatchObject({ version: packages[`node_modules/${name}`]?.version });
    expect(component?.licenses?.length, name).toBeGreaterThan(0);
    expect(
      component?.hashes?.map(({ alg }) => alg),
      name,
    ).toContain('SHA-512');
  }
});

test('it lists what those need, and nothing that only development needs', async () => {
  const { packages } = (await readJson('package-lock.json')) as { packages: Record<string, Locked> };
  // npm marks what it leaves out of the image.
  const installed = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`);
  const listed = sbom.components.map(({ name, version }) => `${name}@${version}`);
  expect(listed.toSorted()).toEqual([...new Set(installed)].toSorted());
  expect(listed.length).toBeGreaterThan(50);
  for (const name of ['vitest', 'typescript', 'fastify'])
    expect(sbom.components.filter((one) => one.name === name)).toEqual([]);
});

test('it says what needs what', () => {
  const refs = [sbom.metadata.component['bom-ref'], ...sbom.components.map((one) => one['bom-ref'])];
  expect(new Set(refs).size).toBe(refs.length);
  const known = new Set(refs);
  const named = sbom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...(dependsOn ?? [])]);
  expect(named.filter((ref) => !known.has(ref))).toEqual([]);
  expect(sbom.dependencies.map(({ ref }) => ref).toSorted()).toEqual(refs.toSorted());
});
