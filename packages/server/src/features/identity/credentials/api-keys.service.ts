import type { KeyObject } from 'node:crypto';
import type { ApiKey, ApiKeyCreated, ApiKeyScope, Pagination } from '@arbiter/contract';
import { apiKeyScopes } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import { recordAudit } from '../audit/index.ts';
import {
  datedName,
  hashApiKey,
  makeApiKey,
  orderedScopes,
  type Pepper,
  prefixOf,
  roleOfScopes,
} from './api-keys.rules.ts';
import {
  type ApiKeyRow,
  countActiveKeys,
  insertApiKey,
  lockApiKeyByHash,
  markRevoked,
  selectActiveKeys,
  selectApiKey,
  selectLiveKeys,
  updateOperatorKey,
} from './api-keys.store.ts';
import { personBehind } from './people-behind.service.ts';

/** What a new key is to be. */
export interface NewApiKey {
  readonly name?: string;
  readonly scopes?: readonly ApiKeyScope[];
  readonly expiresAt?: Date | null;
}

const auditView = (row: ApiKeyRow, reason?: string) => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  expiresAt: row.expiresAt,
  revokedAt: row.revokedAt,
  createdBy: row.person,
  createdAt: row.createdAt,
  ...(reason === undefined ? {} : { reason }),
});

const showApiKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  role: roleOfScopes(row.scopes),
  expiresAt: row.expiresAt?.toISOString() ?? null,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  createdBy: row.person,
});

/**
 * Creates a key and returns it, the only time it's shown. Throws 503 `not_configured` without a pepper and 400 for an
 * expiry that isn't in the future (docs/design/api-access.md 4.1).
 */
export async function createApiKey(tx: Tx, pepper: Pepper, wanted: NewApiKey): Promise<ApiKeyCreated> {
  const expiresAt = wanted.expiresAt ?? null;
  if (expiresAt !== null && expiresAt <= tx.now) throw invalid('/expiresAt', 'must be in the future');
  const key = makeApiKey();
  const row = await storeKey(tx, pepper, key, {
    name: wanted.name ?? datedName('key', tx.now),
    scopes: wanted.scopes ?? apiKeyScopes,
    expiresAt,
  });
  const { lastUsedAt: _lastUsedAt, createdBy: _createdBy, ...described } = showApiKey(row);
  return { ...described, key, warning: "Save the key now. It isn't stored and can't be shown again." };
}

async function storeKey(
  tx: Tx,
  pepper: Pepper,
  key: string,
  wanted: Required<NewApiKey> & { readonly person?: string | undefined },
): Promise<ApiKeyRow> {
  if (pepper === null) {
    throw new AppError('not_configured', { detail: "API keys can't be created: API_KEY_PEPPER is not set." });
  }
  const row: ApiKeyRow = {
    id: newId(),
    name: wanted.name,
    prefix: prefixOf(key),
    scopes: orderedScopes(wanted.scopes),
    expiresAt: wanted.expiresAt,
    revokedAt: null,
    person: wanted.person ?? (await personBehind(tx)),
    earlierPeople: [],
    createdAt: tx.now,
    lastUsedAt: null,
  };
  await insertApiKey(tx, row, hashApiKey(pepper, key));
  await recordAudit(tx, {
    action: 'create',
    entityType: 'apiKey',
    entityId: row.id,
    entityName: row.name,
    after: auditView(row),
  });
  return row;
}

/** A key as the operator's file tells it. */
export interface OperatorKey {
  readonly key: string;
  readonly name: string;
  readonly scopes: readonly ApiKeyScope[];
  /** The user it acts for; undefined: as it was, for a new key `system`. */
  readonly person?: string | undefined;
}

/**
 * Sets name, scopes and person of the operator's key, or stores it when its value is new to the tenant. A key that was revoked
 * stays revoked. True when anything was written (bootstrap file, docs/design/api-access.md 5.1).
 */
export async function ensureApiKey(tx: Tx, pepper: Pepper, wanted: OperatorKey): Promise<boolean> {
  const scopes = orderedScopes(wanted.scopes);
  const known = pepper === null ? undefined : await lockApiKeyByHash(tx, hashApiKey(pepper, wanted.key));
  if (known === undefined) {
    await storeKey(tx, pepper, wanted.key, { name: wanted.name, scopes, expiresAt: null, person: wanted.person });
    return true;
  }
  const changed = { ...known, name: wanted.name, scopes, person: wanted.person ?? known.person };
  const unchanged = JSON.stringify(changed) === JSON.stringify(known);
  if (unchanged || known.revokedAt !== null) return false;
  await updateOperatorKey(tx, changed);
  await recordAudit(tx, {
    action: 'update',
    entityType: 'apiKey',
    entityId: known.id,
    entityName: wanted.name,
    before: auditView(known),
    after: auditView(changed),
  });
  return true;
}

/** Tenants in which this key opens the door now. */
export async function findKeyOwners(database: Database, pepper: KeyObject, key: string): Promise<string[]> {
  const rows = await database.withSystem('bootstrap', (tx) => selectLiveKeys(tx, hashApiKey(pepper, key)));
  return rows.map(({ tenantId }) => tenantId);
}

const notFound = () => new AppError('not_found', { detail: 'This API key does not exist.' });

async function activeKey(tx: Tx, id: string): Promise<ApiKeyRow> {
  const row = isUuid(id) ? await selectApiKey(tx, id) : undefined;
  if (row === undefined || row.revokedAt !== null) throw notFound();
  return row;
}

/** Returns one key that's neither revoked nor expired. Throws 404 for malformed, unknown and foreign ids. */
export async function getApiKey(tx: Tx, id: string): Promise<ApiKey> {
  const key = await activeKey(tx, id);
  if (key.expiresAt !== null && key.expiresAt <= tx.now) throw notFound();
  return showApiKey(key);
}

/** Ends a key at once; 404 also the second time. The database tells every node (trigger `api_keys_changed`). */
export async function revokeApiKey(tx: Tx, id: string, reason: string | undefined): Promise<void> {
  const row = await activeKey(tx, id);
  if (!(await markRevoked(tx, id))) throw notFound();
  await recordAudit(tx, {
    action: 'revoke',
    entityType: 'apiKey',
    entityId: row.id,
    entityName: row.name,
    before: auditView(row),
    after: auditView({ ...row, revokedAt: tx.now }, reason),
  });
}

/**
 * Returns one page of keys that are neither revoked nor expired, newest first. `cursor` is the id of the previous
 * page's last key.
 */
export async function listApiKeys(
  tx: Tx,
  page: { readonly limit: number; readonly cursor: string | null },
): Promise<{ data: ApiKey[]; pagination: Pagination }> {
  if (page.cursor !== null && (!isUuid(page.cursor) || (await selectApiKey(tx, page.cursor)) === undefined)) {
    throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
  }
  const found = await selectActiveKeys(tx, page.cursor, page.limit + 1);
  const total = await countActiveKeys(tx);
  const { rows, pagination } = pageOf({ rows: found, limit: page.limit, total, cursorOf: (row) => row.id });
  return { data: rows.map(showApiKey), pagination };
}
