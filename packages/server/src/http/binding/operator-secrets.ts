import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Operation, SecretAuth, SignatureAuth } from '@arbiter/contract';
import { AppError } from '../../platform/app-error.ts';
import { sameSecret } from '../../platform/crypto/crypto.ts';
import { bearerToken, type RequestHeaders } from './credentials.ts';

/**
 * Configuration values that identify a caller, by variable. Null and blank count as unset: then no value is accepted
 * (docs/design/quality.md T5).
 */
export type OperatorSecrets = Readonly<Record<string, string | null>>;

/** Returns true when the request carries the secret. Compares in constant time. */
export type HasSecret = (request: RequestHeaders) => boolean;

/** Throws when the configuration doesn't know a variable that an operation names. */
export function createHasSecret({ id }: Operation, auth: SecretAuth, secrets: OperatorSecrets): HasSecret {
  const values = auth.variables.map((variable) => secretOf(secrets, variable, id));
  const secret = values.find((value) => value !== null) ?? null;
  return (request) => sameSecret(secret, sentSecret(request, auth.headers));
}

function sentSecret({ headers }: RequestHeaders, names: readonly string[]): string | null {
  for (const name of names) {
    const sent = headers[name];
    if (sent !== undefined) return typeof sent === 'string' ? sent : null;
  }
  return headers.authorization === undefined ? null : bearerToken(String(headers.authorization));
}

/** Throws, or rejects with, `bad_signature` when neither the operator's key nor a provider signed the bytes. */
export type VerifySignature = (request: SignedRequest, bytes: Uint8Array) => void | Promise<void>;

/** What signatures of providers cover, besides the bytes. */
export interface SignedRequest extends RequestHeaders {
  /** Path and query as received. */
  readonly url?: string | undefined;
}

/** True if a provider signed the bytes with a key that is configured for it. */
export type IsSignedByProvider = (request: SignedRequest, bytes: Uint8Array) => Promise<boolean>;

/** Throws when the configuration doesn't know the variable that the operation names. */
export function createVerifySignature(
  { id }: Operation,
  auth: SignatureAuth,
  secrets: OperatorSecrets,
  isSignedByProvider: IsSignedByProvider,
): VerifySignature {
  const secret = secretOf(secrets, auth.variable, id);
  const key: KeyObject | null = secret === null ? null : createSecretKey(secret, 'utf8');
  const refuse = (): never => {
    throw new AppError('bad_signature', {
      detail: `The signature in the header ${auth.header} doesn't match the body.`,
    });
  };
  return (request, bytes) => {
    const sent = request.headers[auth.header];
    const expected = key === null ? null : auth.prefix + createHmac('sha256', key).update(bytes).digest('hex');
    if (sameSecret(expected, typeof sent === 'string' ? sent.trim() : null)) return;
    // A wrong signature isn't made good by another one.
    if (auth.orProviders !== true || sent !== undefined) return refuse();
    return isSignedByProvider(request, bytes).then((isSigned) => (isSigned ? undefined : refuse()));
  };
}

function secretOf(secrets: OperatorSecrets, variable: string, operationId: string): string | null {
  const value = secrets[variable];
  if (value === undefined)
    throw new Error(`${operationId} requires ${variable}, which is not part of the configuration`);
  return value === null || value.trim() === '' ? null : value;
}
