// Writers hold their transactions open, and exporters are killed: every row must be in exactly one file
// (docs/design/quality.md R15).
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, systemActor } from '../../packages/server/src/db/index.ts';
import type { TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import { createPrivateFolder } from '../../packages/server/src/platform/private-folder.ts';

export interface RaceOptions {
  readonly db: TestDatabase;
  /** Folder of the files. */
  readonly folder: string;
  /** Rows to write. */
  readonly rows: number;
  readonly writers: number;
  /** Maximum time a transaction stays open, in ms. */
  readonly maxHeldMs: number;
  readonly kills: number;
}

export interface RaceResult {
  readonly written: number;
  readonly files: number;
  /** Rows in no file, in several, or in a file but not in the table. */
  readonly lost: number;
  readonly doubled: number;
  readonly unknown: number;
  readonly kills: number;
}

const places = ['writing', 'written', 'exported'] as const;
const program = join(import.meta.dirname, 'nodes/export-node.ts');
/** Share of transactions that stay open. */
const heldShare = 0.2;

export async function raceExports({ db, folder, rows, writers, maxHeldMs, kills }: RaceOptions): Promise<RaceResult> {
  const tenantId = newId();
  await db.ownerQuery(`insert into arbiter.tenants (id, name) values ($1, 'Race')`, [tenantId]);
  const database = createDatabase({
    url: db.url,
    poolMax: writers,
    acquireTimeoutMs: 60_000,
    statementTimeoutMs: 60_000,
  });
  let killed = 0;
  let isOver = false;
  const running = new Set<ChildProcess>();

  /** Runs one exporter after the other. Each is killed at the next step, until all kills are done. */
  async function keepExporting(): Promise<void> {
    while (!isOver) {
      const child = spawn(process.execPath, [program, db.url, folder, tenantId], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      running.add(child);
      const ended = once(child, 'exit');
      const place = places[killed % places.length];
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (killed >= kills || !said.includes(`${place}\n`) || child.killed) return;
        killed += 1;
        child.kill('SIGKILL');
      });
      await ended;
      running.delete(child);
    }
  }

  let left = rows;
  async function keepWriting(): Promise<void> {
    while (left > 0) {
      const count = Math.min(left, 1 + Math.floor(Math.random() * 40));
      left -= count;
      await database.withTenant(tenantId, systemActor('race'), async (tx) => {
        const ids = Array.from({ length: count }, () => newId());
        await tx.query(
          `insert into interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
             is_conversion, occurred_at, created_at)
           select $1, u.id, 'C', 'response', 'click', 'positive', 'inbound', false, $3, $3 from unnest($2::uuid[]) as u(id)`,
          [tenantId, ids, tx.now],
        );
        if (Math.random() < heldShare) await sleep(Math.random() * maxHeldMs);
      });
    }
  }

  const exporting = [keepExporting(), keepExporting()];
  try {
    await Promise.all(Array.from({ length: writers }, keepWriting));
    const files = createPrivateFolder(folder);
    const read = async () => {
      const paths = await files.list(tenantId, '.json');
      const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')));
      const ids = texts.flatMap((text) =>
        text
          .split('\n')
          .filter((line) => line !== '')
          .map((line): string => JSON.parse(line).id),
      );
      return { ids, files: paths.length };
    };
    const table = new Set(
      (await db.ownerQuery<{ id: string }>('select id from arbiter.interactions where tenant_id = $1', [tenantId])).map(
        ({ id }) => id,
      ),
    );
    // Continue until nothing is left to export and every kill is done.
    const until = performance.now() + 120_000;
    let found = await read();
    while ((found.ids.length < table.size || killed < kills) && performance.now() < until) {
      await sleep(200);
      if (found.ids.length >= table.size) {
        // More rows, so that there is something to lose.
        left = 10;
        await keepWriting();
        for (const { id } of await db.ownerQuery<{ id: string }>(
          'select id from arbiter.interactions where tenant_id = $1',
          [tenantId],
        )) {
          table.add(id);
        }
      }
      found = await read();
    }
    const inFiles = new Set(found.ids);
    return {
      written: table.size,
      files: found.files,
      lost: [...table].filter((id) => !inFiles.has(id)).length,
      doubled: found.ids.length - inFiles.size,
      unknown: [...inFiles].filter((id) => !table.has(id)).length,
      kills: killed,
    };
  } finally {
    isOver = true;
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(exporting);
    await database.close();
  }
}
