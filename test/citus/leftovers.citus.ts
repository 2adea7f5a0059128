import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';

// Tables of tenants are dropped after the commit of the deletion. A job drops what a reader kept from being dropped.

const jobName = 'schemas.drop-leftovers';
let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server?.close());

const code = { name: 'code', displayName: 'Code', dataType: 'varchar', isPrimaryKey: true, isNullable: false };
const mood = { name: 'mood', displayName: 'Mood', dataType: 'varchar' };
const tableOf = (name: string): string => `t_${server.tenants[0].id.replaceAll('-', '')}.ds_${name}`;

async function makeSchema(
  name: string,
): Promise<{ readonly id: string; readonly fields: readonly { readonly id: string }[] }> {
  const body = { name, displayName: name, schemaType: 'custom', fields: [code, mood] };
  const {
    status,
    text,
    body: schema,
  } = await server.call<Awaited<ReturnType<typeof makeSchema>>>('POST', '/api/v1/schemas', { body });
  assert.equal(status, 201, text);
  return schema;
}

async function columnsOf(name: string): Promise<string[]> {
  const rows = await server.testDatabase.ownerQuery<{ name: string }>(
    `select attname::text as name from pg_attribute
      where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and attname <> 'tenant_id' order by 1`,
    [tableOf(name)],
  );
  return rows.map((row) => row.name);
}

/** Deletes while someone reads the table. */
async function deleteWhileRead(path: string, name: string): Promise<void> {
  const release = await server.testDatabase.ownerHold(`lock table ${tableOf(name)} in access share mode`);
  try {
    const { status, text } = await server.call('DELETE', `/api/v1/${path}`);
    assert.ok(status < 300, text);
  } finally {
    await release();
  }
}

/** Runs the job if the queue has it, and takes it out. Returns whether it was there. */
async function runJob(): Promise<boolean> {
  const taken = await server.testDatabase.ownerQuery(
    `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
      where t.id = j.task_id and t.identifier = $1 returning 1`,
    [jobName],
  );
  const run = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  if (taken.length > 0) await server.jobs.get(jobName)?.run({}, run, server.tenants[0].id);
  return taken.length > 0;
}

test('a table that is read while its schema is deleted is dropped by a job', async () => {
  const { id } = await makeSchema('pets');
  assert.equal(await runJob(), false);
  await deleteWhileRead(`schemas/${id}`, 'pets');
  assert.deepEqual(await columnsOf('pets'), ['code', 'mood'], 'the table is still there');
  assert.ok(await runJob());
  assert.deepEqual(await columnsOf('pets'), []);
});

test('a column that is read while its field is deleted is dropped by a job', async () => {
  const { fields } = await makeSchema('cars');
  await deleteWhileRead(`schemas/fields?fieldId=${fields[1]?.id}`, 'cars');
  assert.deepEqual(await columnsOf('cars'), ['code', 'mood']);
  assert.ok(await runJob());
  assert.deepEqual(await columnsOf('cars'), ['code']);
});

test('the job keeps a table that a new schema with the same name uses', async () => {
  const { id } = await makeSchema('boats');
  await deleteWhileRead(`schemas/${id}`, 'boats');
  await makeSchema('boats');
  assert.ok(await runJob());
  assert.deepEqual(await columnsOf('boats'), ['code', 'mood']);
});
