import type { ApiKeyScope } from '@arbiter/contract';
import { columns, computed, expression, optional, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { joinLivingTenant } from '../tenants/index.ts';
import { actingIsGone, joinActingUser, type UserRole } from '../users/index.ts';

const apiKeys = table<'api_keys', { scopes: ApiKeyScope[] }>('api_keys');

const keyColumns = selectList(
  columns(
    apiKeys,
    ['id', 'name', 'prefix', 'scopes', 'expiresAt', 'revokedAt', 'person', 'earlierPeople', 'createdAt'],
    'k',
  ),
  optional(columns(table('api_key_uses'), ['lastUsedAt'], 'u')),
);

/** A stored key, without its hash. Instants are Dates. */
export type ApiKeyRow = RowOf<typeof keyColumns>;

const source = `arbiter.api_keys k
  left join arbiter.api_key_uses u on u.tenant_id = k.tenant_id and u.api_key_id = k.id`;

export async function insertApiKey(
  tx: Tx,
  row: Omit<ApiKeyRow, 'lastUsedAt' | 'earlierPeople'>,
  keyHash: Buffer,
): Promise<void> {
  await tx.query(
    `insert into arbiter.api_keys (tenant_id, id, name, prefix, key_hash, scopes, expires_at, revoked_at, person,
       created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      tx.tenantId,
      row.id,
      row.name,
      row.prefix,
      keyHash,
      row.scopes,
      row.expiresAt,
      row.revokedAt,
      row.person,
      row.createdAt,
    ],
  );
}

/** SQL: the key can be used at an instant (a parameter): not revoked, not expired. */
const isActive = (at: string): string =>
  `k.revoked_at is null and (k.expires_at is null or k.expires_at > ${at}::timestamptz)`;

/** Keys that are neither revoked nor expired, newest first, older than `beforeId` when it is given. */
export async function selectActiveKeys(tx: Tx, beforeId: string | null, limit: number): Promise<ApiKeyRow[]> {
  return select(
    tx,
    keyColumns,
    `from ${source}
     where k.tenant_id = $1 and ${isActive('$4')} and ($2::uuid is null or k.id < $2)
     order by k.id desc limit $3`,
    [tx.tenantId, beforeId, limit, tx.now],
  );
}

export async function countActiveKeys(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from arbiter.api_keys k where k.tenant_id = $1 and ${isActive('$2')}`,
    [tx.tenantId, tx.now],
  );
  return row?.count ?? 0;
}

/** A key of the tenant, revoked or not. */
export async function selectApiKey(tx: Tx, id: string): Promise<ApiKeyRow | undefined> {
  const [row] = await select(tx, keyColumns, `from ${source} where k.tenant_id = $1 and k.id = $2`, [tx.tenantId, id]);
  return row;
}

/** A key of the tenant by the hash of its value, revoked or not, locked until the transaction ends. */
export async function lockApiKeyByHash(tx: Tx, keyHash: Buffer): Promise<ApiKeyRow | undefined> {
  const [row] = await select(
    tx,
    keyColumns,
    `from ${source} where k.tenant_id = $1 and k.key_hash = $2 for update of k`,
    [tx.tenantId, keyHash],
  );
  return row;
}

/** Sets `revoked_at`; false if the key doesn't exist or was already revoked. */
export async function markRevoked(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(
    `update arbiter.api_keys set revoked_at = $3 where tenant_id = $1 and id = $2 and revoked_at is null returning id`,
    [tx.tenantId, id, tx.now],
  );
  if (rows.length > 0) tx.touchCredentials();
  return rows.length > 0;
}

/** Applies the operator's file to a key. */
export async function updateOperatorKey(
  tx: Tx,
  { id, name, scopes, person }: Pick<ApiKeyRow, 'id' | 'name' | 'scopes' | 'person'>,
): Promise<void> {
  await tx.query('update arbiter.api_keys set name = $3, scopes = $4, person = $5 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
    name,
    scopes,
    person,
  ]);
}

const liveKeyColumns = selectList(
  columns(apiKeys, ['tenantId', 'id', 'name', 'scopes', 'expiresAt', 'earlierPeople'], 'k'),
  computed({
    userId: expression<string | null>('acting.id'),
    userName: expression<string | null>('acting.name'),
    userRole: expression<UserRole | null>('acting.role'),
  }),
);

/**
 * A key that opens the door: not revoked, its tenant and its owner active. `userId` is the owner, null for the operator's.
 * The caller checks the expiry.
 */
export type LiveKey = RowOf<typeof liveKeyColumns>;

/** Before the tenant is known: needs a system transaction. More than one row means that two tenants share a key. */
export async function selectLiveKeys(tx: Tx, keyHash: Buffer): Promise<LiveKey[]> {
  return select(
    tx,
    liveKeyColumns,
    `from arbiter.api_keys k ${joinLivingTenant('k.tenant_id')} ${joinActingUser('k.tenant_id', 'k.person')}
     where k.key_hash = $1 and k.revoked_at is null and not ${actingIsGone('k.person')}`,
    [keyHash],
  );
}

export interface WrittenKeyUse {
  readonly apiKeyId: string;
  readonly usedAt: Date;
}

/** Notes when keys were last used; a key is written at most once a minute, whatever the number of nodes. */
export async function upsertUses(tx: Tx, uses: readonly WrittenKeyUse[]): Promise<void> {
  await tx.query(
    `insert into arbiter.api_key_uses as noted (tenant_id, api_key_id, last_used_at)
     select $1, used.id, used.at from unnest($2::uuid[], $3::timestamptz[]) as used (id, at)
     on conflict (tenant_id, api_key_id) do update set last_used_at = excluded.last_used_at
     where excluded.last_used_at - noted.last_used_at >= interval '1 minute'`,
    [tx.tenantId, uses.map((use) => use.apiKeyId), uses.map((use) => use.usedAt.toISOString())],
  );
}
