import type { OAuthClient, OAuthClientCreate, OAuthClientCreated } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { hmac } from '../../../platform/crypto/crypto.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import { recordAudit } from '../audit/index.ts';
import { datedName, type Pepper } from './api-keys.rules.ts';
import { clientPrefixOf, knownScopes, makeClientId, makeClientSecret } from './oauth-clients.rules.ts';
import {
  countActiveClients,
  insertClient,
  markClientRevoked,
  type OAuthClientRow,
  selectActiveClients,
  selectClient,
} from './oauth-clients.store.ts';
import { personBehind } from './people-behind.service.ts';

const auditView = (row: OAuthClientRow) => ({
  id: row.id,
  name: row.name,
  clientId: row.clientId,
  scopes: row.scopes,
  createdBy: row.person,
  createdAt: row.createdAt,
  revokedAt: row.revokedAt,
});

const showOAuthClient = (row: OAuthClientRow): OAuthClient => ({
  id: row.id,
  name: row.name,
  clientIdPrefix: clientPrefixOf(row.clientId),
  clientId: row.clientId,
  scopes: row.scopes,
  createdAt: row.createdAt.toISOString(),
});

/**
 * Creates a client and returns its secret, the only time it's shown. Throws 503 `not_configured` without a pepper
 * (docs/design/api-access.md 4.1).
 */
export async function createOAuthClient(
  tx: Tx,
  pepper: Pepper,
  wanted: OAuthClientCreate,
): Promise<OAuthClientCreated> {
  if (pepper === null) {
    throw new AppError('not_configured', { detail: "OAuth clients can't be created: API_KEY_PEPPER is not set." });
  }
  const clientSecret = makeClientSecret();
  const row: OAuthClientRow = {
    id: newId(),
    name: wanted.name ?? datedName('oauth-client', tx.now),
    clientId: makeClientId(),
    scopes: knownScopes(wanted.scopes ?? []),
    person: await personBehind(tx),
    earlierPeople: [],
    createdAt: tx.now,
    revokedAt: null,
  };
  await insertClient(tx, row, hmac(pepper, clientSecret));
  await recordAudit(tx, {
    action: 'create',
    entityType: 'oauthClient',
    entityId: row.id,
    entityName: row.name,
    after: auditView(row),
  });
  const { clientIdPrefix: _clientIdPrefix, ...described } = showOAuthClient(row);
  return {
    ...described,
    clientSecret,
    warning: "Save the secret now. It isn't stored and can't be shown again.",
  };
}

/** The newest clients that are not revoked, and how many there are in all. */
export async function listOAuthClients(tx: Tx): Promise<{ data: OAuthClient[]; total: number }> {
  const rows = await selectActiveClients(tx);
  return { data: rows.map(showOAuthClient), total: await countActiveClients(tx) };
}

/**
 * Revokes a client: it gets no more tokens. Throws 404 for ids that are malformed, unknown, foreign or already revoked.
 */
export async function revokeOAuthClient(tx: Tx, id: string): Promise<void> {
  const row = isUuid(id) ? await selectClient(tx, id) : undefined;
  if (row === undefined || !(await markClientRevoked(tx, id))) {
    throw new AppError('not_found', { detail: 'This OAuth client does not exist.' });
  }
  await recordAudit(tx, {
    action: 'revoke',
    entityType: 'oauthClient',
    entityId: row.id,
    entityName: row.name,
    before: auditView(row),
    after: auditView({ ...row, revokedAt: tx.now }),
  });
}
