// Export of interaction history: how fast, and whole whatever is killed (docs/design/quality.md R15;
// docs/adr/0056). By hand, or as a row of `npm run bench`:
//   node test/load/export-bench.ts [rows = 100000] [kills = 20] [maxHeldMs = 5000]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemActor } from '../../packages/server/src/db/index.ts';
import { createTestDatabase } from '../../packages/server/src/db/test-database.ts';
import { exportHistory } from '../../packages/server/src/features/operations/exports/exports.service.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import { createPrivateFolder } from '../../packages/server/src/platform/private-folder.ts';
import { raceExports } from '../faults/export-race.ts';
import type { Row } from './bench/bench-report.ts';
import { n0 } from './bench/bench-report.ts';

/** Rows per second of one exporter on an idle server. */
async function exportRate(rows: number): Promise<number> {
  const db = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-export-bench-'));
  const tenantId = newId();
  try {
    await db.ownerQuery(`insert into arbiter.tenants (id, name) values ($1, 'Bench')`, [tenantId]);
    for (let left = rows; left > 0; left -= 5_000) {
      await db.database.withTenant(tenantId, systemActor('bench'), (tx) =>
        tx.query(
          `insert into interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
             is_conversion, occurred_at, created_at)
           select $1, u.id, 'C', 'response', 'click', 'positive', 'inbound', false, $3, $3 from unnest($2::uuid[]) as u(id)`,
          [tenantId, Array.from({ length: Math.min(left, 5_000) }, () => newId()), tx.now],
        ),
      );
    }
    const ports = { database: db.database, exportFolder: createPrivateFolder(folder) };
    const started = performance.now();
    while ((await exportHistory(ports, tenantId, { statementTimeoutMs: 60_000 })).exported > 0);
    return rows / ((performance.now() - started) / 1000);
  } finally {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the rows of the report. `rows`: rows to write; `kills`: exporters to kill. */
export async function benchExports(rows: number, kills: number, maxHeldMs: number): Promise<Row[]> {
  const rate = await exportRate(rows);
  const db = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-export-bench-'));
  try {
    const race = await raceExports({ db, folder, rows, writers: 16, maxHeldMs, kills });
    const { written, lost, doubled, unknown, files } = race;
    return [
      { measure: `export of ${n0(rows)} rows of history`, bar: '', measured: `${n0(rate)} rows/s`, met: null },
      {
        measure: `the same under 16 writers, transactions held up to ${maxHeldMs / 1000} s, ${race.kills} exporters killed`,
        bar: '0 lost, 0 twice',
        measured: `${n0(written)} rows in ${n0(files)} files, ${lost} lost, ${doubled} twice, ${unknown} unknown`,
        met: lost + doubled + unknown === 0 && race.kills === kills,
      },
    ];
  } finally {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [rows = 100_000, kills = 20, maxHeldMs = 5_000] = process.argv.slice(2).map(Number);
  for (const { measure, measured, met } of await benchExports(rows, kills, maxHeldMs)) {
    console.log(`${measure}: ${measured}${met === false ? ' FAILED' : ''}`);
  }
}
