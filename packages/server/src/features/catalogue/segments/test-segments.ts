import assert from 'node:assert/strict';
import type { CallResult, TestServer } from '../../../main/test-server.ts';

export const segmentsUrl = '/api/v1/segments';

/** The parts of answers that the tests read. */
export interface Answer {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  readonly errors: { readonly path: string; readonly message: string }[];
  readonly version: number;
  readonly viewName: string;
  readonly customerCount: number | null;
  readonly lastRefreshedAt: string | null;
  readonly count: number | null;
  readonly sample: Record<string, unknown>[];
  readonly data: { readonly customerId: string; readonly id: string; readonly name: string }[];
  readonly pagination: { readonly total: number; readonly hasMore: boolean; readonly nextCursor: string | null };
}

/** Makes schemas, rows and segments of the first tenant. */
export interface TestSegments {
  /** The body's type is what the test expects; nothing checks it. */
  call<Body = Answer>(method: string, path: string, body?: unknown, key?: string): Promise<CallResult<Body>>;
  /** Creates a schema with these fields and answers with its id. */
  schema(name: string, fields: readonly Record<string, unknown>[], more?: object): Promise<string>;
  insert(schemaId: string, rows: readonly object[]): Promise<void>;
  create(body: object): Promise<Answer>;
  /** Returns all members over all pages, in order. */
  members(id: string, limit?: number): Promise<string[]>;
  /** Returns what the view shows, sorted. */
  viewed(viewName: string): Promise<string[]>;
}

export function testSegments(server: TestServer): TestSegments {
  const [tenant] = server.tenants;
  const call: TestSegments['call'] = <Body = Answer>(
    method: string,
    path: string,
    body?: unknown,
    key: string = tenant.keys.admin,
  ) => server.call<Body>(method, path, { key, ...(body === undefined ? {} : { body }) });
  return {
    call,
    async schema(name, fields, more = {}) {
      const made = await call('POST', '/api/v1/schemas', { name, displayName: name, fields, ...more });
      assert.equal(made.status, 201, made.text);
      return made.body.id;
    },
    async insert(schemaId, rows) {
      const made = await call('POST', `/api/v1/schemas/${schemaId}/data`, { rows });
      assert.equal(
        made.status,
        201,
        made.status < 500 ? made.text : JSON.stringify(server.log.filter(({ level }) => level !== 'info').at(-1)),
      );
    },
    async create(body) {
      const made = await call('POST', segmentsUrl, body);
      assert.equal(
        made.status,
        201,
        made.status < 500 ? made.text : JSON.stringify(server.log.filter(({ level }) => level !== 'info').at(-1)),
      );
      return made.body;
    },
    async members(id, limit = 50) {
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? '' : `&cursor=${cursor}`;
        const page: CallResult<Answer> = await call('GET', `${segmentsUrl}/${id}/customers?limit=${limit}${query}`);
        assert.equal(page.status, 200, page.text);
        found.push(...page.body.data.map(({ customerId }) => customerId));
        cursor = page.body.pagination.nextCursor;
      } while (cursor !== null);
      return found;
    },
    viewed: (viewName) =>
      server.database.withTenant(tenant.id, { id: 'system:test', name: 'system', role: 'admin' }, async (tx) => {
        const rows = await tx.query<{ customer_id: string }>(
          `select customer_id from "t_${tenant.id.replaceAll('-', '')}"."${viewName}"`,
        );
        return rows.map((row) => row.customer_id).sort();
      }),
  };
}
