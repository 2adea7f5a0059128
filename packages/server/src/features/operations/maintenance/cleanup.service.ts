import { type CleanupAnswer, cleanedClasses } from '@arbiter/contract';
import { type Database, systemActor } from '../../../db/index.ts';
import type { Retainer } from '../../../feature.ts';
import { ensureInteractionPartitions, historyTables } from '../../deciding/interactions/index.ts';
import { ensureRecordPartitions } from '../../deciding/sealed-records/index.ts';
import { listRetention } from '../retention/index.ts';
import type { Rounds } from './every-tenant.ts';

export interface CleanupPorts {
  readonly database: Database;
  /** Of all features. */
  readonly retainers: readonly Retainer[];
  readonly onError: (error: unknown) => void;
}

const actor = systemActor('cleanup');
/** This month and the next three. */
const monthsAhead = 4;
/** Tables in monthly partitions: those of history, and the sealed records. */
const partitionedTables = historyTables.length + 1;

/**
 * Deletes expired data of every tenant, and makes the partitions of the months ahead.
 * Work is done in short transactions until `until`; what is left then is the next call's, and the nightly jobs'.
 */
export async function cleanUp(ports: CleanupPorts, rounds: Rounds, until: number): Promise<CleanupAnswer['cleaned']> {
  const partitionsEnsured = await ensurePartitions(ports, until);
  const removed: Record<Retainer['counted'], number> = {
    suppressions: 0,
    history: 0,
    summaries: 0,
    decisions: 0,
    metrics: 0,
  };
  const legalHoldSkips: Record<string, string[]> = {};
  const cleanTenant = async (tenantId: string): Promise<void> => {
    const retentions = await ports.database.withTenant(tenantId, actor, listRetention, { until });
    const heldClasses = cleanedClasses.filter((name) =>
      retentions.some((each) => each.dataClass === name && each.legalHold),
    );
    if (heldClasses.length > 0) legalHoldSkips[tenantId] = heldClasses;
    for (const { counted, remove } of ports.retainers) {
      for (let more = true; more && performance.now() < until; ) {
        const slice = await ports.database.withTenant(tenantId, actor, remove);
        removed[counted] += slice.rows;
        more = slice.more;
      }
    }
  };
  const { tenants, errors } = await rounds.run(until, cleanTenant);
  return {
    expiredSuppressions: removed.suppressions,
    tenantsProcessed: tenants,
    totalHistoryPurged: removed.history,
    totalSummariesPurged: removed.summaries,
    totalDecisionsPurged: removed.decisions,
    legalHoldSkips,
    partitionsEnsured,
    perTenantErrors: errors,
  };
}

/** Without them the cleanup continues: they are made three months ahead, by a job of their own as well. */
async function ensurePartitions({ database, onError }: CleanupPorts, until: number): Promise<number> {
  try {
    await database.withSystem('partitions', ensureInteractionPartitions, { until });
    await database.withSystem('partitions', ensureRecordPartitions, { until });
    return partitionedTables * monthsAhead;
  } catch (error) {
    onError(error);
    return 0;
  }
}
