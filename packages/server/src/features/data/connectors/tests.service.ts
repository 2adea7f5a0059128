import {
  type ConnectorPreview,
  type ConnectorReason,
  type ConnectorStatus,
  type ConnectorTest,
  connectorTypeInfo,
} from '@arbiter/contract';
import { type Actor, type Database, readCatalogueVersion, type Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import { asSourceError, SourceError } from '../../../platform/sources/source-error.ts';
import { findRecord, getRecord, updateRecord } from '../../catalogue/catalogue-records/index.ts';
import { type ConnectorRow, connectorSpec, updateSynced, updateTested } from './connectors.store.ts';
import { previewColumns } from './preview.rules.ts';
import type { SourceReader, SourceRow } from './reader.ts';
import { messageOf } from './reasons.rules.ts';
import { type ConnectorValues, maskAll, mergeConfig, splitSecrets } from './secrets.rules.ts';
import { openAuth } from './secrets.service.ts';
import type { ProbeOutcome, SourceOfConnector, Sources } from './sources.ts';
import { methodOf, missingConfig } from './type-list.rules.ts';

export interface TestPorts {
  readonly database: Database;
  readonly envelope: Envelope | null;
  readonly connectorSources: Sources;
}

/** Whose call it is. */
export interface ConnectorCaller {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly requestId: string;
  readonly until: number;
}

/** A connector with its credentials. */
interface OpenConnector {
  readonly row: ConnectorRow;
  readonly auth: ConnectorValues;
  readonly source: SourceOfConnector;
  readonly openedAt: Date;
}

/** Reads a connector and opens its credentials. Throws 404, and 503 `not_configured`. */
export async function openConnector(
  tx: Tx,
  envelope: Envelope | null,
  id: string,
  over: ConnectorValues = {},
): Promise<OpenConnector> {
  const row = await getRecord(tx, connectorSpec, id);
  const auth = await openAuth(tx, envelope, row.id);
  const config = { ...mergeConfig(row.config, auth), ...withoutAddress(over) };
  const { type, authMethod } = row;
  return {
    ...{ row, auth, openedAt: tx.now },
    source: { tenantId: tx.tenantId, id: row.id, type, method: methodOf(type, authMethod), config },
  };
}

const addressKeys = ['host', 'port', 'hosts', 'url', 'endpoint', 'bootstrapServers', 'instanceUrl', 'storageAccount'];

/** Options of a read choose what is read, and neither the server nor the credentials. */
function withoutAddress(over: ConnectorValues): ConnectorValues {
  const { config } = splitSecrets(over);
  return Object.fromEntries(Object.entries(config).filter(([key]) => !addressKeys.includes(key)));
}

const read = ({ database, envelope }: TestPorts, caller: ConnectorCaller, id: string, over?: ConnectorValues) =>
  database.withTenant(caller.tenantId, caller.actor, (tx) => openConnector(tx, envelope, id, over), {
    requestId: caller.requestId,
    until: caller.until,
  });

const statusAfter = (status: ConnectorStatus, reason: ConnectorReason): ConnectorStatus => {
  if (status === 'inactive') return status;
  return reason === 'ok' ? 'active' : 'error';
};

/** Notes a test. A connector that was deleted in the meantime stays deleted. */
async function noteTest(tx: Tx, id: string, outcome: ProbeOutcome, isFile: boolean): Promise<void> {
  const row = await findRecord(tx, connectorSpec, id, 'change');
  if (row === null) return;
  const status = statusAfter(row.status, outcome.reason);
  if (status !== row.status) await updateRecord(tx, connectorSpec, id, { change: () => ({ status }) });
  await updateTested(tx, id, outcome.reason === 'ok' ? null : outcome.reason);
  if (isFile && outcome.reason === 'ok' && outcome.rowCount !== undefined) await updateSynced(tx, id, outcome.rowCount);
}

const testOf = (
  { row, auth }: OpenConnector,
  { reason, probe, latencyMs, missing, details, rowCount, line, driver }: ProbeOutcome,
  testedAt: Date,
): ConnectorTest => ({
  success: reason === 'ok',
  status: statusAfter(row.status, reason),
  ...{ reason, message: messageOf(row.type, reason, { line, driver }), probe, latencyMs },
  testedAt: testedAt.toISOString(),
  missing: [...missing],
  details: { ...details },
  ...(rowCount === undefined ? {} : { rowCount }),
  authConfig: maskAll(auth),
});

/** Tests a connector and notes the result. Throws 404. `version`: of the catalogue, with the new status. */
export async function testConnector(
  ports: TestPorts,
  caller: ConnectorCaller,
  id: string,
): Promise<{ readonly result: ConnectorTest; readonly version: number }> {
  const open = await read(ports, caller, id);
  const outcome = await ports.connectorSources.probe(open.source);
  let raised: number | null = null;
  const { testedAt, current } = await ports.database.withTenant(
    caller.tenantId,
    caller.actor,
    async (tx) => {
      await noteTest(tx, open.row.id, outcome, open.row.type === 'csv');
      return { testedAt: tx.now, current: await readCatalogueVersion(tx) };
    },
    {
      requestId: caller.requestId,
      onCatalogueVersion: (version) => {
        raised = version;
      },
    },
  );
  return { result: testOf(open, outcome, testedAt), version: raised ?? current };
}

/** Milliseconds for a preview. */
const previewMs = 10_000;
const defaultRows = 20;

async function firstRows(reader: SourceReader, limit: number): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  const signal = AbortSignal.timeout(previewMs);
  for await (const batch of reader.read({ cursor: null, signal, rowLimit: limit + 1 })) {
    rows.push(...batch.rows);
    if (rows.length > limit) break;
  }
  return rows;
}

/** Reads the first rows. What the source does wrong is the body of a failed test. Throws 404. */
export async function previewConnector(
  ports: TestPorts,
  caller: ConnectorCaller,
  id: string,
  { source: over, limit = defaultRows }: { readonly source?: ConnectorValues; readonly limit?: number },
): Promise<ConnectorPreview | ConnectorTest> {
  const open = await read(ports, caller, id, over);
  const startedAt = performance.now();
  let reader: SourceReader | null = null;
  try {
    reader = ports.connectorSources.open(open.source);
    const rows = await firstRows(reader, limit);
    const shown = rows.slice(0, limit).map((row) => ({ ...row }));
    return {
      ...{ success: true, columns: previewColumns(shown), rows: shown, rowCount: shown.length },
      truncated: rows.length > limit,
    };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    const { reason, line, driver } = isLate ? new SourceError('connect_timeout') : asSourceError(error);
    const { type, config } = open.source;
    const outcome: ProbeOutcome = {
      ...{ reason, line, driver, probe: connectorTypeInfo(type).probe, details: {} },
      latencyMs: Math.round(performance.now() - startedAt),
      missing: reason === 'missing_config' ? missingConfig(type, config) : [],
    };
    return testOf(open, outcome, open.openedAt);
  } finally {
    await reader?.close();
  }
}
