import { type SsoConfig, type SsoConfigInput, ssoSecretBullets } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, refuseProblems } from '../../../platform/app-error.ts';
import { type Envelope, SealError, type SealPlace } from '../../../platform/crypto/crypto.ts';
import type { OutboundRules } from '../../../platform/outbound/outbound-rules.ts';
import { recordAudit } from '../audit/index.ts';
import { endSessionsOpenedBy } from '../sessions/index.ts';
import { callbackUrl } from './sso-addresses.ts';
import {
  defaultSettings,
  mergeSettings,
  type SecretField,
  type SsoSettings,
  secretChanges,
  secretFields,
  settingsProblems,
} from './sso-config.rules.ts';
import {
  deleteSealed,
  lockConfig,
  selectConfig,
  selectSealed,
  selectSecretFields,
  upsertConfig,
  upsertSealed,
} from './sso-config.store.ts';

/** The tenant's configuration as it is read; its secrets only show whether they are there. */
export async function readSsoConfig(tx: Tx, publicUrl: string): Promise<SsoConfig> {
  const settings = await selectConfig(tx);
  if (settings === undefined || settings.provider === 'none') return { configured: false, provider: 'none' };
  const stored = await selectSecretFields(tx);
  return {
    configured: true,
    ...settings,
    samlAcsUrl: settings.samlAcsUrl ?? callbackUrl(publicUrl),
    hasOidcClientSecret: stored.has('oidcClientSecret'),
    hasSamlCertificate: stored.has('samlCertificate'),
  };
}

/**
 * Changes the configuration. Missing values stay, and so do absent or bullet secrets. When single sign-on becomes the
 * only way in, sessions opened with a password or Google end, except the caller's. Throws 400 with every problem, 503
 * `not_configured` when a secret can't be sealed.
 */
export async function configureSso(
  tx: Tx,
  deps: { readonly envelope: Envelope | null; readonly outboundRules: OutboundRules; readonly publicUrl: string },
  input: SsoConfigInput,
  callersSession: string | null,
): Promise<void> {
  const known = await lockConfig(tx);
  const before = known ?? defaultSettings;
  const after = mergeSettings(before, input, callbackUrl(deps.publicUrl));
  const changes = secretChanges(input);
  const stored = await selectSecretFields(tx);
  refuseProblems(settingsProblems(before, after, changes, stored, deps.outboundRules));
  await upsertConfig(tx, after);
  const given: SecretField[] = [];
  for (const field of secretFields) {
    const change = changes[field];
    if (change === 'removed') await deleteSealed(tx, field);
    if (typeof change !== 'object') continue;
    await upsertSealed(tx, field, sealerOf(deps.envelope).seal(placeOf(tx, field), change.value));
    given.push(field);
  }
  if (after.enforceForAllUsers && !before.enforceForAllUsers) {
    await endSessionsOpenedBy(tx, ['password', 'google'], { but: callersSession });
  }
  const has = (field: SecretField) => (changes[field] === 'kept' ? stored.has(field) : changes[field] !== 'removed');
  await recordAudit(tx, {
    action: 'update',
    entityType: 'sso',
    entityId: tx.tenantId,
    entityName: null,
    before: auditView(before, (field) => stored.has(field)),
    after: auditView(after, has),
    secretsGiven: given,
  });
}

const auditView = (settings: SsoSettings, has: (field: SecretField) => boolean) => ({
  ...settings,
  oidcClientSecret: has('oidcClientSecret') ? ssoSecretBullets : null,
  samlCertificate: has('samlCertificate') ? ssoSecretBullets : null,
});

/**
 * Turns single sign-on off but keeps the configuration, for an operator whose tenant is locked out. Returns true when
 * it was on (CLI `sso disable`, docs/design/api-access.md 22).
 */
export async function disableSso(tx: Tx): Promise<boolean> {
  const before = await lockConfig(tx);
  if (before === undefined || !before.enabled) return false;
  const after = { ...before, enabled: false, enforceForAllUsers: false };
  await upsertConfig(tx, after);
  await recordAudit(tx, {
    action: 'update',
    entityType: 'sso',
    entityId: tx.tenantId,
    entityName: null,
    before,
    after,
  });
  return true;
}

/** True when people of the tenant may sign in through its identity provider. */
export async function hasSso(tx: Tx): Promise<boolean> {
  return (await selectConfig(tx))?.enabled === true;
}

/** True when they may sign in in no other way. */
export async function requiresSso(tx: Tx): Promise<boolean> {
  return (await selectConfig(tx))?.enforceForAllUsers === true;
}

function sealerOf(envelope: Envelope | null): Envelope {
  if (envelope !== null) return envelope;
  throw new AppError('not_configured', { detail: "Secrets can't be stored: DATA_ENCRYPTION_KEY is not set." });
}

const placeOf = (tx: Tx, field: SecretField): SealPlace => ({
  tenantId: tx.tenantId,
  recordId: tx.tenantId,
  field: `sso.${field}`,
});

/** A stored secret. Throws 503 `not_configured` when it can no longer be opened. */
export async function openSsoSecret(tx: Tx, envelope: Envelope | null, field: SecretField): Promise<string> {
  const sealed = await selectSealed(tx, field);
  if (sealed === undefined) throw new Error(`an enabled configuration has ${field}`);
  if (envelope === null) {
    throw new AppError('not_configured', { detail: "Secrets can't be decrypted: DATA_ENCRYPTION_KEY is not set." });
  }
  try {
    return envelope.open(placeOf(tx, field), sealed).toString('utf8');
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause;
    throw new AppError('not_configured', { detail: `The stored ${field} can't be decrypted. Enter it again.`, cause });
  }
}
