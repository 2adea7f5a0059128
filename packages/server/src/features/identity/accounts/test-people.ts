import assert from 'node:assert/strict';
import type { Problem, Session, SignedIn, User } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import type { CallResult, TestServer, TestTenant } from '../../../main/test-server.ts';
import { ensureUser, selectIdByEmail, type UserRole } from '../users/index.ts';

/** A person of a test, with a password. */
export interface Person {
  readonly id: string;
  readonly tenantId: string;
  readonly email: string;
  readonly password: string;
}

let counter = 0;
let address = 0;

/** Each call comes from its own address, so that only tests of limits per address hit those limits. */
export function freshAddress(): string {
  address += 1;
  return `203.0.${Math.floor(address / 250)}.${(address % 250) + 1}`;
}

export const trusting = { TRUSTED_PROXIES: ['127.0.0.1'] };

/** People who sign in to a server. Start it with `config: trusting`. */
export function createPeople(server: Pick<TestServer, 'call' | 'database' | 'passwords'>) {
  async function person(
    tenant: Pick<TestTenant, 'id'>,
    { email = `person-${++counter}@example.test`, password = 'Passw0rd', role = 'editor' as UserRole } = {},
  ): Promise<Person> {
    const hashPassword = () => server.passwords.hash(password);
    const id = await server.database.withTenant(tenant.id, systemActor('test'), async (tx) => {
      await ensureUser(tx, { email, name: `Name of ${email}`, role, hashPassword });
      return selectIdByEmail(tx, email);
    });
    assert.ok(id);
    return { id, tenantId: tenant.id, email, password };
  }

  /** Calls without a key, from an address of its own. */
  function open<Body = Problem>(
    method: string,
    path: string,
    { body, cookie, headers = {} }: { body?: unknown; cookie?: string; headers?: Record<string, string> } = {},
  ): Promise<CallResult<Body>> {
    return server.call<Body>(method, path, {
      key: null,
      ...(body === undefined ? {} : { body }),
      headers: { 'x-forwarded-for': freshAddress(), ...(cookie === undefined ? {} : { cookie }), ...headers },
    });
  }

  const login = (body: { email: string; password: string; tenantId?: string }) =>
    open<SignedIn & Problem>('POST', '/api/v1/auth/login', { body });

  /** Signs a person in. Returns the cookie. */
  async function signIn({ email, password, tenantId }: Omit<Person, 'id'>): Promise<string> {
    const answer = await login({ email, password, tenantId });
    assert.equal(answer.status, 200, answer.text);
    return cookieOf(answer);
  }

  const session = async (cookie: string) => (await open<Session>('GET', '/api/v1/auth/session', { cookie })).body;

  const user = async (tenant: TestTenant, id: string) =>
    (await server.call<User>('GET', `/api/v1/users/${id}`, { key: tenant.keys.admin })).body;

  return { person, open, login, signIn, session, user };
}

/** The cookie of an answer as the browser sends it back. */
export function cookieOf(answer: Pick<CallResult<unknown>, 'headers'>): string {
  const [cookie] = String(answer.headers['set-cookie']).split(';');
  assert.match(cookie!, /^arbiter_session=/);
  return cookie!;
}
