import assert from 'node:assert/strict';
import type { AlgorithmModel } from '@arbiter/contract';
import type { TestServer } from '../../../main/test-server.ts';

/** Runs the waiting jobs with this name once each, like workers. Returns how many there were. */
export async function runQueue(server: TestServer, name: string): Promise<number> {
  const waiting = await server.testDatabase.ownerQuery<{ payload: { tenantId: string } }>(
    `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
     where t.id = j.task_id and t.identifier = $1 and j.locked_at is null returning j.payload`,
    [name],
  );
  const handler = server.jobs.get(name);
  assert.ok(handler !== undefined, name);
  for (const { payload } of waiting) {
    const { tenantId, ...own } = payload;
    const signal = new AbortController().signal;
    await handler.run(own, { jobId: '1', attempt: 1, dueAt: null, signal }, tenantId);
  }
  return waiting.length;
}

/** Reads a model. */
export async function readModel(server: TestServer, id: string): Promise<AlgorithmModel> {
  const got = await server.call<AlgorithmModel>('GET', `/api/v1/algorithm-models/${id}`);
  assert.equal(got.status, 200, got.text);
  return got.body;
}

/** Creates a schema with people and a label: those above 50 accept mostly. Returns its id. */
export async function createTrainingSchema(server: TestServer, name: string, count = 300): Promise<string> {
  const field = (fieldName: string, dataType: string, more: object = {}) => ({
    name: fieldName,
    displayName: fieldName,
    dataType,
    ...more,
  });
  const made = await server.call<{ id: string }>('POST', '/api/v1/schemas', {
    body: {
      name,
      displayName: name,
      schemaType: 'customer',
      autoEnrich: true,
      fields: [
        field('customer_id', 'varchar', { length: 64, isPrimaryKey: true, isNullable: false }),
        field('age', 'integer'),
        field('job', 'text'),
        field('accepted', 'boolean'),
        field('secret', 'text', { neverStore: true }),
      ],
    },
  });
  assert.equal(made.status, 201, made.text);
  const rows = Array.from({ length: count }, (_, at) => {
    const age = 20 + ((at * 37) % 60);
    const noise = (at * 53) % 10 === 0;
    return {
      customer_id: `${name}-${at}`,
      age,
      job: ['cook', 'nurse', 'pilot'][at % 3],
      accepted: age > 50 !== noise,
      secret: 'x',
    };
  });
  for (let at = 0; at < rows.length; at += 500) {
    const stored = await server.call('POST', `/api/v1/schemas/${made.body.id}/data`, {
      body: { rows: rows.slice(at, at + 500) },
    });
    assert.equal(stored.status, 201, stored.text);
  }
  return made.body.id;
}
