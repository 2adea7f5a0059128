import { DatabaseError, type HotPath } from '../../../db/index.ts';
import type { TenantCatalogue } from './tenant-catalogue.ts';
import { newestVersions } from './versions.store.ts';

/** The catalogue turned out to be older than the database's: the batch is done again with the new one. */
export class StaleCatalogue extends Error {
  readonly version: number;
  constructor(version: number) {
    super('the catalogue has changed');
    this.version = version;
  }
}

/**
 * The newer version that explains the error: it was found, or a statement broke on a table or column that
 * a newer catalogue no longer has, or has with another type. Throws the error when nothing newer explains it.
 */
export async function versionBehind(hot: HotPath, catalogue: TenantCatalogue, error: unknown): Promise<number> {
  if (error instanceof StaleCatalogue) return error.version;
  if (!(error instanceof DatabaseError) || error.kind === 'unique') throw error;
  try {
    await assertNewest(hot, catalogue);
  } catch (newer) {
    if (newer instanceof StaleCatalogue) return newer.version;
    throw newer;
  }
  throw error;
}

/** Throws StaleCatalogue when the database has a newer one. */
export async function assertNewest(hot: HotPath, catalogue: TenantCatalogue): Promise<void> {
  const [rows] = await hot.run(catalogue.tenantId, (tx) => tx.send([newestVersions(catalogue.tenantId)]));
  const version = Number(rows![0]!.version);
  if (version > catalogue.version) throw new StaleCatalogue(version);
}
