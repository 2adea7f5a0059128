import {
  defaultPage,
  type NotificationProvider,
  type NotificationProviderChange,
  type NotificationProviderCreate,
  type Pagination,
  pageSize,
} from '@arbiter/contract';
import { nearestWord } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { type Envelope, SealError, type SealPlace } from '../../../platform/crypto/crypto.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import type { OutboundRules } from '../../../platform/outbound/outbound-rules.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import {
  configProblems,
  type DestinationConfig,
  joinConfig,
  mergeConfig,
  namesOf,
  splitConfig,
  summaryOf,
} from './config.rules.ts';
import type { Destination } from './outcome.ts';
import {
  countProviders,
  deleteProvider,
  insertProvider,
  type ProviderRow,
  replaceSealed,
  selectProvider,
  selectProviders,
  selectSealed,
  updateProvider,
} from './providers.store.ts';

export interface ProviderPorts {
  /** Seals secrets; null without DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
  readonly outboundRules: OutboundRules;
}

/** Destinations of one tenant. */
const maxProviders = 500;

const notFound = () => new AppError('not_found', { detail: 'This destination does not exist.' });
const placeOf = (tenantId: string, recordId: string): SealPlace => ({ tenantId, recordId, field: 'notification' });

/** A destination as answers carry it. */
export function showProvider({ lastOk, lastAt, lastError, ...row }: ProviderRow): NotificationProvider {
  return {
    ...row,
    config: { ...row.config },
    lastResult: lastOk === null || lastAt === null ? null : { ok: lastOk, at: lastAt.toISOString(), error: lastError },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** What the audit log stores; message results aren't changes of the destination. */
const auditView = (row: ProviderRow) => {
  const { lastResult: _last, ...shown } = showProvider(row);
  return shown;
};

/** Returns one page, newest first. */
export async function listProviders(
  tx: Tx,
  { limit: asked, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): Promise<{ data: NotificationProvider[]; pagination: Pagination }> {
  const limit = pageSize(defaultPage, asked);
  if (cursor !== undefined && (!isUuid(cursor) || (await selectProvider(tx, cursor)) === undefined)) {
    throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
  }
  const found = await selectProviders(tx, cursor ?? null, limit + 1);
  const page = pageOf({ rows: found, limit, total: await countProviders(tx), cursorOf: ({ id }) => id });
  return { data: page.rows.map(showProvider), pagination: page.pagination };
}

/** Returns one destination. Throws 404. */
export async function getProvider(tx: Tx, id: string): Promise<ProviderRow> {
  const row = await selectProvider(tx, id);
  if (row === undefined) throw notFound();
  return row;
}

/** Takes a config's known values. The others have no effect, and the caller gets a remark. */
function withKnownValues(tx: Tx, kind: ProviderRow['kind'], config: DestinationConfig): DestinationConfig {
  const names = namesOf(kind);
  for (const name of Object.keys(config)) {
    if (names.includes(name)) continue;
    const path = `/config/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    tx.remarks.push({ path, nearest: nearestWord(name, names), reason: null });
  }
  return Object.fromEntries(Object.entries(config).filter(([name]) => names.includes(name)));
}

/** 422 `config_invalid` for a whole config that cannot be used. */
function judge(kind: ProviderRow['kind'], config: DestinationConfig, rules: OutboundRules): void {
  const problems = configProblems(kind, config, rules);
  const [first] = problems;
  if (first === undefined) return;
  throw new AppError('config_invalid', {
    detail: `${first.path} ${first.message}`,
    errors: problems.slice(0, 50),
  });
}

async function keepSecrets(
  tx: Tx,
  envelope: Envelope | null,
  id: string,
  secrets: Readonly<Record<string, string>>,
): Promise<void> {
  if (Object.keys(secrets).length === 0) return replaceSealed(tx, id, null);
  if (envelope === null) {
    throw new AppError('not_configured', { detail: "Secrets can't be stored: DATA_ENCRYPTION_KEY is not set." });
  }
  await replaceSealed(tx, id, envelope.seal(placeOf(tx.tenantId, id), JSON.stringify(secrets)));
}

/** The config with its secrets; 503 `not_configured` when they do not open. */
async function openConfig(tx: Tx, envelope: Envelope | null, { id, config }: ProviderRow): Promise<DestinationConfig> {
  const sealed = await selectSealed(tx, id);
  if (sealed === undefined) return config;
  if (envelope === null) {
    throw new AppError('not_configured', { detail: "Secrets can't be decrypted: DATA_ENCRYPTION_KEY is not set." });
  }
  try {
    const secrets: Record<string, string> = JSON.parse(
      envelope.open(placeOf(tx.tenantId, id), sealed).toString('utf8'),
    );
    return joinConfig(config, secrets);
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause;
    throw new AppError('not_configured', {
      detail: "The secrets of the destination can't be decrypted. Enter them again.",
      cause,
    });
  }
}

/** Returns where messages to this row go. Throws 503 `not_configured` when its secrets can't be opened. */
export const destinationOf = async (tx: Tx, envelope: Envelope | null, row: ProviderRow): Promise<Destination> => ({
  tenantId: tx.tenantId,
  id: row.id,
  kind: row.kind,
  config: await openConfig(tx, envelope, row),
});

/** Throws 422 `config_invalid`, 503 `not_configured` for secrets that nothing can seal, 409 `limit_reached`. */
export async function createProvider(
  tx: Tx,
  { envelope, outboundRules }: ProviderPorts,
  { kind, name, enabled = true, config }: NotificationProviderCreate,
): Promise<ProviderRow> {
  if ((await countProviders(tx)) >= maxProviders) {
    throw new AppError('limit_reached', { detail: `A tenant can have at most ${maxProviders} destinations.` });
  }
  // As in a change, null means a missing value.
  const whole = mergeConfig({}, withKnownValues(tx, kind, config));
  judge(kind, whole, outboundRules);
  const { shown, secrets } = splitConfig(whole);
  const times = { createdAt: tx.now, updatedAt: tx.now };
  const last = { lastOk: null, lastAt: null, lastError: null };
  const row: ProviderRow = {
    id: newId(),
    kind,
    name,
    enabled,
    config: shown,
    configSummary: summaryOf(kind, whole),
    ...last,
    ...times,
  };
  await insertProvider(tx, row);
  await keepSecrets(tx, envelope, row.id, secrets);
  await audit(tx, 'create', row, {
    after: auditView(row),
    secretsGiven: Object.keys(secrets).map((path) => `config.${path}`),
  });
  return row;
}

/** Merges the config into the one that is stored, and validates the result (docs/design/quality.md E27). */
export async function changeProvider(
  tx: Tx,
  { envelope, outboundRules }: ProviderPorts,
  id: string,
  { kind, name, enabled, config }: NotificationProviderChange,
): Promise<ProviderRow> {
  const before = await selectProvider(tx, id, true);
  if (before === undefined) throw notFound();
  if (kind !== undefined && kind !== before.kind) {
    throw invalid('/kind', `can't be changed; leave it out or send "${before.kind}"`);
  }
  const after = { ...before, name: name ?? before.name, enabled: enabled ?? before.enabled, updatedAt: tx.now };
  if (config === undefined) {
    await updateProvider(tx, after);
    await audit(tx, 'update', after, { before: auditView(before), after: auditView(after) });
    return after;
  }
  const open = await openConfig(tx, envelope, before);
  const whole = mergeConfig(open, withKnownValues(tx, before.kind, config));
  judge(before.kind, whole, outboundRules);
  const old = splitConfig(open).secrets;
  const { shown, secrets } = splitConfig(whole);
  const row: ProviderRow = { ...after, config: shown, configSummary: summaryOf(before.kind, whole) };
  await updateProvider(tx, row);
  await keepSecrets(tx, envelope, row.id, secrets);
  const given = Object.entries(secrets).flatMap(([path, value]) => (old[path] === value ? [] : [`config.${path}`]));
  await audit(tx, 'update', row, { before: auditView(before), after: auditView(row), secretsGiven: given });
  return row;
}

/** 404 when it is not there. */
export async function removeProvider(tx: Tx, id: string): Promise<void> {
  const row = await selectProvider(tx, id, true);
  if (row === undefined) throw notFound();
  await deleteProvider(tx, row.id);
  await audit(tx, 'delete', row, { before: auditView(row) });
}

async function audit(
  tx: Tx,
  action: 'create' | 'update' | 'delete',
  { id, name }: ProviderRow,
  change: { readonly before?: object; readonly after?: object; readonly secretsGiven?: readonly string[] },
): Promise<void> {
  await recordAudit(tx, { action, entityType: 'notificationProvider', entityId: id, entityName: name, ...change });
}
