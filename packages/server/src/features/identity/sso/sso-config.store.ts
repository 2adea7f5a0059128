import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { type SecretField, type SsoSettings, secretFields } from './sso-config.rules.ts';

const configs = table('sso_configs');
const secrets = table('sso_secrets');

const configColumns = columns(configs, [
  'provider',
  'enabled',
  'samlEntityId',
  'samlSsoUrl',
  'samlAcsUrl',
  'samlAllowUnsolicited',
  'oidcIssuer',
  'oidcClientId',
  'oidcScopes',
  'defaultRole',
  'allowedDomains',
  'autoProvision',
  'enforceForAllUsers',
]);

type ConfigRow = RowOf<typeof configColumns>;

/** Returns the tenant's configuration; undefined when it never made one. */
export async function selectConfig(tx: Tx): Promise<ConfigRow | undefined> {
  const [row] = await select(tx, configColumns, 'from arbiter.sso_configs where tenant_id = $1', [tx.tenantId]);
  return row;
}

/** The same, locked until the transaction ends. */
export async function lockConfig(tx: Tx): Promise<ConfigRow | undefined> {
  const [row] = await select(tx, configColumns, 'from arbiter.sso_configs where tenant_id = $1 for update', [
    tx.tenantId,
  ]);
  return row;
}

export async function upsertConfig(tx: Tx, row: SsoSettings): Promise<void> {
  await tx.query(
    `insert into arbiter.sso_configs (tenant_id, provider, enabled, saml_entity_id, saml_sso_url, saml_acs_url,
       saml_allow_unsolicited, oidc_issuer, oidc_client_id, oidc_scopes, default_role, allowed_domains, auto_provision,
       enforce_for_all_users, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     on conflict (tenant_id) do update set provider = excluded.provider, enabled = excluded.enabled,
       saml_entity_id = excluded.saml_entity_id, saml_sso_url = excluded.saml_sso_url,
       saml_acs_url = excluded.saml_acs_url, saml_allow_unsolicited = excluded.saml_allow_unsolicited,
       oidc_issuer = excluded.oidc_issuer, oidc_client_id = excluded.oidc_client_id, oidc_scopes = excluded.oidc_scopes,
       default_role = excluded.default_role, allowed_domains = excluded.allowed_domains,
       auto_provision = excluded.auto_provision, enforce_for_all_users = excluded.enforce_for_all_users,
       updated_at = excluded.updated_at`,
    [
      tx.tenantId,
      row.provider,
      row.enabled,
      row.samlEntityId,
      row.samlSsoUrl,
      row.samlAcsUrl,
      row.samlAllowUnsolicited,
      row.oidcIssuer,
      row.oidcClientId,
      row.oidcScopes,
      row.defaultRole,
      row.allowedDomains,
      row.autoProvision,
      row.enforceForAllUsers,
      tx.now,
    ],
  );
}

/** Returns which secrets are stored. */
export async function selectSecretFields(tx: Tx): Promise<ReadonlySet<SecretField>> {
  const rows = await select(tx, columns(secrets, ['field']), 'from arbiter.sso_secrets where tenant_id = $1', [
    tx.tenantId,
  ]);
  const stored: readonly string[] = rows.map(({ field }) => field);
  return new Set(secretFields.filter((field) => stored.includes(field)));
}

/** Returns a stored secret, sealed, or undefined. */
export async function selectSealed(tx: Tx, field: SecretField): Promise<Buffer | undefined> {
  const [row] = await select(
    tx,
    columns(secrets, ['sealed']),
    'from arbiter.sso_secrets where tenant_id = $1 and field = $2',
    [tx.tenantId, field],
  );
  return row?.sealed;
}

export async function upsertSealed(tx: Tx, field: SecretField, sealed: Buffer): Promise<void> {
  await tx.query(
    `insert into arbiter.sso_secrets (tenant_id, field, sealed) values ($1, $2, $3)
     on conflict (tenant_id, field) do update set sealed = excluded.sealed`,
    [tx.tenantId, field, sealed],
  );
}

export async function deleteSealed(tx: Tx, field: SecretField): Promise<void> {
  await tx.query('delete from arbiter.sso_secrets where tenant_id = $1 and field = $2', [tx.tenantId, field]);
}
