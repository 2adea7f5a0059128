// A node with only the job machinery and two jobs that write to a table of the test. jobs.test.ts runs and kills it.
// Arguments: URL of the database, name of the node.
import Type from 'typebox';
import { createDatabase } from '../../../packages/server/src/db/index.ts';
import {
  createJobRegistry,
  createQueueKeeper,
  createScheduler,
  createWorker,
  handleInstallationJob,
  installationJob,
} from '../../../packages/server/src/jobs/index.ts';

const [url, name] = process.argv.slice(2);
if (url === undefined || name === undefined) throw new Error('job-node <url> <name>');
const payload = Type.Object({}, { additionalProperties: false });
const database = createDatabase({ url, acquireTimeoutMs: 20_000, statementTimeoutMs: 30_000 });
const note = (text: string, values: unknown[]) => database.withSystem('test', (tx) => tx.query(text, values));
const effect = 'insert into arbiter.job_effects (tenant_id, task, due_at, node) values ($1, $2, $3, $4)';
const noTenant = '00000000-0000-0000-0000-000000000000';

const registry = createJobRegistry([
  handleInstallationJob(
    // Never due on its own: the test sets the time.
    installationJob({ name: 'test.due', payload, schedule: { cron: '0 0 1 1 *', payload: {} } }),
    async (_payload, { dueAt }) => void (await note(effect, [noTenant, 'test.due', dueAt, name])),
  ),
  handleInstallationJob(installationJob({ name: 'test.long', payload }), async (_payload, { attempt }) => {
    await note(effect, [noTenant, `test.long ${attempt}`, null, name]);
    if (attempt === 1) await new Promise(() => undefined);
  }),
]);
const onError = (error: unknown): void => console.error(name, error);
const worker = await createWorker({ url, registry, concurrency: 4, graceMs: 1_000, onError });
const keeper = createQueueKeeper(database, { registry, workerId: () => worker.id(), onDead: onError });
const scheduler = createScheduler({
  database,
  registry,
  holder: name,
  part: 'others',
  tenantIds: async () => [],
  onError,
});

async function loop(everyMs: number, work: () => Promise<void>): Promise<never> {
  for (;;) {
    await work().catch(onError);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
console.log('ready');
await Promise.all([loop(500, () => scheduler.tick()), loop(2_000, () => keeper.look())]);
