import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type PolicyExport, type PolicyPlan, type Resource, resources } from '@arbiter/contract';
import { startTestServer, type TestServer, type TestTenant } from '../../packages/server/src/main/test-server.ts';
import { createFixtures, type Resource as ResourcePath } from '../operations/fixtures.ts';
import { secretsOf } from './catalogue.ts';

/**
 * For each resource of the contract: files contain what it stores and restore it (docs/design/api-settled.md 21 to 30),
 * or it says why not. A new resource is covered as soon as it has a draft.
 */

const all = Object.values<Resource>(resources);

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2 * all.length });
});
after(() => server?.close());

async function post<Body>(tenant: TestTenant, verb: string, body: unknown): Promise<Body> {
  const answer = await server.call<Body>('POST', `/api/v1/gitops/${verb}`, { body, key: tenant.keys.admin });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

describe('a record created from the draft is exported to files and restored', () => {
  for (const [at, resource] of all.entries()) {
    if (resource.files?.leftOut !== undefined) {
      test(`${resource.path} says why it has no files`, () => {
        assert.match(String(resource.files?.leftOut), /\w{3,} \w{2,}/);
      });
      continue;
    }
    test(resource.path, async () => {
      const tenant = server.tenants[2 * at]!;
      const other = server.tenants[2 * at + 1]!;
      const fixtures = createFixtures(server, tenant);
      await fixtures.make(resource.path as ResourcePath);
      const exported = await post<PolicyExport>(tenant, 'export', {});
      const own = exported.files.filter(({ path }) => path.startsWith(`${resource.files?.folder ?? resource.path}/`));
      assert.ok(own.length > 0, `no file of ${exported.files.map(({ path }) => path).join(', ')}`);
      // An id in a file belongs to one tenant. List its place in the resource's `files.idsInside` or `files.without`.
      for (const { path, content } of exported.files) assert.doesNotMatch(content, uuid, path);

      const same = await post<PolicyPlan>(tenant, 'diff', { files: exported.files, prune: true });
      assert.deepEqual(same.changes, []);
      assert.deepEqual(same.warnings, []);

      const secrets = secretsOf(exported.files);
      const made = await post<PolicyPlan>(other, 'apply', { files: exported.files, secrets });
      assert.equal(made.summary.create, exported.files.length);
      assert.ok(Number(made.configVersion) > 0);
      const again = await post<PolicyExport>(other, 'export', {});
      assert.deepEqual(again.files, exported.files);
      assert.equal(again.hash, exported.hash);
      assert.equal(made.hash, exported.hash);

      // What the tenant didn't have is removed, in an order that its references allow.
      const gone = await post<PolicyPlan>(other, 'apply', { files: [], prune: true, allowDataLoss: true });
      assert.equal(gone.summary.delete, exported.files.length);
      assert.deepEqual((await post<PolicyExport>(other, 'export', {})).files, []);
    });
  }
});
