import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { EvaluationResult, RecommendAnswer, Study } from '@arbiter/contract';
import {
  migrate,
  migrationsFolder,
  pendingMigrations,
  readMigrations,
} from '../../../packages/server/src/db/migrate.ts';
import { createEmptyDatabase, type TestDatabase } from '../../../packages/server/src/db/test-database.ts';
import { type BacktestStudy, runStudies } from '../../../packages/server/src/features/deciding/studies/test-studies.ts';
import { startServerOn } from '../../../packages/server/src/main/test-server.ts';
import { factsOf, restoreDatabase } from './dump.ts';

type EvaluationStudy = Study & { readonly result: EvaluationResult | null };

/**
 * An upgrade with data: a database as an earlier release left it, every migration since, and then the application. Each
 * record must replay byte for byte. README.md in this folder says how a release adds its database.
 */
const files = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.jsonl.gz'));

test('a database to upgrade exists', () => assert.ok(files.length > 0));

for (const file of files) {
  const dump = gunzipSync(readFileSync(new URL(file, import.meta.url))).toString('utf8');
  const facts = factsOf(dump);

  describe(`${file}, made with migration ${facts.migration}`, () => {
    let base: TestDatabase;
    let server: ReturnType<typeof startServerOn>;

    before(async () => {
      base = await createEmptyDatabase();
      await migrateUpTo(facts.migration, base);
      await restoreDatabase(base.ownerQuery, dump);
      const later = (await readMigrations()).filter(({ name }) => name > facts.migration);
      assert.deepEqual(
        await migrate({ adminUrl: base.adminUrl, url: base.url }),
        later.map(({ name }) => name),
      );
      assert.deepEqual(await pendingMigrations(base.url), []);
      server = startServerOn(base, { config: facts.keys });
    });
    after(async () => {
      await (server ?? base)?.close();
    });

    for (const [number, { apiKey, decisions, withheld }] of facts.tenants.entries()) {
      const call = <Body>(method: string, path: string, body?: object) =>
        server.call<Body>(method, `/api/v1/${path}`, { key: apiKey, ...(body === undefined ? {} : { body }) });

      test(`every record of tenant ${number + 1} replays byte for byte`, async () => {
        assert.ok(decisions.length > 20);
        for (const id of decisions) {
          const replay = await call<{ identical: boolean; differences: unknown }>('POST', `decisions/${id}/replay`, {});
          assert.equal(replay.status, 200, `${id}: ${replay.text}`);
          assert.deepEqual([replay.body.identical, replay.body.differences], [true, []], `${id}: ${replay.text}`);
        }
        for (const id of withheld) {
          const replay = await call<{ code: string }>('POST', `decisions/${id}/replay`, {});
          assert.deepEqual([replay.status, replay.body.code], [409, 'inputs_unavailable'], replay.text);
        }
      });

      test(`studies of tenant ${number + 1} reproduce the records of all its flows`, async () => {
        // However long ago the database was made.
        const kept = await call('POST', 'admin/retention-configs', { dataClass: 'decisions', retentionDays: 36_500 });
        assert.ok(kept.status < 300, kept.text);
        const { flow } = (await call<{ flow: { id: string } }>('GET', `decisions/${decisions[0]}`)).body;
        const [first] = await base.ownerQuery<{ version: number }>(
          'select max(version)::int as version from arbiter.flow_versions where flow_id = $1',
          [flow.id],
        );
        const range = { from: '2020-01-01', to: new Date().toISOString() };
        const how = { scope: 'route', verify: true, maxNotEvaluableShare: 0.2 };
        const body = { version: first?.version, ...range, ...how };
        const started = await call<{ studyId: string }>('POST', `decision-flows/${flow.id}/backtest`, body);
        assert.equal(started.status, 202, started.text);
        await runStudies({ jobs: server.jobs, testDatabase: base });
        const study = await call<BacktestStudy>('GET', `studies/${started.body.studyId}`);
        assert.equal(study.body.status, 'completed', study.text);
        const { drift, notEvaluable } = study.body.result ?? assert.fail();
        assert.equal(drift.mismatches, 0);
        assert.ok(drift.checked > 5, JSON.stringify(notEvaluable));
        assert.equal(notEvaluable.record_corrupt, undefined);
        const asked = { version: first?.version, ...range, reward: 'positive', maxNotEvaluableShare: 0.2 };
        const begun = await call<{ studyId: string }>('POST', `decision-flows/${flow.id}/evaluate`, asked);
        assert.equal(begun.status, 202, begun.text);
        // As if the time for responses had passed.
        await base.ownerQuery(`update arbiter.studies set data_cut = data_cut + interval '31 days' where id = $1`, [
          begun.body.studyId,
        ]);
        await runStudies({ jobs: server.jobs, testDatabase: base });
        const evaluated = await call<EvaluationStudy>('GET', `studies/${begun.body.studyId}`);
        assert.equal(evaluated.body.status, 'completed', evaluated.text);
        const { diagnostics, excluded, decisions: count } = evaluated.body.result ?? assert.fail();
        assert.equal(diagnostics.probabilities.mismatches, 0);
        assert.ok(count > 0, JSON.stringify(excluded));
        assert.ok(!('record_corrupt' in excluded.notEvaluable), JSON.stringify(excluded));
      });

      test(`tenant ${number + 1} continues to decide, and its decisions replay`, async () => {
        const record = await call<{ customerId: string; flow: { key: string } }>('GET', `decisions/${decisions[0]}`);
        assert.equal(record.status, 200, record.text);
        const { customerId, flow } = record.body;
        const answer = await call<RecommendAnswer>('POST', 'recommend', { customerId, decisionFlowKey: flow.key });
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.body.known, true);
        const id = answer.body.recommendationId;
        const replay = await call<{ identical: boolean }>('POST', `decisions/${id}/replay`, {});
        assert.deepEqual([replay.status, replay.body.identical], [200, true], replay.text);
      });
    }
  });
}

async function migrateUpTo(last: string, { adminUrl, url }: TestDatabase): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'arbiter-upgrade-'));
  const folder = pathToFileURL(`${path}/`);
  try {
    for (const { name } of await readMigrations()) {
      if (name <= last) await copyFile(new URL(`${name}.sql`, migrationsFolder), new URL(`${name}.sql`, folder));
    }
    await migrate({ adminUrl, url, folder });
  } finally {
    await rm(path, { recursive: true });
  }
}
