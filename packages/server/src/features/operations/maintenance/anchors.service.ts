import type { TenantFailure } from '@arbiter/contract';
import { type Database, systemActor } from '../../../db/index.ts';
import type { PrivateFolder } from '../../../platform/private-folder.ts';
import { type Anchor, holdAnchors, selectHead, writeAnchors } from '../../identity/audit/index.ts';
import type { Rounds } from './every-tenant.ts';

export interface AnchorPorts {
  readonly database: Database;
  /** EXPORT_DIR. */
  readonly exportFolder: PrivateFolder;
}

/**
 * Notes the ends of all audit chains in the anchor file of the day, outside the database (docs/design/api-access.md 7). One
 * process at a time. Answers with the number of chains.
 */
export async function anchorChains(
  { database, exportFolder }: AnchorPorts,
  rounds: Rounds,
  until: number,
): Promise<{ readonly anchored: number; readonly errors: TenantFailure[] }> {
  const anchors: Anchor[] = [];
  let errors: TenantFailure[] = [];
  await database.withSystem('audit-anchor', async (tx) => {
    await holdAnchors(tx);
    const at = tx.now.toISOString();
    ({ errors } = await rounds.run(until, async (tenantId) => {
      const head = await database.withTenant(tenantId, systemActor('audit-anchor'), selectHead, { until });
      if (head !== null) anchors.push({ tenantId, ...head, anchoredAt: at });
    }));
    await writeAnchors(exportFolder, at.slice(0, 'YYYY-MM-DD'.length), anchors);
  });
  return { anchored: anchors.length, errors };
}
