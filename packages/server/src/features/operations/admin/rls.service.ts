import type { RlsRepair, RlsReport } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { limitLockWait, repairTable, selectTableSecurity, type TableSecurity } from './rls.store.ts';

const hasPolicy = ({ policies }: TableSecurity) => policies.includes('tenant_isolation');
const isMissing = (table: TableSecurity) => !table.rlsEnabled || !hasPolicy(table);
const isWhole = (table: TableSecurity) => !isMissing(table) && table.rlsForced;

/** Row-level security of every table, partition and data table. */
export async function reportRls(tx: Tx): Promise<RlsReport> {
  const tables = await selectTableSecurity(tx);
  return {
    summary: {
      totalTables: tables.length,
      rlsEnabled: tables.filter((table) => table.rlsEnabled).length,
      rlsForced: tables.filter((table) => table.rlsForced).length,
      withPolicy: tables.filter(hasPolicy).length,
      missingRLS: tables.filter(isMissing).map(({ table }) => table),
    },
    tables: tables.map(({ table, rlsEnabled, rlsForced, policies }) => ({ table, rlsEnabled, rlsForced, policies })),
    timestamp: tx.now.toISOString(),
  };
}

/**
 * Enables and forces row-level security and creates the policy wherever one of them is missing.
 * Tables that are whole are left alone, so a repeated call locks nothing. Tables that fail are named, the others stay
 * repaired.
 */
export async function repairRls(tx: Tx): Promise<RlsRepair> {
  await limitLockWait(tx);
  const tables = await selectTableSecurity(tx);
  const failed: { table: string; error: string }[] = [];
  for (const table of tables) {
    if (isWhole(table)) continue;
    const error = await repairTable(tx, table);
    if (error !== null) failed.push({ table: table.table, error });
  }
  const broken = new Set(failed.map(({ table }) => table));
  const enabled = tables.map(({ table }) => table).filter((table) => !broken.has(table));
  const repaired = tables.filter((table) => !isWhole(table) && !broken.has(table.table)).map(({ table }) => table);
  await recordAudit(tx, {
    action: 'update',
    entityType: 'rls',
    entityId: 'enable_all',
    entityName: null,
    after: { repaired, failed, totalTables: tables.length },
  });
  return {
    success: failed.length === 0,
    enabled,
    failed,
    totalTables: tables.length,
    timestamp: tx.now.toISOString(),
  };
}
