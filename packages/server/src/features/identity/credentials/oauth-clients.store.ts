import { type OAuthScope, oauthClientsListed, type Role } from '@arbiter/contract';
import { columns, computed, expression, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { joinLivingTenant } from '../tenants/index.ts';
import { actingIsGone, joinActingUser, roleOfUser, type UserRole } from '../users/index.ts';

const clients = table<'oauth_clients', { scopes: OAuthScope[] }>('oauth_clients');

const clientColumns = columns(
  clients,
  ['id', 'name', 'clientId', 'scopes', 'person', 'earlierPeople', 'createdAt', 'revokedAt'],
  'c',
);

/** A stored client, without the hash of its secret. Instants are Dates. */
export type OAuthClientRow = RowOf<typeof clientColumns>;

export async function insertClient(
  tx: Tx,
  row: Omit<OAuthClientRow, 'earlierPeople'>,
  secretHash: Buffer,
): Promise<void> {
  await tx.query(
    `insert into arbiter.oauth_clients (tenant_id, id, name, client_id, secret_hash, scopes, person, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [tx.tenantId, row.id, row.name, row.clientId, secretHash, row.scopes, row.person, row.createdAt],
  );
}

/** The newest clients that are not revoked. */
export async function selectActiveClients(tx: Tx): Promise<OAuthClientRow[]> {
  return select(
    tx,
    clientColumns,
    `from arbiter.oauth_clients c where c.tenant_id = $1 and c.revoked_at is null order by c.id desc limit $2`,
    [tx.tenantId, oauthClientsListed],
  );
}

export async function countActiveClients(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::int as count from arbiter.oauth_clients where tenant_id = $1 and revoked_at is null',
    [tx.tenantId],
  );
  return row?.count ?? 0;
}

/** A client of the tenant, revoked or not. */
export async function selectClient(tx: Tx, id: string): Promise<OAuthClientRow | undefined> {
  const [row] = await select(tx, clientColumns, 'from arbiter.oauth_clients c where c.tenant_id = $1 and c.id = $2', [
    tx.tenantId,
    id,
  ]);
  return row;
}

/** Sets `revoked_at`; false if the client doesn't exist or was already revoked. */
export async function markClientRevoked(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(
    `update arbiter.oauth_clients set revoked_at = $3
     where tenant_id = $1 and id = $2 and revoked_at is null returning id`,
    [tx.tenantId, id, tx.now],
  );
  return rows.length > 0;
}

const provenColumns = selectList(
  columns(clients, ['tenantId', 'id', 'name', 'clientId', 'secretHash', 'scopes', 'revokedAt'], 'c'),
  computed({ ownerRole: expression<UserRole | null>('acting.role') }),
);

/** A client as a token request or a token names it, its tenant and its owner active. `ownerRole` is null for the operator's. */
export type NamedClient = RowOf<typeof provenColumns>;

export const ownerRoleOf = ({ ownerRole }: NamedClient): Role | null =>
  ownerRole === null ? null : roleOfUser(ownerRole);

/** Clients with this `client_id`, revoked or not. Before the tenant is known: needs a system transaction. */
export async function selectNamedClients(tx: Tx, clientId: string): Promise<NamedClient[]> {
  return select(
    tx,
    provenColumns,
    `from arbiter.oauth_clients c ${joinLivingTenant('c.tenant_id')} ${joinActingUser('c.tenant_id', 'c.person')}
     where c.client_id = $1 and not ${actingIsGone('c.person')}`,
    [clientId],
  );
}
