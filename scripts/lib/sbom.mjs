import { randomUUID } from 'node:crypto';

/**
 * Returns the bill of materials of a project (CycloneDX 1.5): all its production dependencies, from its lock file.
 * `npm sbom --omit dev` would omit packages that development needs too, such as zod (npm 11.19).
 *
 * @param {{ name: string, version: string, description?: string, packages: Record<string, any> }} lock package-lock.json,
 *   with the description of package.json
 * @param {Date} now
 */
export function createSbom({ name, version, description, packages }, now) {
  const found = reachable(packages);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: now.toISOString(),
      component: {
        type: 'application',
        'bom-ref': refOf(name, version),
        name,
        version,
        ...(description ? { description } : {}),
        purl: purlOf(name, version),
      },
    },
    components: unique([...found.keys()].filter(Boolean).map((path) => componentOf(path, packages[path]))),
    dependencies: unique(
      [...found].map(([path, needed]) => ({
        ref: path === '' ? refOf(name, version) : refAt(path, packages),
        dependsOn: [...new Set(needed.map((one) => refAt(one, packages)))].sort(byText),
      })),
    ),
  };
}

/** Returns the paths of all packages that the project depends on, each with the paths of its own dependencies. */
function reachable(packages) {
  const found = new Map();
  const waiting = [''];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const needed = neededBy(packages[path]).flatMap((name) => resolve(packages, path, name) ?? []);
    found.set(path, needed);
    waiting.push(...needed);
  }
  return new Map([...found].sort(([a], [b]) => byText(a, b)));
}

function neededBy({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies ?? {}).filter((peer) => !peerDependenciesMeta[peer]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** Resolves a package as Node does: in the folder of the dependent package, then further up. */
function resolve(packages, from, name) {
  for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return undefined;
  }
}

function componentOf(path, { version, integrity, license, optional }) {
  const name = nameAt(path);
  return {
    type: 'library',
    'bom-ref': refOf(name, version),
    name,
    version,
    scope: optional ? 'optional' : 'required',
    purl: purlOf(name, version),
    ...(license ? { licenses: [licenseOf(license)] } : {}),
    ...(integrity ? { hashes: integrity.split(' ').map(hashOf) } : {}),
  };
}

function licenseOf(license) {
  if (/^[\w.+-]+$/.test(license)) return { license: { id: license } };
  return / (OR|AND|WITH) /.test(license) ? { expression: license } : { license: { name: license } };
}

/** Converts a hash from npm's format, `sha512-<base64>`. */
function hashOf(integrity) {
  const [, bits, base64] = /^sha(\d+)-(.+)$/.exec(integrity);
  return { alg: `SHA-${bits}`, content: Buffer.from(base64, 'base64').toString('hex') };
}

const nameAt = (path) => path.replace(/^.*node_modules\//, '');
const refOf = (name, version) => `${name}@${version}`;
const refAt = (path, packages) => refOf(nameAt(path), packages[path].version);
const purlOf = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

const byText = (a, b) => (a < b ? -1 : 1);

/** Removes duplicates: a package may be installed in several places. */
function unique(all) {
  return [...new Map(all.map((one) => [one['bom-ref'] ?? one.ref, one])).values()];
}
