import { type ApiKeyScope, userCredentialsListed } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';

/** A key or client that a person owns. Instants are Dates. */
export interface OwnedCredential {
  readonly kind: 'api_key' | 'oauth_client';
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly ApiKeyScope[];
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
}

/** SQL: credentials of the tenant ($1) that are neither revoked nor, at an instant ($2), expired. */
const active = `
  select 'api_key' as kind, k.id, k.name, k.prefix, k.scopes, k.person, k.created_at, u.last_used_at, k.expires_at
    from arbiter.api_keys k
    left join arbiter.api_key_uses u on u.tenant_id = k.tenant_id and u.api_key_id = k.id
   where k.tenant_id = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > $2::timestamptz)
  union all
  select 'oauth_client', c.id, c.name, left(c.client_id, 12), c.scopes, c.person, c.created_at, null, null
    from arbiter.oauth_clients c where c.tenant_id = $1 and c.revoked_at is null`;

/** Active credentials of a person, newest first, and how many there are. */
export async function selectOwnedCredentials(
  tx: Tx,
  person: string,
): Promise<{ rows: readonly OwnedCredential[]; total: number }> {
  const found = await tx.query<OwnedCredential & { total: number }>(
    `select kind, id, name, prefix, scopes, created_at as "createdAt", last_used_at as "lastUsedAt",
       expires_at as "expiresAt", count(*) over ()::int as total
     from (${active}) owned where person = $3 order by id desc limit $4`,
    [tx.tenantId, tx.now, person, userCredentialsListed],
  );
  return { rows: found.map(({ total: _total, ...row }) => row), total: found[0]?.total ?? 0 };
}

const tableOf = { api_key: 'arbiter.api_keys', oauth_client: 'arbiter.oauth_clients' } as const;

/** Gives active credentials of one person to another. Answers with the ids of those that were still the first one's. */
export async function updateOwner(
  tx: Tx,
  kind: OwnedCredential['kind'],
  ids: readonly string[],
  people: { readonly from: string; readonly to: string },
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(
    `update ${tableOf[kind]} set person = $4,
       earlier_people = case when $3 = any (earlier_people) then earlier_people else earlier_people || $3 end
     where tenant_id = $1 and id = any ($2::uuid[]) and person = $3 and revoked_at is null returning id`,
    [tx.tenantId, ids, people.from, people.to],
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Returns true when both people have owned one credential that wasn't revoked at `since`: whoever knew its secret could
 * act as either.
 */
export async function haveSharedCredential(tx: Tx, one: string, other: string, since: Date): Promise<boolean> {
  const [row] = await tx.query<{ shared: boolean }>(
    `select exists (
       select from (select person, earlier_people, revoked_at from arbiter.api_keys where tenant_id = $1
         union all select person, earlier_people, revoked_at from arbiter.oauth_clients where tenant_id = $1) owned
       where cardinality(earlier_people) > 0 and person || earlier_people @> array[$2::text, $3::text]
         and (revoked_at is null or revoked_at > $4::timestamptz)) as shared`,
    [tx.tenantId, one, other, since],
  );
  return row?.shared ?? false;
}
