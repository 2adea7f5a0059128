import assert from 'node:assert/strict';
import type { Approval, ApprovalDetail, ApprovalResult, Problem, Role } from '@arbiter/contract';
import {
  startTestServer,
  type TestServer,
  type TestServerOptions,
  type TestTenant,
} from '../../../main/test-server.ts';
import { createPeople, trusting } from '../../identity/accounts/test-people.ts';

/** A record as the API answers it. */
export interface Made extends Record<string, unknown> {
  readonly id: string;
}

/** A server whose approvals are filed and decided by persons. */
export interface ApprovalServer {
  readonly server: TestServer;
  readonly tenant: TestTenant;
  /** Someone of this role, by the cookie of their session. */
  someone(role: Role): Promise<{ readonly id: string; readonly email: string; readonly cookie: string }>;
  /** Calls as whoever has the cookie; without one as the operator's admin key. */
  as<Body>(cookie: string | null, method: string, path: string, body?: unknown): Promise<Answer<Body>>;
  file(cookie: string | null, body: object): Promise<Approval>;
  get(id: string): Promise<ApprovalDetail>;
  decide(cookie: string | null, id: string, body?: object): Promise<Answer<Decided>>;
  /** Makes a record as the admin. */
  make(path: string, body: object): Promise<Made>;
  read(path: string): Promise<Made>;
  settings(patch: object): Promise<void>;
  /** Actions that the audit log has of an entity, oldest first. */
  audited(entityId: string): Promise<string[]>;
}

/** What a decision came to, or why it was refused. */
type Decided = ApprovalResult & Omit<Problem, 'status'>;

interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Readonly<Record<string, unknown>>;
}

export async function startApprovalServer(options: TestServerOptions = {}): Promise<ApprovalServer> {
  const server = await startTestServer({ tenants: 2, ...options, config: { ...trusting, ...options.config } });
  const people = createPeople(server);
  const tenant = server.tenants[0];
  const as: ApprovalServer['as'] = (cookie, method, path, body) => {
    const sent = body === undefined ? {} : { body };
    if (cookie === null) return server.call(method, `/api/v1/${path}`, sent);
    return server.call(method, `/api/v1/${path}`, { ...sent, key: null, headers: { cookie } });
  };
  const must = async <Body>(cookie: string | null, method: string, path: string, status: number, body?: object) => {
    const answer = await as<Body>(cookie, method, path, body);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return answer.body;
  };
  return {
    server,
    tenant,
    as,
    async someone(role) {
      const person = await people.person(tenant, { role });
      return { id: person.id, email: person.email, cookie: await people.signIn(person) };
    },
    file: (cookie, body) =>
      must<Approval>(cookie, 'POST', 'approvals', 201, { entityId: 'new', entityName: 'Thing', ...body }),
    get: (id) => must<ApprovalDetail>(null, 'GET', `approvals/${id}`, 200),
    decide: (cookie, id, body = {}) => as(cookie, 'POST', `approvals/${id}`, { action: 'approve', ...body }),
    make: (path, body) => must<Made>(null, 'POST', path, 201, body),
    read: (path) => must<Made>(null, 'GET', path, 200),
    settings: async (patch) => void (await must(null, 'PUT', 'tenant-settings', 200, patch)),
    audited: async (entityId) =>
      (
        await server.testDatabase.ownerQuery<{ action: string }>(
          'select action from arbiter.audit_logs where entity_id = $1 order by sequence',
          [entityId],
        )
      ).map(({ action }) => action),
  };
}
