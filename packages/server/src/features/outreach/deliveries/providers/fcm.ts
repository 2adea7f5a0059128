import { sign } from 'node:crypto';
import { isObject } from '../../../../platform/json.ts';
import { type OutgoingDelivery, rejected, rejectedMessage, type SendOutcome } from '../message.ts';
import { isOutcome, jsonOf, post } from './http-call.ts';
import type { Provider, ProviderDeps } from './provider.ts';

interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly tokenUri: string;
}

function readAccount(given: unknown): ServiceAccount | null {
  let value = given;
  try {
    if (typeof given === 'string') value = JSON.parse(given);
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const { project_id: projectId, client_email: clientEmail, private_key: privateKey, token_uri: tokenUri } = value;
  const texts = [projectId, clientEmail, privateKey].every((text) => typeof text === 'string');
  if (!texts) return null;
  return {
    projectId: String(projectId),
    clientEmail: String(clientEmail),
    privateKey: String(privateKey),
    tokenUri: typeof tokenUri === 'string' ? tokenUri : 'https://oauth2.googleapis.com/token',
  };
}

const scope = 'https://www.googleapis.com/auth/firebase.messaging';
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Access tokens by account, each until a minute before it expires. */
const tokens = new Map<string, { readonly token: string; readonly until: number }>();
const maxTokens = 100;

const nameOf = ({ clientEmail, tokenUri, privateKey }: ServiceAccount) => `${clientEmail} ${tokenUri} ${privateKey}`;

/** Exchanges a signed assertion for an access token (RFC 7523 section 2.1). */
async function accessToken(
  { outbound }: ProviderDeps,
  account: ServiceAccount,
  { triedAt, timeoutMs }: OutgoingDelivery,
): Promise<string | SendOutcome> {
  const name = nameOf(account);
  const known = tokens.get(name);
  if (known !== undefined && known.until > triedAt.getTime()) return known.token;
  const issuedAt = Math.floor(triedAt.getTime() / 1000);
  const claims = { iss: account.clientEmail, scope, aud: account.tokenUri, iat: issuedAt, exp: issuedAt + 3_600 };
  const unsigned = `${base64url({ alg: 'RS256', typ: 'JWT' })}.${base64url(claims)}`;
  let assertion: string;
  try {
    assertion = `${unsigned}.${sign('RSA-SHA256', Buffer.from(unsigned), account.privateKey).toString('base64url')}`;
  } catch {
    return rejected('not_configured');
  }
  const answer = await post(outbound, triedAt, {
    url: account.tokenUri,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }).toString(),
    timeoutMs,
  });
  // Whatever failed, no message has been handed over yet.
  if (isOutcome(answer)) return answer.kind === 'unknown' ? rejectedMessage(answer.error) : answer;
  const { access_token: token, expires_in: seconds } = jsonOf(answer);
  if (typeof token !== 'string') return rejectedMessage('no_access_token');
  if (tokens.size >= maxTokens) tokens.clear();
  tokens.set(name, { token, until: triedAt.getTime() + ((typeof seconds === 'number' ? seconds : 3_600) - 60) * 1000 });
  return token;
}

/** Firebase Cloud Messaging (HTTP v1, `POST /v1/projects/{project}/messages:send`; 200 with `name`). */
export const sendWithFcm: Provider = async (deps, config, message) => {
  const account = readAccount(config.serviceAccount);
  if (account === null) return rejected('not_configured');
  const token = await accessToken(deps, account, message);
  if (typeof token !== 'string') return token;
  const { all, subject, text } = message.content;
  const image = typeof all.imageUrl === 'string' && all.imageUrl !== '' ? { image: all.imageUrl } : {};
  const links = ['deepLink', 'ctaUrl'].flatMap((key) => (typeof all[key] === 'string' ? [[key, all[key]]] : []));
  const answer = await post(deps.outbound, message.triedAt, {
    url: `${deps.addresses.fcm}/v1/projects/${encodeURIComponent(account.projectId)}/messages:send`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      message: {
        token: message.address,
        notification: { title: subject, body: text, ...image },
        // Values of `data` are texts.
        data: { deliveryId: message.id, offerId: message.row.offerId, ...Object.fromEntries(links) },
      },
    }),
    timeoutMs: message.timeoutMs,
  });
  if (isOutcome(answer)) {
    // The token may have been withdrawn.
    tokens.delete(nameOf(account));
    return answer;
  }
  const { name } = jsonOf(answer);
  return { kind: 'sent', messageId: typeof name === 'string' ? name : message.id };
};
