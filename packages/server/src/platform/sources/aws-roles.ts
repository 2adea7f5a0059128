import { AwsV4Signer } from 'aws4fetch';
import { SourceError } from './source-error.ts';
import { xmlRoot, xmlText } from './xml.ts';

/** Keys that sign requests to AWS. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** A role in a tenant's AWS account that lets this server read. */
export interface AwsRole {
  readonly roleArn: string;
  readonly externalId: string | undefined;
  /** Region of the token service. */
  readonly region: string;
}

/** Assumes roles as the operator (docs/adr/0101). */
export interface AwsRoles {
  /** Returns keys valid for at least five minutes. Throws SourceError `permission_denied` for a role that isn't the tenant's. */
  take(tenantId: string, role: AwsRole, signal: AbortSignal): Promise<AwsKeys>;
}

export interface AwsRolesOptions {
  /** Roles by tenant (CONNECTOR_ROLES). */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** The server's own keys. Default: those of its environment, instance or service account. */
  readonly ownKeys?: () => Promise<AwsKeys>;
  /** Origin of the token service. Default: Amazon's in the region. */
  readonly endpoint?: string;
}

/** How long the keys of a role are valid. */
const sessionSeconds = 3600;
const minLeftMs = 300_000;
const timeoutMs = 10_000;

export function createAwsRoles({ roles, ownKeys = defaultKeys(), endpoint }: AwsRolesOptions): AwsRoles {
  const taken = new Map<string, Promise<{ readonly keys: AwsKeys; readonly until: number }>>();
  return {
    async take(tenantId, role, signal) {
      const { roleArn, externalId, region } = role;
      if (roles[tenantId]?.includes(roleArn) !== true) throw new SourceError('permission_denied');
      const name = JSON.stringify([tenantId, roleArn, externalId, region]);
      const known = await taken.get(name)?.catch(() => null);
      if (known != null && known.until - Date.now() > minLeftMs) return known.keys;
      const assumed = assumeRole(await ownKeys().catch(noKeys), role, endpoint, signal);
      taken.set(name, assumed);
      // Failures aren't cached: the next read asks again.
      assumed.catch(() => taken.delete(name));
      return (await assumed).keys;
    },
  };
}

function noKeys(cause: unknown): never {
  throw new SourceError('auth_failed', { cause });
}

function defaultKeys(): () => Promise<AwsKeys> {
  let provider: (() => Promise<AwsKeys>) | null = null;
  return async () => {
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
    provider ??= defaultProvider();
    return provider();
  };
}

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
async function assumeRole(
  own: AwsKeys,
  { roleArn, externalId, region }: AwsRole,
  endpoint: string | undefined,
  signal: AbortSignal,
) {
  const origin = endpoint ?? `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const body = new URLSearchParams({
    ...{ Action: 'AssumeRole', Version: '2011-06-15', RoleArn: roleArn, RoleSessionName: 'arbiter' },
    DurationSeconds: String(sessionSeconds),
    ...(externalId === undefined ? {} : { ExternalId: externalId }),
  }).toString();
  const { accessKeyId, secretAccessKey, sessionToken } = own;
  const signer = new AwsV4Signer({
    ...{ method: 'POST', url: `${origin}/`, body, accessKeyId, secretAccessKey, region, service: 'sts' },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    ...(sessionToken === undefined ? {} : { sessionToken }),
  });
  const { url, headers } = await signer.sign();
  const end = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  // The operator chooses this address, not a tenant, so it may be in a private network.
  const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal: end }).catch((cause) => {
    throw new SourceError('connect_timeout', { cause });
  });
  const text = await answer.text();
  if (answer.status === 403) {
    throw new SourceError(/<Code>AccessDenied</.test(text) ? 'permission_denied' : 'auth_failed');
  }
  if (answer.status === 429 || /<Code>Throttling/.test(text)) throw new SourceError('rate_limited');
  if (!answer.ok) throw new SourceError('unexpected_response');
  return sessionOf(text);
}

function sessionOf(text: string): { readonly keys: AwsKeys; readonly until: number } {
  const root = xmlRoot(text, 'AssumeRoleResponse');
  const part = (name: string): string => {
    const value = xmlText(root, name);
    if (value === null || value === '') throw new SourceError('unexpected_response');
    return value;
  };
  return {
    keys: {
      accessKeyId: part('AccessKeyId'),
      secretAccessKey: part('SecretAccessKey'),
      sessionToken: part('SessionToken'),
    },
    until: Date.parse(part('Expiration')),
  };
}
