import {
  type Connector,
  type ConnectorAuthMethod,
  type ConnectorCreate,
  type ConnectorType,
  connectorTypeInfo,
} from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { invalid, refuseProblems } from '../../../platform/app-error.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import { newId } from '../../../platform/ids.ts';
import {
  type Addressed,
  createRecord,
  hardDeleteRecord,
  inUse,
  inUseEntry,
  type RecordChange,
  toWire,
  updateRecord,
} from '../../catalogue/catalogue-records/index.ts';
import { type ConnectorRow, connectorSpec, selectAuthFields } from './connectors.store.ts';
import { type ConnectorValues, mergeConfig, movedBy, splitSecrets, unmask } from './secrets.rules.ts';
import { openAuth, storeAuth } from './secrets.service.ts';
import type { Sources } from './sources.ts';
import { anyMethod, takesMethod } from './type-list.rules.ts';

/** Port: names what reads from this connector. */
export type FindConnectorUses = (
  tx: Tx,
  id: string,
) => Promise<readonly { readonly noun: string; readonly name: string; readonly id: string }[]>;

export interface ConnectorPorts {
  /** Seals credentials; null without DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
  readonly connectorSources: Pick<Sources, 'retry'>;
  readonly findConnectorUses: FindConnectorUses;
}

/** Connectors as answers show them. */
export async function showConnectors(tx: Tx, rows: readonly ConnectorRow[]): Promise<Connector[]> {
  const authFields = await selectAuthFields(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const { category, status } = connectorTypeInfo(row.type);
    const names = authFields.get(row.id) ?? [];
    const auth = { hasAuth: names.length > 0, authFields: names };
    return { ...toWire(row), config: { ...row.config }, category, typeStatus: status, ...auth };
  });
}

function assertMethod(type: ConnectorType, method: ConnectorAuthMethod | undefined): void {
  if (method === undefined || takesMethod(type, method)) return;
  const { label, authMethods } = connectorTypeInfo(type);
  throw invalid('/authMethod', `must be a method of ${label}: ${authMethods.join(', ')}`);
}

const keysOf = (auth: ConnectorValues): string[] => Object.keys(auth).map((key) => `authConfig.${key}`);

/** Replaces masks in credentials. Throws 400 for masks of nothing. */
function withoutMasks(auth: ConnectorValues, stored: ConnectorValues): ConnectorValues {
  const found = unmask(auth, stored, '/authConfig');
  refuseProblems(
    found.unknown.map((path) => ({ path, message: 'is masked, but no secret is stored; enter the secret' })),
  );
  return found.auth;
}

/** Creates a connector. Throws 400 for a method that the type lacks, 503 `not_configured` for secrets without a key. */
export async function createConnector(
  tx: Tx,
  { envelope }: ConnectorPorts,
  { config: own = {}, connectionConfig = {}, authConfig = {}, ...fields }: ConnectorCreate,
): Promise<ConnectorRow> {
  assertMethod(fields.type, fields.authMethod);
  const { config, secrets } = splitSecrets({ ...connectionConfig, ...own });
  const auth = withoutMasks(mergeConfig(secrets, authConfig), {});
  const row = await createRecord(tx, connectorSpec, { ...fields, config }, { id: newId() });
  await storeAuth(tx, envelope, row.id, auth);
  return row;
}

type ConnectorChanges = Partial<ConnectorCreate>;

/**
 * Changes the supplied fields. Credentials belong to the server they were entered for: who never saw them must not have
 * them sent elsewhere.
 */
export async function changeConnector(
  tx: Tx,
  { envelope, connectorSources }: ConnectorPorts,
  id: string,
  rowVersion: number | undefined,
  { config: own, connectionConfig, authConfig, ...fields }: ConnectorChanges,
): Promise<ConnectorRow> {
  const secretsGiven: string[] = [];
  const row = await updateRecord(tx, connectorSpec, id, {
    rowVersion,
    secretsGiven,
    async change(current): Promise<RecordChange<ConnectorRow>> {
      const type = fields.type ?? current.type;
      const isOtherType = type !== current.type;
      assertMethod(type, fields.authMethod);
      const authMethod = fields.authMethod ?? (takesMethod(type, current.authMethod) ? current.authMethod : anyMethod);
      const isConfigGiven = own !== undefined || connectionConfig !== undefined;
      const given = isConfigGiven ? splitSecrets({ ...connectionConfig, ...own }) : null;
      const config = given?.config ?? current.config;
      const moved = movedBy(current.config, config);
      if (!isOtherType && given === null && authConfig === undefined) return { ...fields, authMethod };
      const stored = await openAuth(tx, envelope, current.id);
      const usable = isOtherType || moved.length > 0 ? {} : stored;
      const base = authConfig === undefined ? usable : withoutMasks(authConfig, usable);
      const auth = mergeConfig(base, withoutMasks(given?.secrets ?? {}, usable));
      if (authConfig === undefined) noteDropped(tx, stored, auth, moved);
      if (JSON.stringify(auth) !== JSON.stringify(stored)) {
        secretsGiven.push(...keysOf(auth));
        await storeAuth(tx, envelope, current.id, auth);
      }
      return { ...fields, authMethod, config };
    },
  });
  // Its last failures say nothing about its new settings.
  connectorSources.retry(tx.tenantId, row.id);
  return row;
}

function noteDropped(tx: Tx, stored: ConnectorValues, auth: ConnectorValues, moved: readonly string[]): void {
  const [first] = moved;
  if (first === undefined || Object.keys(stored).every((key) => key in auth)) return;
  tx.remarks.push({
    path: `/config/${first}`,
    nearest: null,
    reason: 'moves the connector to another server, so its credentials were deleted',
    suggestion: 'Enter the credentials again in authConfig.',
    isAdvice: true,
  });
}

/** Removes a connector with its credentials. Throws 409 `in_use` while a pipeline reads from it. */
export async function deleteConnector(
  tx: Tx,
  { findConnectorUses }: ConnectorPorts,
  id: string,
  addressed: Addressed,
): Promise<void> {
  await hardDeleteRecord(tx, connectorSpec, id, {
    addressed,
    async check(connector) {
      const uses = await findConnectorUses(tx, connector.id);
      const entries = uses.map((use) => inUseEntry(addressed, use.noun, use.name, use.id));
      if (entries.length > 0) throw inUse('connector', entries);
    },
  });
}
