import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ContentItem, ContentVersion, Problem, Rendered } from '@arbiter/contract';
import { startTestServer, type TestServer, type TestTenant } from '../../../main/test-server.ts';
import { giveKeyTo } from '../../identity/credentials/test-owner.ts';

/** An item, or the problem of the call. */
export type Answer = ContentItem & Partial<Pick<Problem, 'code' | 'errors'>>;

/** For tests: content over HTTP, with several people. */
export interface ContentServer {
  readonly server: TestServer;
  readonly tenant: TestTenant;
  /** Creates a key for a new person, or another key for an existing one. */
  person(role?: 'editor' | 'admin', person?: string): Promise<string>;
  call<Body = Answer>(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<{ readonly status: number; readonly body: Body; readonly text: string }>;
  /** Creates an item and expects 201. */
  make(body?: Record<string, unknown>): Promise<ContentItem>;
  change(id: string, body: Record<string, unknown>): Promise<ContentItem>;
  /** Submits, approves and publishes, with two people. */
  publish(id: string): Promise<ContentItem>;
  render(id: string, body?: Record<string, unknown>): Promise<Rendered>;
  versions(id: string): Promise<ContentVersion[]>;
}

let counter = 0;

export async function startContentServer(options: Parameters<typeof startTestServer>[0] = {}): Promise<ContentServer> {
  const server = await startTestServer(options);
  const [tenant] = server.tenants;
  const call: ContentServer['call'] = (method, path, body, key = tenant.keys.editor) =>
    server.call(method, `/api/v1/content${path}`, { body, key });
  async function must<Body>(method: string, path: string, body: unknown, status: number, key?: string): Promise<Body> {
    const answer = await call<Body>(method, path, body, key);
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
    return answer.body;
  }
  let approver: string | null = null;
  const contents: ContentServer = {
    server,
    tenant,
    async person(role = 'editor', person = randomUUID()) {
      const scopes = role === 'admin' ? ['read', 'write', 'admin'] : ['read', 'write'];
      const made = await server.call<{ id: string; key: string }>('POST', '/api/v1/api-keys', {
        body: { name: `key ${++counter}`, scopes },
      });
      await giveKeyTo(server.testDatabase, { tenantId: tenant.id, keyId: made.body.id, person });
      return made.body.key;
    },
    call,
    make: (body = {}) => must('POST', '', { name: `Item ${++counter}`, channelType: 'email', ...body }, 201),
    change: (id, body) => must('PUT', `/${id}`, body, 200),
    async publish(id) {
      approver ??= await contents.person();
      await must('POST', `/${id}/submit`, undefined, 200);
      await must('POST', `/${id}/approve`, undefined, 200, approver);
      return must('POST', `/${id}/publish`, undefined, 200);
    },
    render: (id, body = {}) => must('POST', `/${id}/render`, body, 200),
    versions: (id) => must('GET', `/${id}/versions`, undefined, 200),
  };
  return contents;
}
