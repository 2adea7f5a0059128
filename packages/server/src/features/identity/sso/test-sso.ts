import assert from 'node:assert/strict';
import type { Problem, SsoConfigInput, SsoSignIn } from '@arbiter/contract';
import type { CallResult, TestServer, TestTenant } from '../../../main/test-server.ts';
import { freshAddress, trusting } from '../accounts/test-people.ts';

/** A server whose identity providers are on this machine. */
export const reachingTests = { ...trusting, OUTBOUND_HTTP_OK: true, OUTBOUND_ALLOW_CIDRS: ['127.0.0.0/8'] };

export const ownOrigin = 'http://localhost:3000';
const callbackPath = '/api/v1/sso/callback';
export const callbackAt = `${ownOrigin}${callbackPath}`;

/** Answers of the callback, as a test looks into them. */
export type Called = CallResult<SsoSignIn & Problem>;

/** Returns the value of a cookie that an answer sets; null without one with this name. */
export function cookieIn({ headers }: Pick<CallResult<unknown>, 'headers'>, name: string): string | null {
  const set = [headers['set-cookie'] ?? []].flat().map(String);
  const found = set.find((each) => each.startsWith(`${name}=`));
  return found === undefined ? null : (found.split(';')[0]?.slice(name.length + 1) ?? null);
}

/** Single sign-on of one tenant, as its admin and its people use it. */
export function createSso(server: TestServer, tenant: TestTenant) {
  const key = tenant.keys.admin;

  const act = <Body = Problem & { message: string; authUrl: string; success: boolean }>(body: object) =>
    server.call<Body>('POST', '/api/v1/sso', { key, body });

  async function configure(config: SsoConfigInput): Promise<void> {
    const answer = await act({ action: 'configure', config });
    assert.equal(answer.status, 200, answer.text);
  }

  /** A call of a browser, from an address of its own. */
  const browse = (path: string, headers: Record<string, string> = {}): Promise<Called> =>
    server.call('GET', path, { key: null, headers: { 'x-forwarded-for': freshAddress(), ...headers } });

  /** Begins a sign-in in a browser; answers with where it is sent, and its cookie. */
  async function begin(returnTo?: string, cookie?: string): Promise<{ url: string; cookie: string }> {
    const query = new URLSearchParams({ tenantId: tenant.id, ...(returnTo === undefined ? {} : { returnTo }) });
    const headers: Record<string, string> = cookie === undefined ? {} : { cookie };
    const answer = await browse(`/api/v1/sso/login?${query}`, headers);
    assert.equal(answer.status, 302, answer.text);
    return { url: String(answer.headers.location), cookie: `arbiter_sso=${cookieIn(answer, 'arbiter_sso')}` };
  }

  /** Returns what the browser brings back from an OpenID provider. */
  const back = (search: URLSearchParams | string, cookie: string | null, headers: Record<string, string> = {}) =>
    browse(`${callbackPath}?${search}`, { ...(cookie === null ? {} : { cookie }), ...headers });

  /** Returns what the browser posts from a SAML provider. */
  const post = (fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}): Promise<Called> =>
    server.app
      .inject({
        method: 'POST',
        url: callbackPath,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-forwarded-for': freshAddress(),
          origin: 'https://idp.example',
          ...headers,
        },
        payload: new URLSearchParams(fields).toString(),
      })
      .then((answer) => ({
        status: answer.statusCode,
        headers: answer.headers,
        text: answer.body,
        body: (String(answer.headers['content-type']).includes('json') ? answer.json() : null) as Called['body'],
      }));

  const rows = <Row>(text: string, values: readonly unknown[] = []) =>
    server.testDatabase.ownerQuery<Row>(text, [tenant.id, ...values]);

  /** Audit rows of the tenant, oldest first, as `action entityType by userId`. */
  const audited = async () =>
    (
      await rows<{ line: string }>(
        `select action || ' ' || entity_type || ' by ' || user_id as line from arbiter.audit_logs
          where tenant_id = $1 and entity_type in ('user', 'sso') order by sequence`,
      )
    ).map(({ line }) => line);

  return { tenant, act, configure, browse, begin, back, post, rows, audited };
}

export type TestSso = ReturnType<typeof createSso>;

/** Returns whose session an answer's cookie is, according to `/auth/session`. */
export async function sessionOf(server: TestServer, answer: Pick<Called, 'headers'>) {
  const cookie = cookieIn(answer, 'arbiter_session');
  if (cookie === null) return null;
  const { body } = await server.call<{
    principal: { id: string; role: string; email: string };
    tenant: { id: string };
  }>('GET', '/api/v1/auth/session', {
    key: null,
    headers: { cookie: `arbiter_session=${cookie}`, 'x-forwarded-for': freshAddress() },
  });
  return body;
}
