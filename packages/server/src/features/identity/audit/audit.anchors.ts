import type { PrivateFolder } from '../../../platform/private-folder.ts';

/** An earlier end of a tenant's chain, recorded outside the database (docs/design/quality.md T26). */
export interface ChainAnchor {
  readonly tenantId: string;
  readonly sequence: number;
  readonly hash: string;
  /** ISO instant. */
  readonly anchoredAt: string;
}

const folderName = 'anchors';
const ending = '.ndjson';
const pathOf = (day: string): string => `${folderName}/${day}${ending}`;
const lineOf = (anchor: ChainAnchor): string => `${JSON.stringify(anchor)}\n`;

/** Adds anchors to the file of a day of UTC (`2026-11-20`); those that are there stay. One writer at a time. */
export async function writeAnchors(folder: PrivateFolder, day: string, anchors: readonly ChainAnchor[]): Promise<void> {
  const before = (await folder.read(pathOf(day))) ?? '';
  const known = new Set(before.split('\n').map(keyOfLine));
  const added = anchors.filter((anchor) => !known.has(keyOf(anchor))).map(lineOf);
  if (added.length > 0) await folder.write(pathOf(day), before + added.join(''));
}

/** A head that has not moved since it was anchored needs no second line. */
const keyOf = ({ tenantId, sequence, hash }: ChainAnchor): string => `${tenantId} ${sequence} ${hash}`;
const keyOfLine = (line: string): string => (line === '' ? '' : keyOf(JSON.parse(line)));

/** Anchors of a tenant from a day on, in order. */
export async function readAnchors(folder: PrivateFolder, tenantId: string, fromDay: string): Promise<ChainAnchor[]> {
  const anchors: ChainAnchor[] = [];
  for (const path of await folder.list(folderName, ending)) {
    if (path < pathOf(fromDay)) continue;
    for (const line of ((await folder.read(path)) ?? '').split('\n')) {
      // Most lines belong to other tenants.
      if (!line.includes(tenantId)) continue;
      const anchor: ChainAnchor = JSON.parse(line);
      if (anchor.tenantId === tenantId) anchors.push(anchor);
    }
  }
  return anchors;
}
