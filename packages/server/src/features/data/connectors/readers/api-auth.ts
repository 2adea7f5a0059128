import { isObject } from '../../../../platform/json.ts';
import type { Outbound } from '../../../../platform/outbound/outbound.ts';
import { requestJson } from '../../../../platform/sources/http-source.ts';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import { requiredText, type Source, textOf } from '../source.ts';

type Headers = Readonly<Record<string, string>>;

const given = (source: Source): boolean =>
  ['apiKey', 'username', 'accessToken', 'clientSecret'].some((key) => textOf(source, key) !== undefined);

/** Headers that the settings name. Throws SourceError `missing_config` for values that aren't text. */
export function ownHeaders({ config }: Source): Headers {
  const { headers } = config;
  if (headers === undefined || headers === null) return {};
  if (!isObject(headers)) throw new SourceError('missing_config');
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (typeof value !== 'string') throw new SourceError('missing_config');
      return [name, value];
    }),
  );
}

/** Returns the headers that sign a caller in (docs/design/api-catalogue.md 20). Throws SourceError. */
export async function authHeaders(outbound: Outbound, source: Source, signal: AbortSignal): Promise<Headers> {
  const { method } = source;
  if (method === 'none' || !given(source)) return {};
  if (method === 'api_key') {
    return { [(textOf(source, 'headerName') ?? 'X-API-Key').toLowerCase()]: requiredText(source, 'apiKey') };
  }
  if (method === 'basic') {
    const user = `${requiredText(source, 'username')}:${textOf(source, 'password') ?? ''}`;
    return { authorization: `Basic ${Buffer.from(user).toString('base64')}` };
  }
  const token = method === 'oauth2' ? await freshToken(outbound, source, signal) : requiredText(source, 'accessToken');
  return { authorization: `Bearer ${token}` };
}

/** An access token, by the refresh token if there is one. */
async function freshToken(outbound: Outbound, source: Source, signal: AbortSignal): Promise<string> {
  const refreshToken = textOf(source, 'refreshToken');
  const scope = textOf(source, 'scope');
  const form = new URLSearchParams({
    ...(refreshToken === undefined
      ? { grant_type: 'client_credentials' }
      : { grant_type: 'refresh_token', refresh_token: refreshToken }),
    client_id: requiredText(source, 'clientId'),
    client_secret: requiredText(source, 'clientSecret'),
    ...(scope === undefined ? {} : { scope }),
  });
  const { body } = await requestJson(
    outbound,
    {
      ...{ url: requiredText(source, 'tokenUrl'), method: 'POST', body: form.toString(), signal },
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    },
    { tries: 1 },
  ).catch((error: unknown) => {
    // RFC 6749 5.2: a rejected client or token is 400.
    const isRejected = error instanceof SourceError && error.reason === 'unexpected_response';
    throw isRejected ? new SourceError('auth_failed', { cause: error }) : error;
  });
  if (!isObject(body) || typeof body.access_token !== 'string') throw new SourceError('unexpected_response');
  return body.access_token;
}
