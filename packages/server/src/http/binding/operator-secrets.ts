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
  const values = auth.variables.map((variable) => known(secrets, variable, id));
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

/** Throws `bad_signature` when the operator's key didn't sign the bytes. Leaves `others` to the handler. */
export type VerifySignature = (request: RequestHeaders, bytes: Uint8Array) => void;

/** Throws when the configuration doesn't know the variable that the operation names. */
export function createVerifySignature(
  { id }: Operation,
  auth: SignatureAuth,
  secrets: OperatorSecrets,
): VerifySignature {
  const secret = known(secrets, auth.variable, id);
  const key: KeyObject | null = secret === null ? null : createSecretKey(secret, 'utf8');
  const others = auth.others ?? [];
  return ({ headers }, bytes) => {
    const sent = headers[auth.header];
    if (sent === undefined && others.some((name) => headers[name] !== undefined)) return;
    const expected = key === null ? null : auth.prefix + createHmac('sha256', key).update(bytes).digest('hex');
    if (sameSecret(expected, typeof sent === 'string' ? sent.trim() : null)) return;
    throw new AppError('bad_signature', {
      detail: `The signature in the header ${auth.header} doesn't match the body.`,
    });
  };
}

function known(secrets: OperatorSecrets, variable: string, operationId: string): string | null {
  const value = secrets[variable];
  if (value === undefined)
    throw new Error(`${operationId} requires ${variable}, which is not part of the configuration`);
  return value === null || value.trim() === '' ? null : value;
}
