import type { Json } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { type Envelope, SealError, type SealPlace } from '../../../platform/crypto/crypto.ts';
import type { OutboundRules } from '../../../platform/outbound/outbound-rules.ts';
import { secretMask } from '../../identity/audit/index.ts';
import { deleteSecret, findSecret, putSecret } from './endpoint-secrets.store.ts';

/** What endpoints of models need from the process. */
export interface EndpointPorts {
  /** Null: no DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
  readonly outboundRules: OutboundRules;
}

type EndpointConfig = Readonly<Record<string, Json>>;

/** A config as it is stored, and its secret: a new one, the stored one, or none. */
export interface HiddenEndpoint {
  readonly config: EndpointConfig;
  readonly secret: { readonly value: string | null } | null;
  readonly origin: string;
}

/** Hides the secret of a config that the engine accepts. Throws 400 for an address or a secret that can't be used. */
export function hideEndpoint(config: EndpointConfig, { outboundRules }: EndpointPorts): HiddenEndpoint {
  const url = String(config.url);
  const problem = outboundRules.urlProblem(url, { anyPort: true });
  if (problem !== null) throw invalid('/config/url', problem);
  const { origin, username, password } = new URL(url);
  if (username !== '' || password !== '') throw invalid('/config/url', "can't have a user; use authSecret");
  const { authSecret = null, ...rest } = config;
  if (typeof authSecret !== 'string') return { config: rest, secret: null, origin };
  const hidden = { ...rest, authSecret: secretMask };
  if (authSecret === secretMask) return { config: hidden, secret: { value: null }, origin };
  const unfit = outboundRules.headerProblem('authorization', `Bearer ${authSecret}`);
  if (unfit !== null) throw invalid('/config/authSecret', 'must be printable ASCII characters');
  return { config: hidden, secret: { value: authSecret }, origin };
}

const placeOf = (tenantId: string, modelId: string, origin: string): SealPlace => ({
  tenantId,
  recordId: modelId,
  field: `authSecret ${origin}`,
});

/**
 * Seals a new secret, keeps the stored one where bullets stand for it, or drops it. A secret is bound to the address that
 * it was entered for: otherwise anyone who can edit a model could send it to their own server. Throws 400 if nothing is
 * stored for this address, 503 `not_configured` without DATA_ENCRYPTION_KEY.
 */
export async function keepSecret(
  tx: Tx,
  { envelope }: EndpointPorts,
  modelId: string,
  { secret, origin }: HiddenEndpoint,
): Promise<void> {
  if (secret === null) return deleteSecret(tx, modelId);
  const { value } = secret;
  if (value === null) {
    const stored = await findSecret(tx, modelId);
    if (stored?.origin !== origin)
      throw invalid('/config/authSecret', 'has no stored value for this address; enter it again');
    return undefined;
  }
  if (envelope === null) throw new AppError('not_configured', { detail: 'DATA_ENCRYPTION_KEY is not set.' });
  await putSecret(tx, modelId, origin, envelope.seal(placeOf(tx.tenantId, modelId, origin), value));
  return undefined;
}

/** An endpoint as it is called. */
export interface ReadyEndpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns an endpoint with its secret; null: the secret can't be opened, so it isn't called at all. */
export async function readyEndpoint(
  tx: Tx,
  envelope: Envelope | null,
  modelId: string,
  url: string,
): Promise<ReadyEndpoint | null> {
  if (!URL.canParse(url)) return null;
  const stored = await findSecret(tx, modelId);
  const { origin } = new URL(url);
  if (stored === null) return { url, headers: {} };
  // A plan may still have the address before a change.
  if (stored.origin !== origin || envelope === null) return null;
  try {
    const secret = envelope.open(placeOf(tx.tenantId, modelId, origin), stored.sealed).toString('utf8');
    return { url, headers: { authorization: `Bearer ${secret}` } };
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}
