import { hash } from 'node:crypto';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';

/** Sign-ins that wait for a response, and used assertions. Names are stored as hashes: a reader can use none. */

const states = table('sso_states');
const stateColumns = columns(states, [
  'provider',
  'browserHash',
  'opensSession',
  'oidcNonce',
  'codeVerifier',
  'redirectUri',
  'returnTo',
  'expiresAt',
]);

/** A sign-in that was begun. */
export type SsoState = RowOf<typeof stateColumns>;

/** SHA-256 of a random value, by which it is found again. */
export const nameHash = (name: string): Buffer => hash('sha256', name, 'buffer');

/** Stores a new sign-in; false when the tenant has one with this name. Deletes expired ones. */
export async function insertState(tx: Tx, id: string, name: string, row: SsoState): Promise<boolean> {
  await tx.query(
    `delete from arbiter.sso_states where tenant_id = $1 and id in (
       select id from arbiter.sso_states where tenant_id = $1 and expires_at < $2 for update skip locked)`,
    [tx.tenantId, tx.now],
  );
  const insertedRows = await tx.query(
    `insert into arbiter.sso_states (tenant_id, id, provider, name_hash, browser_hash, opens_session, oidc_nonce,
       code_verifier, redirect_uri, return_to, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (tenant_id, name_hash) do nothing returning id`,
    [
      tx.tenantId,
      id,
      row.provider,
      nameHash(name),
      row.browserHash,
      row.opensSession,
      row.oidcNonce,
      row.codeVerifier,
      row.redirectUri,
      row.returnTo,
      row.expiresAt,
    ],
  );
  return insertedRows.length > 0;
}

/** A sign-in that waits for its answer; undefined: none, or too old. It stays. */
export async function findState(tx: Tx, provider: SsoState['provider'], name: string): Promise<SsoState | undefined> {
  const [row] = await select(
    tx,
    stateColumns,
    'from arbiter.sso_states where tenant_id = $1 and name_hash = $2 and provider = $3 and expires_at > $4',
    [tx.tenantId, nameHash(name), provider, tx.now],
  );
  return row;
}

/** Takes a sign-in away, so that its name opens nothing a second time; undefined: none, or too old. */
export async function takeState(tx: Tx, provider: SsoState['provider'], name: string): Promise<SsoState | undefined> {
  const rows = await select(
    tx,
    stateColumns,
    'from arbiter.sso_states where tenant_id = $1 and name_hash = $2 and provider = $3 for update',
    [tx.tenantId, nameHash(name), provider],
  );
  await tx.query('delete from arbiter.sso_states where tenant_id = $1 and name_hash = $2 and provider = $3', [
    tx.tenantId,
    nameHash(name),
    provider,
  ]);
  return rows.find(({ expiresAt }) => expiresAt > tx.now);
}

/** True for an assertion that was already used. */
export async function isAssertionUsed(tx: Tx, { issuer, id }: { issuer: string; id: string }): Promise<boolean> {
  const rows = await tx.query('select from arbiter.sso_assertions where tenant_id = $1 and name_hash = $2', [
    tx.tenantId,
    nameHash(`${issuer}\n${id}`),
  ]);
  return rows.length > 0;
}

/** Records an assertion; false if it was already used. Deletes those too old to be accepted. */
export async function insertAssertion(
  tx: Tx,
  assertion: { readonly issuer: string; readonly id: string; readonly expiresAt: Date },
): Promise<boolean> {
  await tx.query(
    `delete from arbiter.sso_assertions where tenant_id = $1 and name_hash in (
       select name_hash from arbiter.sso_assertions where tenant_id = $1 and expires_at < $2 for update skip locked)`,
    [tx.tenantId, tx.now],
  );
  const noted = await tx.query(
    `insert into arbiter.sso_assertions (tenant_id, name_hash, expires_at) values ($1, $2, $3)
     on conflict (tenant_id, name_hash) do nothing returning name_hash`,
    [tx.tenantId, nameHash(`${assertion.issuer}\n${assertion.id}`), assertion.expiresAt],
  );
  return noted.length > 0;
}
