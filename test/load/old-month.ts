import { randomInt } from 'node:crypto';
import { createSeal, recordContext, unseal } from '../../packages/server/src/features/deciding/sealed-records/index.ts';
import { type TestServer, testLoadPorts } from '../../packages/server/src/main/test-server.ts';
import { idAt } from '../../packages/server/src/platform/ids.ts';

const perInsert = 5_000;
const dayMs = 86_400_000;

/** Returns the first instant of the newest month that ended more than 90 days ago. */
export function closedMonth(): Date {
  const at = new Date(Date.now() - 90 * dayMs);
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1));
}

/**
 * Copies the first tenant's decisions into a month under new ids, until it has `wanted` of them: sealed again for the new id, with
 * the first one's request, so that they replay. A quarter keep what they showed, a twentieth get a response.
 */
export async function copyIntoMonth(server: TestServer, month: Date, wanted: number): Promise<void> {
  const tenantId = server.tenants[0].id;
  const sql = server.testDatabase.ownerQuery;
  for (const table of ['decisions', 'decision_impressions', 'interactions']) {
    await sql(`select arbiter.ensure_month_partitions('arbiter.${table}', $1::date, 1)`, [month]);
  }
  const decisionColumns = await columnsOf(server, 'decisions', ['tenant_id', 'id', 'request_id', 'decided_at', 'body']);
  const impressionColumns = await columnsOf(server, 'decision_impressions', ['tenant_id', 'id', 'occurred_at']);
  const originals = await openDecisions(server);
  const seal = createSeal();
  for (let done = 0; done < wanted; done += perInsert) {
    const copies = Array.from({ length: Math.min(perInsert, wanted - done) }, (_, index) => {
      const from = originals[(done + index) % originals.length]!;
      const id = `${idAt(month.getTime() + randomInt(27 * dayMs)).slice(0, 34)}00`;
      return { ...from, from: from.id, id, body: seal(from.key, recordContext(tenantId, id), from.text) };
    });
    const values = [
      copies.map(({ from }) => from),
      copies.map(({ id }) => id),
      copies.map(({ requestId }) => requestId),
      copies.map(({ body }) => body),
    ];
    const at = `to_timestamp(('x' || lpad(replace(left(u.id::text, 13), '-', ''), 16, '0'))::bit(64)::bigint / 1000.0)`;
    const of = 'unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bytea[]) as u(from_id, id, request_id, body)';
    await sql(
      `insert into arbiter.decisions (tenant_id, id, request_id, decided_at, body, ${decisionColumns})
       select $1, u.id, u.request_id, ${at}, u.body, ${decisionColumns}
       from ${of} join arbiter.decisions d on d.tenant_id = $1 and d.id = u.from_id`,
      [tenantId, ...values],
    );
    await sql(
      `insert into arbiter.decision_impressions (tenant_id, id, occurred_at, ${impressionColumns})
       select $1, u.id, ${at}, ${impressionColumns}
       from ${of} join arbiter.decision_impressions p on p.tenant_id = $1 and p.id = u.from_id
       where ascii(right(u.id::text, 3)) % 4 = 0`,
      [tenantId, ...values],
    );
    await sql(
      `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
         offer_id, recommendation_id, rank, context, occurred_at, created_at, resolved_by)
       select $1, overlay(u.id::text placing 'f' from 36)::uuid, p.customer_id, 'response', 'click', 'positive', 'inbound',
         p.offer_ids[1], u.id, 1, jsonb_build_object('page', 'page of ' || p.customer_id), p.occurred_at, p.occurred_at, 'recommendation'
       from ${of} join arbiter.decision_impressions p on p.tenant_id = $1 and p.id = u.id
       where ascii(right(u.id::text, 4)) % 5 = 0`,
      [tenantId, ...values],
    );
  }
}

/** Returns the columns of a table, except some, as a list in SQL. */
async function columnsOf({ testDatabase }: TestServer, table: string, except: readonly string[]): Promise<string> {
  const rows = await testDatabase.ownerQuery<{ name: string }>(
    `select column_name as name from information_schema.columns where table_schema = 'arbiter' and table_name = $1`,
    [table],
  );
  return rows
    .map(({ name }) => name)
    .filter((name) => !except.includes(name))
    .join(', ');
}

/** Returns the first tenant's decisions with their records in plain text. */
async function openDecisions({ testDatabase, tenants: [{ id: tenantId }] }: TestServer) {
  const rows = await testDatabase.ownerQuery<{ id: string; requestId: string; dataKey: Buffer; body: Buffer }>(
    `select d.id, coalesce(d.request_id, d.id) as "requestId", s.data_key as "dataKey", d.body
     from arbiter.decisions d join arbiter.customer_states s on s.tenant_id = d.tenant_id and s.ref = d.customer_ref
     where d.tenant_id = $1`,
    [tenantId],
  );
  return rows.map((row) => {
    const key = testLoadPorts.keys.open(tenantId, row.dataKey);
    return { ...row, key, text: unseal(key, recordContext(tenantId, row.id), row.body) };
  });
}
