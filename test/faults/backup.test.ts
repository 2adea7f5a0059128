// Backs up under the load of 16 writers and restores into an empty folder: every row acknowledged before the backup,
// identical replays, an intact audit chain, and caps that still hold.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandLine, createCommandLine } from '../../packages/cli/src/test-command-line.ts';
import { createCaller, createPatientCaller, must } from './api.ts';
import { type Catalogue, loadCatalogue } from './catalogue.ts';
import { ackOf, createLoad, seededRandom } from './recorded-load.ts';
import { createInstallation, type Installation, type ServerProcess } from './server-process.ts';

const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000_007);
const cap = 4;
const fullCustomer = 'full before the backup';
const secrets = {
  API_KEY_PEPPER: 'a pepper of this test, 32 characters.',
  DATA_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'),
  NEXTAUTH_SECRET: 'a session secret of this test',
};
const passphrase = { ARBITER_BACKUP_PASSPHRASE: 'a passphrase of this test' };

let installation: Installation;
let restored: Installation;
let first: ServerProcess;
let commands: CommandLine;
let catalogue: Catalogue;
const key = (): string => installation.tenants[0]!.key;
const file = (): string => join(installation.folder, 'backup.arb');

before(async () => {
  installation = await createInstallation(secrets, ['Backups']);
  restored = await createInstallation({ BOOTSTRAP_FILE: '' }, []);
  first = await installation.start();
  commands = await createCommandLine();
  catalogue = await loadCatalogue(
    createPatientCaller(() => first.url, key()),
    { offers: 14, cap },
  );
});
after(async () => {
  await commands?.close();
  await installation?.stopAll();
  await restored?.stopAll();
});

/** Requests decisions for a customer until there are no more items. Returns the number of items. */
async function useUp(server: () => ServerProcess, customerId: string): Promise<number> {
  const call = createPatientCaller(() => server().url, key());
  for (let items = 0; ; ) {
    const answer = await must(call('POST', '/v1/recommend', { customerId, channel: 'email', limit: 3 }));
    if (answer.count === 0) return items;
    items += Number(answer.count);
  }
}

test(`arbiter backup under 16 writers, restored into an empty folder (seed ${seed})`, async (t) => {
  assert.equal(await useUp(() => first, fullCustomer), cap);
  const load = createLoad(
    createCaller(() => first.url, key()),
    catalogue,
    seededRandom(seed),
    'backup',
  );
  const stop = new AbortController();
  const running = load.run(16, stop.signal, () => sleep(20));
  // Offers and categories have no key that makes repeating a call safe.
  const acked = () => load.calls.filter((call) => call.identity !== null && ackOf(call) !== undefined);
  while (acked().length < 400) await sleep(20);
  const before = acked();
  const source = { ...secrets, DATA_DIR: join(installation.folder, 'data'), ...passphrase };
  const written = await commands.arbiter(['backup', file(), '--with-secrets'], source);
  const whileWritten = acked().length - before.length;
  stop.abort();
  await running;
  assert.equal(written.code, 0, written.err);
  t.diagnostic(`${before.length} decisions and responses before the backup, ${whileWritten} while it was written`);
  assert.ok(whileWritten > 0, 'decisions go on while the backup is written');
  first.kill('SIGTERM');
  await first.ended;

  const target = { DATA_DIR: join(restored.folder, 'data') };
  const back = await commands.arbiter(['restore', file(), '--verify'], { ...target, ...passphrase });
  assert.equal(back.code, 0, `${back.out}${back.err}`);
  t.diagnostic(back.out.replaceAll('\n', '; '));
  assert.match(back.out, /Replayed 100 decisions: 100 identical/);
  assert.match(back.out, /Verified 1 audit chain: \d+ rows/);

  // The secrets of the backup decrypt the records and accept the key.
  const second = await restored.start(JSON.parse(await readFile(join(target.DATA_DIR, 'secrets.json'), 'utf8')));
  const call = createPatientCaller(() => second.url, key());
  for (const acknowledged of before) {
    const again = await call(acknowledged.method, acknowledged.path, acknowledged.body);
    const what = `${acknowledged.kind} ${acknowledged.identity} was acknowledged before the backup`;
    const answered = ackOf(acknowledged)!;
    if (acknowledged.kind === 'respond') {
      // A response without effect isn't stored, so its repeat is judged again.
      const varying =
        answered.body.impression === 'already_counted' ? { status: null, timestamp: null } : { status: null };
      assert.deepEqual({ ...again.body, ...varying }, { ...answered.body, ...varying }, what);
      assert.equal(again.body.status, 'duplicate', what);
    } else assert.equal(again.text, answered.text, what);
  }
  assert.equal(await useUp(() => second, fullCustomer), 0, 'a full customer gets nothing');
  assert.equal(await useUp(() => second, 'new after the restore'), cap);
});

test("restore rejects a database that isn't empty, and a wrong passphrase", async () => {
  const target = { DATA_DIR: join(restored.folder, 'data') };
  const again = await commands.arbiter(['restore', file()], { ...target, ...passphrase });
  assert.deepEqual([again.code, again.err.includes("isn't empty")], [1, true]);
  const elsewhere = { DATA_DIR: join(restored.folder, 'elsewhere') };
  const wrong = await commands.arbiter(['restore', file()], {
    ...elsewhere,
    ARBITER_BACKUP_PASSPHRASE: 'not the passphrase',
  });
  assert.deepEqual([wrong.code, wrong.err], [1, 'arbiter: The passphrase is wrong\n']);
  const none = await commands.arbiter(['restore', file()], elsewhere);
  assert.deepEqual([none.code, none.err.includes('ARBITER_BACKUP_PASSPHRASE')], [78, true]);
});
