import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Operation, operations } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { type CatalogueIds, creates, makeCatalogue } from './test-catalogue.ts';

/** Every audited operation leaves its row: action, entity type, actor and request id (contract part 1, convention 7). */

const all: readonly Operation[] = Object.values(operations);

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server.close());

interface Row {
  readonly action: string;
  readonly entityType: string;
  readonly userId: string;
  readonly requestId: string;
}
interface Call {
  readonly path: string;
  readonly body?: unknown;
}
type Make = (ids: CatalogueIds, suffix: string) => Call | Promise<Call>;

const api = (path: string, body?: unknown): Call => ({ path: `/api/v1/${path}`, body });

/** Calls that succeed on a fresh catalogue, for the operations that are not plain create, update or delete. */
const calls: Readonly<Record<string, Make>> = {
  'schemas.createField': (ids) => api('schemas/fields', { schemaId: ids.schemas, name: 'age', dataType: 'integer' }),
  'schemas.updateField': async (ids) =>
    api('schemas/fields', { fieldId: await fieldOf(ids, 'balance'), displayName: 'Saldo' }),
  'schemas.deleteField': async (ids) => api(`schemas/fields?fieldId=${await fieldOf(ids, 'balance')}`),
  'schemas.insertRows': (ids) => api(`schemas/${ids.schemas}/data`, { rows: [{ customer_id: 'c', balance: 1 }] }),
  'tenant.update': (_ids, suffix) => api('tenant', { name: `Tenant ${suffix}` }),
  'tenantSettings.update': () => api('tenant-settings', { decisionTraceEnabled: true }),
  'apiKeys.revoke': (ids) => api(`api-keys/${ids.apiKeys}`),
  'apiKeys.revokeByQuery': (ids) => api(`api-keys?id=${ids.apiKeys}`),
  'adminRls.repair': () => api('admin/rls', {}),
  'decisionFlows.publish': (ids) => api('decision-flows/publish', { id: ids.decisionFlows }),
  'decisionFlows.ensureBase': () => api('decision-flows/ensure-base', {}),
  'decisions.replay': async (ids) => {
    await ok('POST', api('decision-flows/publish', { id: ids.decisionFlows }));
    const decided = await ok('POST', api('recommend', { customerId: 'c1', flowId: ids.decisionFlows }));
    const id = String(decided.requestId ?? decided.recommendationId);
    return api(`decisions/${id}/replay`, {});
  },
};

async function ok(method: string, { path, body }: Call): Promise<Record<string, unknown>> {
  const answer = await server.call(method, path, body === undefined ? {} : { body });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.body;
}

async function fieldOf(ids: CatalogueIds, name: string): Promise<string> {
  const schema = await ok('GET', api(`schemas/${ids.schemas}`));
  const fields = schema.fields as { id: string; name: string }[];
  return fields.find((field) => field.name === name)?.id ?? '';
}

function plainCall(operation: Operation, ids: CatalogueIds, suffix: string): Call | null {
  const [resource = '', verb = ''] = operation.id.split('.');
  const step = creates.find((each) => each.resource === resource);
  const id = ids[resource];
  if (step === undefined || id === undefined) return null;
  const change = resource === 'schemas' ? { displayName: `New ${suffix}` } : { name: `New ${suffix}` };
  switch (verb) {
    case 'create':
      return api(step.path, step.body(ids, `${suffix}x`));
    case 'update':
      return api(step.path, { id, ...change });
    case 'updateById':
      return api(`${step.path}/${id}`, change);
    case 'delete':
      return api(`${step.path}?id=${id}`);
    case 'deleteById':
      return api(`${step.path}/${id}`);
    default:
      return null;
  }
}

/** A record that nothing refers to stands in for the one to be deleted. */
async function withFresh(operation: Operation, ids: CatalogueIds, suffix: string): Promise<CatalogueIds> {
  const [resource = ''] = operation.id.split('.');
  const step = creates.find((each) => each.resource === resource);
  if (step === undefined) return ids;
  const made = await ok('POST', api(step.path, step.body(ids, `${suffix}y`)));
  return { ...ids, [resource]: String(made.id) };
}

for (const [index, operation] of all.entries()) {
  if (operation.audit.length === 0) continue;
  test(operation.id, async () => {
    const [tenant] = server.tenants;
    const suffix = `a${index}`;
    // A new tenant has no flow; the others need one record of each resource.
    const ids =
      operation.id === 'decisionFlows.ensureBase' ? {} : await makeCatalogue(server, tenant.keys.admin, suffix);
    const target = /\.delete/.test(operation.id) ? await withFresh(operation, ids, suffix) : ids;
    const call = (await calls[operation.id]?.(target, suffix)) ?? plainCall(operation, target, suffix);
    assert.ok(call !== null, 'say in this file how to call it');
    const requestId = `audited-${index}`;
    const answer = await server.call(operation.method, call.path, {
      ...(call.body === undefined ? {} : { body: call.body }),
      headers: { 'x-request-id': requestId },
    });
    assert.ok(answer.status < 300, answer.text);
    const { data } = (await ok('GET', api('audit-logs?limit=200'))) as unknown as { data: readonly Row[] };
    const rows = data.filter((row) => row.requestId === requestId);
    for (const { action, entityType } of operation.audit) {
      const row = rows.find((each) => each.action === action && each.entityType === entityType);
      assert.ok(row, `${action} ${entityType} is missing in ${JSON.stringify(rows)}`);
      assert.match(row.userId, /^apikey:/);
    }
  });
}
