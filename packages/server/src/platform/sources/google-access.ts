import { createPrivateKey } from 'node:crypto';
import { isObject } from '../json.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { requestJson } from './http-source.ts';
import { signedToken } from './signed-token.ts';
import { SourceError } from './source-error.ts';

interface ServiceAccount {
  readonly email: string;
  readonly key: string;
  readonly tokenUrl: string;
}

/** Reads the key file of a service account: JSON, as text or parsed. */
function accountOf(file: unknown): ServiceAccount {
  let account = file;
  try {
    if (typeof file === 'string') account = JSON.parse(file);
  } catch (cause) {
    throw new SourceError('auth_failed', { cause });
  }
  const { client_email: email, private_key: key, token_uri: uri } = isObject(account) ? account : {};
  if (typeof email !== 'string' || typeof key !== 'string') throw new SourceError('auth_failed');
  return { email, key, tokenUrl: typeof uri === 'string' ? uri : 'https://oauth2.googleapis.com/token' };
}

export interface GoogleSignIn {
  readonly outbound: Outbound;
  readonly serviceAccount: unknown;
  readonly scope: string;
  /** Address of the token service instead of the account's. */
  readonly tokenUrl?: string | undefined;
  readonly signal: AbortSignal;
}

/** Signs in as a service account (RFC 7523) and returns the access token. Throws SourceError. */
export async function googleToken({
  outbound,
  serviceAccount,
  scope,
  tokenUrl,
  signal,
}: GoogleSignIn): Promise<string> {
  const account = accountOf(serviceAccount);
  let assertion: string;
  try {
    const claims = { iss: account.email, aud: account.tokenUrl, scope };
    assertion = await signedToken(createPrivateKey(account.key), claims);
  } catch (cause) {
    throw new SourceError('auth_failed', { cause });
  }
  const form = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const call = { url: tokenUrl ?? account.tokenUrl, method: 'POST' as const, headers, body: form.toString(), signal };
  const { body } = await requestJson(outbound, call, { tries: 1 }).catch((error: unknown) => {
    const isRejected = error instanceof SourceError && error.reason === 'unexpected_response';
    throw isRejected ? new SourceError('auth_failed', { cause: error }) : error;
  });
  const token = isObject(body) ? body.access_token : undefined;
  if (typeof token !== 'string') throw new SourceError('unexpected_response');
  return token;
}
