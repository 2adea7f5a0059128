import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { type Database, systemActor } from '../db/index.ts';
import { createArchive } from '../features/deciding/archived-months/index.ts';
import { createCustomerKeys } from '../features/deciding/customer-states/index.ts';
import { decisionNamed } from '../features/deciding/decisions/index.ts';
import { replayRecord, selectRandomRecords } from '../features/deciding/sealed-records/index.ts';
import { verifyChain } from '../features/identity/audit/index.ts';
import { selectTenantNames } from '../features/identity/tenants/index.ts';
import { AppError } from '../platform/app-error.ts';
import { keyOf } from '../platform/crypto/crypto.ts';
import { createPrivateFolder } from '../platform/private-folder.ts';
import { archiveFilesOf } from './archive.ts';
import { masterKeysOf } from './secrets.ts';

/** The result of checking a restored installation. */
export interface RestoreProof {
  readonly replayed: number;
  readonly identical: number;
  /** Decisions of erased customers, and those whose inputs are never stored. */
  readonly unavailable: number;
  readonly auditRows: number;
  readonly chains: number;
  /** Every difference, one line each. */
  readonly problems: readonly string[];
}

const maxReplays = 100;
const patient = { statementTimeoutMs: 600_000 };
const actor = systemActor('restore');

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Findings = Mutable<Omit<RestoreProof, 'problems'>> & { problems: string[] };

/**
 * Replays 100 random decisions of all tenants, or of one, and verifies their audit chains, as far as they go. Writes nothing.
 */
export async function verifyRestored(
  config: Config,
  database: Database,
  tenantId: string | null,
): Promise<RestoreProof> {
  const found: Findings = { replayed: 0, identical: 0, unavailable: 0, auditRows: 0, chains: 0, problems: [] };
  const tenants = (await database.withSystem('restore', selectTenantNames)).filter(
    ({ id }) => tenantId === null || id === tenantId,
  );
  const records: { readonly tenantId: string; readonly id: string }[] = [];
  for (const tenant of tenants) {
    await verifyTenantChain(config, database, { tenantId: tenant.id, name: tenant.name }, found);
    const ids = await database.withTenant(tenant.id, actor, (tx) => selectRandomRecords(tx, maxReplays), patient);
    records.push(...ids.map((id) => ({ tenantId: tenant.id, id })));
  }
  // One draw per record of each tenant: a tenant with few decisions gets fewer of the hundred.
  const drawn = records.map((record) => ({ record, draw: randomInt(2 ** 40) })).sort((a, b) => a.draw - b.draw);
  const archive = createArchive(archiveFilesOf(config));
  const ports = { keys: createCustomerKeys(masterKeysOf(config)), archive, decisionNamed };
  for (const { record } of drawn.slice(0, maxReplays)) {
    await database.withTenant(record.tenantId, actor, async (tx) => {
      try {
        const { identical } = await replayRecord(tx, ports, record.id);
        found.replayed += 1;
        if (identical) found.identical += 1;
        else found.problems.push(`decision ${record.id} replays differently`);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (error.code === 'inputs_unavailable') found.unavailable += 1;
        else found.problems.push(`decision ${record.id}: ${error.message}`);
      }
    });
  }
  return found;
}

async function verifyTenantChain(
  config: Config,
  database: Database,
  { tenantId, name }: { readonly tenantId: string; readonly name: string },
  found: Findings,
): Promise<void> {
  const checkpointKeys = [config.DATA_ENCRYPTION_KEY, ...config.DATA_ENCRYPTION_KEYS_OLD]
    .map(keyOf)
    .filter((key) => key !== null);
  const exportFolder = createPrivateFolder(config.EXPORT_DIR ?? join(config.DATA_DIR, 'exports'));
  found.chains += 1;
  for (let fromSequence: number | null = 1; fromSequence !== null; ) {
    const from: number = fromSequence;
    const page = await database.withTenant(
      tenantId,
      actor,
      (tx) => verifyChain(tx, { fromSequence: from }, { checkpointKeys, exportFolder }),
      { snapshot: true, ...patient },
    );
    found.auditRows += page.verified;
    if (!page.intact) {
      found.problems.push(
        `the audit chain of ${name} is broken: ${page.brokenReason ?? 'unknown'} at ${page.brokenAtId ?? 'its end'}`,
      );
    }
    fromSequence = page.intact ? page.nextSequence : null;
  }
}
