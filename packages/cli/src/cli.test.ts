import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { stageName } from '@arbiter/contract';
import { type CommandLine, createCommandLine } from './test-command-line.ts';

// The real command line, as a shell runs it, against a real server with its embedded database.

let shell: CommandLine;
before(async () => {
  shell = await createCommandLine();
});
after(() => shell?.close());
const start: CommandLine['start'] = (...call) => shell.start(...call);
const arbiter: CommandLine['arbiter'] = (...call) => shell.arbiter(...call);
const runInProcess: CommandLine['runInProcess'] = (...call) => shell.runInProcess(...call);

describe('with a server on its embedded database', () => {
  let folder = '';
  let server: ChildProcess;
  let url = '';
  let printed = '';
  let environment: Readonly<Record<string, string>> = {};

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'arbiter-serve-'));
    server = start(['serve'], { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'warn' });
    url = await new Promise<string>((resolve, reject) => {
      let err = '';
      server.stderr?.on('data', (chunk) => {
        err += chunk;
      });
      server.stdout?.on('data', (chunk) => {
        printed += chunk;
        const ready = /arbiter ready url=(\S+) configVersion=\d+/.exec(printed);
        if (ready?.[1] !== undefined) resolve(ready[1]);
      });
      server.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${printed}${err}`)));
    });
    const firstRun = JSON.parse(await readFile(join(folder, 'first-run.json'), 'utf8'));
    environment = { ARBITER_URL: url, ARBITER_API_KEY: firstRun.apiKey };
  });
  after(async () => {
    if (server.exitCode === null && server.signalCode === null) {
      server.kill('SIGKILL');
      await new Promise((resolve) => server.once('exit', resolve));
    }
    await rm(folder, { recursive: true, force: true });
  });

  test('prints the demo once at the first start, stores it privately, and its curl command works', async () => {
    const firstRun = JSON.parse(await readFile(join(folder, 'first-run.json'), 'utf8'));
    assert.equal((await stat(join(folder, 'first-run.json'))).mode & 0o777, 0o600);
    assert.equal(printed.split(firstRun.apiKey).length, 3, 'the key stands in the key line and in the curl');
    assert.match(printed, new RegExp(firstRun.tenantId));
    const call = spawn('sh', ['-c', firstRun.curl], { stdio: ['ignore', 'pipe', 'ignore'] });
    let answer = '';
    call.stdout.on('data', (chunk) => {
      answer += chunk;
    });
    await new Promise((resolve) => call.once('close', resolve));
    assert.equal(JSON.parse(answer).decisions[0].content.ctaUrl.startsWith('https://coffee.example/'), true);
  });

  test('creates a sign-in link while the server runs, as often as needed', async () => {
    const firstRun = JSON.parse(await readFile(join(folder, 'first-run.json'), 'utf8'));
    const operator = { DATA_DIR: folder };
    const make = (...args: string[]) => runInProcess(['user', 'sign-in-link', ...args], operator);
    const link = await arbiter(['user', 'sign-in-link', firstRun.email.toUpperCase()], operator);
    assert.deepEqual([link.code, link.err], [0, '']);
    const { pathname, search } = new URL(link.out.trim());
    const follow = () => fetch(`${url}${pathname}${search}`, { redirect: 'manual' });
    assert.match(String((await follow()).headers.get('set-cookie')), /^arbiter_session=/);
    assert.equal((await follow()).headers.get('location'), '/login?error=expired-link');
    for (const tenant of ['Demo', firstRun.tenantId]) {
      assert.equal((await make(firstRun.email, '--tenant', tenant)).code, 0, tenant);
    }
    for (const args of [['nobody@demo.localhost'], [firstRun.email, '--tenant', 'Other']]) {
      const refused = await make(...args);
      assert.deepEqual([refused.code, refused.out], [1, '']);
    }
    assert.equal((await make()).code, 2);
  });

  test("the pack's first customer gets an offer on every channel that is always open", async () => {
    // Not push, which is quiet at night.
    for (const channel of ['web', 'email', 'in_app']) {
      const args = ['recommend', 'CM-000001', '--channel', channel, '--dry-run', '--json'];
      const { code, out, err } = await runInProcess(args, environment);
      assert.equal(code, 0, err);
      const answer = JSON.parse(out);
      assert.ok(answer.count >= 1, channel);
      assert.equal(answer.known, true);
      assert.equal(answer.decisionFlowKey, 'coffee-next-best-offer');
      assert.equal(answer.decisions[0].channelType, channel);
      assert.equal(typeof answer.decisions[0].personalization.stars_to_next_tier, 'number');
      assert.doesNotMatch(JSON.stringify(answer.decisions[0].content), /[{}]first_name/);
    }
  });

  test('recommend decides for several customers', async () => {
    const ids = ['CM-000007', 'CM-000008', ' spaced'];
    const shown = await runInProcess(
      ['recommend', ...ids.slice(0, 2), '--channel', 'web', '--limit', '1'],
      environment,
    );
    assert.equal(shown.code, 0, shown.err);
    assert.match(
      shown.out,
      /^customer +offers +result\nCM-000007 +1 +\S.*\nCM-000008 +1 +\S.*\nDecided: 2, failed: 0\n/,
    );
    assert.match(shown.out, /To see why, run: arbiter trace [0-9a-f-]{36}\s*$/);
    const partly = await runInProcess(['recommend', ...ids, '--dry-run'], environment);
    assert.equal(partly.code, 1);
    assert.match(partly.out, / spaced +.*white space.*\nDecided: 2, failed: 1/);
  });

  test('recommend prints a table; replay finds no difference', async () => {
    const shown = await arbiter(['recommend', 'CM-000002', '--channel', 'web', '--limit', '2'], environment);
    assert.equal(shown.code, 0, shown.err);
    assert.match(shown.out, /^CM-000002, flow coffee-next-best-offer v1, 2 offers\nrank {2}offer/);
    const requestId = /^Request ([0-9a-f-]{36})$/m.exec(shown.out)?.[1] ?? '';
    const replayed = await runInProcess(['replay', requestId], environment);
    assert.equal(replayed.code, 0, replayed.err);
    assert.match(replayed.out, /^Identical: /);
  });

  test('respond records what the customer did, once', async () => {
    const shown = await runInProcess(['recommend', 'CM-000004', '--channel', 'web', '--limit', '2'], environment);
    assert.equal(shown.code, 0, shown.err);
    const recommendation = /^Recommendation ([0-9a-f-]{36})$/m.exec(shown.out)?.[1] ?? '';
    const clicked = await runInProcess(['respond', recommendation, '2', 'click'], environment);
    assert.equal(clicked.code, 0, clicked.err);
    assert.match(clicked.out, /^Recorded: click \(positive\) by CM-000004 for .+ on .+\n/);
    assert.match(clicked.out, /Interaction [0-9a-f-]{36}\n$/);
    const again = await runInProcess(['respond', recommendation, '2', 'click'], environment);
    assert.match(again.out, /^Already recorded: click/);
    const bought = ['respond', recommendation, '1', 'convert', '--value', '49.90', '--currency', 'EUR', '--json'];
    const answer = await runInProcess(bought, environment);
    assert.equal(answer.code, 0, answer.err);
    const { conversionValue, rank, status } = JSON.parse(answer.out);
    assert.deepEqual([conversionValue, rank, status], [49.9, 1, 'recorded']);
    const beyond = await runInProcess(['respond', recommendation, '9', 'click'], environment);
    assert.equal(beyond.code, 1);
    assert.match(beyond.err, /arbiter: .*: 4\d\d \(/);
  });

  test('ingest stores an event once per key', async () => {
    const args = ['ingest', 'CM-000004', 'purchase', '--data', '{"amount":3}', '--key', 'cli-1'];
    const first = await runInProcess(args, environment);
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /^Reported: purchase of CM-000004, position \d+\nNo trigger fired\n$/);
    const again = await runInProcess(args, environment);
    assert.equal(again.out.trim(), first.out.trim());
  });

  test('run starts a campaign by its name and follows it to the end', async () => {
    type Row = { readonly id: string; readonly channelType?: string };
    const call = async (path: string, body?: object): Promise<Row & { readonly data: readonly Row[] }> => {
      const answer = await fetch(`${url}/api/v1/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${environment.ARBITER_API_KEY}`,
          'x-requested-with': 'test',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      assert.ok(answer.ok, await answer.clone().text());
      return JSON.parse(await answer.text());
    };
    const { data: flows } = await call('decision-flows');
    const { data: channels } = await call('channels');
    const segment = await call('segments', {
      name: 'Seniors',
      filters: [{ logic: 'and', conditions: [{ field: 'age', operator: 'gte', value: 70 }] }],
    });
    const email = channels.find(({ channelType }) => channelType === 'email');
    const campaign = await call('runs', {
      ...{ name: 'Spring offers', decisionFlowId: flows[0]?.id, segmentId: segment.id },
      ...{ channelIds: [email?.id], fileConfig: { format: 'csv' } },
    });
    const run = await arbiter(['run', 'Spring offers'], environment);
    assert.equal(run.code, 0, run.err);
    assert.match(run.out, /^Run 1 completed: \S+\n {2}\d+ customers decided: \d+ offers for \d+ of them\n/);
    assert.match(run.err, /^(Waiting for a worker|\d+ of \d+ customers)/);
    const queued = await runInProcess(['run', campaign.id, '--no-wait', '--json'], environment);
    assert.equal(queued.code, 0, queued.err);
    assert.equal(JSON.parse(queued.out).runNumber, 2);
    const unknown = await runInProcess(['run', 'Autumn offers'], environment);
    assert.deepEqual([unknown.code, unknown.out], [1, '']);
    assert.match(unknown.err, /404 \(not_found\)/);
  });

  test('connectors test tests a source; pipelines run starts a pipeline by its name and follows it to the end', async () => {
    const make = async (path: string, body: object): Promise<{ readonly id: string }> => {
      const headers = {
        authorization: `Bearer ${environment.ARBITER_API_KEY}`,
        'x-requested-with': 'test',
        'content-type': 'application/json',
      };
      const answer = await fetch(`${url}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      assert.ok(answer.ok, await answer.clone().text());
      return JSON.parse(await answer.text());
    };
    const connector = await make('connectors', { name: 'Soon', type: 'amazon_kinesis' });
    const tested = await runInProcess(['connectors', 'test', 'Soon'], environment);
    assert.equal(tested.code, 1, tested.err);
    assert.match(tested.out, /^coming_soon: .+ \(\d+ ms\)\n$/);
    const byId = await runInProcess(['connectors', 'test', connector.id, '--json'], environment);
    assert.equal(JSON.parse(byId.out).reason, 'coming_soon');
    const schema = await make('schemas', {
      ...{ name: 'cli_rows', displayName: 'Rows', schemaType: 'event' },
      fields: [{ name: 'amount', displayName: 'Amount', dataType: 'integer' }],
    });
    const pipeline = await make('pipelines', { name: 'Soon', connectorId: connector.id, schemaId: schema.id });
    const run = await arbiter(['pipelines', 'run', 'Soon'], environment);
    assert.equal(run.code, 0, run.err);
    assert.match(run.out, /^Run 1 completed: \S+\n {2}0 rows read, 0 written\n$/);
    const queued = await runInProcess(['pipelines', 'run', pipeline.id, '--no-wait', '--json'], environment);
    assert.equal(queued.code, 0, queued.err);
    assert.equal(JSON.parse(queued.out).runNumber, 2);
    const installed = await runInProcess(['connectors', 'install', 'postgresql'], environment);
    assert.deepEqual([installed.code, installed.out], [0, 'postgresql needs no driver. Nothing to install.\n']);
    const invalid = await runInProcess(['connectors', 'install', 'sqlservr'], environment);
    assert.equal(invalid.code, 2);
    assert.match(invalid.err, /unknown connector type: sqlservr/);
    const unknown = await runInProcess(['pipelines', 'run', 'Late'], environment);
    assert.deepEqual([unknown.code, unknown.out], [1, '']);
    assert.match(unknown.err, /404 \(not_found\)/);
  });

  test('models train trains on the rows of a schema and shows how well the model predicts', async () => {
    const headers = {
      authorization: `Bearer ${environment.ARBITER_API_KEY}`,
      'x-requested-with': 'test',
      'content-type': 'application/json',
    };
    const body = JSON.stringify({
      key: 'cli',
      name: 'CLI',
      modelType: 'bayesian',
      predictors: ['age', 'tier', 'stars'],
    });
    const made = await fetch(`${url}/api/v1/algorithm-models`, { method: 'POST', headers, body });
    assert.equal(made.status, 201, await made.text());
    const args = ['models', 'train', 'cli', '--schema', 'coffee_members', '--target', 'app_user'];
    const trained = await runInProcess(args, environment);
    assert.equal(trained.code, 0, trained.err);
    assert.match(
      trained.out,
      /^Trained cli on 800 rows\. This is version 2\.\n {2}AUC 0\.\d+, log loss 0\.\d+ on 200 rows held back from training\n$/,
    );
    const few = await runInProcess([...args.slice(0, 3), '--json'], environment);
    assert.equal(few.code, 1, few.err);
    assert.equal(JSON.parse(few.out).model.training.error, 'insufficient_data');
    const unknown = await runInProcess(['models', 'train', 'nobody'], environment);
    assert.deepEqual([unknown.code, unknown.out], [1, '']);
  });

  test('narrative describes a decision in words, once the tenant opted in', async () => {
    const headers = {
      authorization: `Bearer ${environment.ARBITER_API_KEY}`,
      'x-requested-with': 'test',
      'content-type': 'application/json',
    };
    const set = async (settings: object) => {
      const body = JSON.stringify({ decisionTraceEnabled: true, decisionTraceSampleRate: 1, ...settings });
      const answer = await fetch(`${url}/api/v1/tenant-settings`, { method: 'PUT', headers, body });
      assert.equal(answer.status, 200, await answer.text());
    };
    await set({});
    const decision = await runInProcess(['recommend', 'CM-000006', '--channel', 'web', '--json'], environment);
    const { requestId } = JSON.parse(decision.out) as { requestId: string };
    const closed = await runInProcess(['narrative', requestId], environment);
    assert.deepEqual([closed.code, closed.out], [1, '']);
    assert.match(closed.err, /explanations_not_enabled/);
    await set({ aiAnalyzerSettings: { llmExplanationsEnabled: true } });
    const told = await runInProcess(['narrative', requestId, '--mode', 'customer'], environment);
    assert.equal(told.code, 0, told.err);
    assert.match(told.out, /^Out of the offers that were available for you at that time, we placed “/);
    assert.match(told.out, /^Written by template-v1$/m);
    await set({ decisionTraceEnabled: false });
  });

  test('trace finds the stages by any ID, and shows the record if no trace is stored', async () => {
    const key = {
      authorization: `Bearer ${environment.ARBITER_API_KEY}`,
      'x-requested-with': 'test',
      'content-type': 'application/json',
    };
    const setTraces = async (decisionTraceEnabled: boolean) => {
      const body = JSON.stringify({ decisionTraceEnabled, decisionTraceSampleRate: 1 });
      const answer = await fetch(`${url}/api/v1/tenant-settings`, { method: 'PUT', headers: key, body });
      assert.equal(answer.status, 200, await answer.text());
    };
    const decided = async () => {
      const decision = await runInProcess(
        ['recommend', 'CM-000005', '--channel', 'web', '--limit', '2', '--json'],
        environment,
      );
      assert.equal(decision.code, 0, decision.err);
      return JSON.parse(decision.out);
    };
    await setTraces(true);
    const traced = await decided();
    const outputs = new Set<string>();
    for (const id of [traced.trace.traceId, traced.requestId, traced.recommendationId]) {
      const shown = await runInProcess(['trace', id], environment);
      assert.equal(shown.code, 0, shown.err);
      outputs.add(shown.out);
    }
    assert.equal(outputs.size, 1, 'the three ids show one trace');
    const [out = ''] = outputs;
    assert.match(out, /^CM-000005, flow coffee-next-best-offer v1, \d of \d+ offers, \d+\.\d ms\n/);
    assert.match(out, /^stage +in +out +dropped by +ms$/m);
    for (const stage of ['inventory', 'qualify', 'contact_policy', 'score', 'rank'].map(stageName)) {
      assert.match(out, new RegExp(`^${stage} +\\d+ +\\d+ `, 'm'));
    }
    for (const { rank, offerName } of traced.decisions) {
      assert.match(
        out,
        new RegExp(`^${rank} +${offerName.replaceAll(/[^\w ]/g, '.')} +\\d\\.\\d{4} +\\d\\.\\d{4} `, 'm'),
      );
    }
    assert.match(out, new RegExp(`Trace ${traced.trace.traceId}, request ${traced.requestId}\n$`));
    const json = await runInProcess(['trace', traced.requestId, '--json'], environment);
    assert.ok(Array.isArray(JSON.parse(json.out).explanation.stages));
    await setTraces(false);
    const plain = await decided();
    const shown = await runInProcess(['trace', plain.requestId], environment);
    assert.equal(shown.code, 0, shown.err);
    assert.match(shown.out, /No trace was stored\. Repeated from the sealed record:\n\nstage +in +out/);
    assert.match(shown.out, /^rank +offer/m);
    assert.match(shown.out, new RegExp(`Recommendation ${plain.recommendationId}, request ${plain.requestId}\n$`));
    const unknown = await runInProcess(['trace', '01930000-0000-7000-8000-000000000000'], environment);
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /404 \(not_found\)/);
  });

  test('why-not names what blocks an offer, and what would show it', async () => {
    const shown = await runInProcess(
      ['recommend', 'CM-000002', '--channel', 'web', '--limit', '50', '--json'],
      environment,
    );
    const offers: { offerId: string }[] = JSON.parse(shown.out).decisions;
    const last = offers.at(-1)?.offerId ?? '';
    const whyNot = await runInProcess(['why-not', 'CM-000002', last, '--channel', 'web', '--limit', '1'], environment);
    assert.equal(whyNot.code, 0, whyNot.err);
    assert.match(whyNot.out, /passes every gate|blocked by/);
    const wrong = await runInProcess(['why-not', 'CM-000002'], environment);
    assert.equal(wrong.code, 2);
  });

  test('decides for an unknown customer, and says so', async () => {
    const { code, out } = await runInProcess(['decide', 'nobody', '--channel', 'email', '--dry-run'], environment);
    assert.equal(code, 0);
    assert.match(out, /unknown customer: decided without attributes/);
    assert.match(out, /nothing was stored/);
  });

  test("exits 1 with the API's error code", async () => {
    const unknownFlow = await runInProcess(['recommend', 'C', '--flow', 'no-such-flow'], environment);
    assert.equal(unknownFlow.code, 1);
    assert.match(unknownFlow.err, /not_found/);
    const json = await runInProcess(['replay', '01930000-0000-7000-8000-000000000000', '--json'], environment);
    assert.equal(json.code, 1);
    assert.equal(JSON.parse(json.out).status, 404);
    const wrongKey = await arbiter(['recommend', 'C'], { ...environment, ARBITER_API_KEY: 'krn_wrong' });
    assert.equal(wrongKey.code, 1);
    assert.match(wrongKey.err, /unauthorized/);
  });

  test('key create creates a key with the given scopes', async () => {
    const created = await arbiter(['key', 'create', '--scopes', 'read', '--name', 'reader'], environment);
    assert.equal(created.code, 0, created.err);
    const reader = { ...environment, ARBITER_API_KEY: created.out.trim() };
    assert.equal((await runInProcess(['recommend', 'CM-000003', '--dry-run'], reader)).code, 0);
    assert.equal((await runInProcess(['key', 'create'], reader)).code, 1);
  });

  test('audit verify checks the newest rows, and with --all every row, page by page', async () => {
    const newest = await runInProcess(['audit', 'verify', '--limit', '2'], environment);
    assert.equal(newest.code, 0, newest.err);
    assert.match(
      newest.out,
      /^Intact: verified 2 of \d+ rows, from row \d+\nRows 1 to \d+ weren't verified\. Use --all/,
    );
    const total = Number(/ of (\d+) rows/.exec(newest.out)?.[1]);
    const limit = Math.ceil(total / 4);
    const all = await runInProcess(['audit', 'verify', '--all', '--limit', String(limit), '--json'], environment);
    assert.equal(all.code, 0, all.err);
    const { verified, scanned, ...rest } = JSON.parse(all.out);
    assert.ok(verified >= total && scanned === verified);
    assert.deepEqual([rest.intact, rest.fromSequence, rest.nextSequence], [true, 1, null]);
    assert.ok(all.err.includes(`Verified ${limit} rows, continuing at row ${limit + 1}\n`));
  });

  test('login creates a key for this machine and stores it privately; whoami names its owner', async () => {
    const { email, password, apiKey } = JSON.parse(await readFile(join(folder, 'first-run.json'), 'utf8'));
    const own = await mkdtemp(join(tmpdir(), 'arbiter-login-'));
    try {
      const there = { XDG_CONFIG_HOME: own };
      const wrong = await runInProcess(['login', '--email', email, '--url', url], {
        ...there,
        ARBITER_PASSWORD: 'Wrong0000',
      });
      assert.deepEqual([wrong.code, wrong.out], [1, '']);
      assert.match(wrong.err, /401/);
      assert.equal((await runInProcess(['whoami', '--url', url], there)).code, 2, 'nothing was kept');
      const { code, out, err } = await arbiter(['login', '--email', email, '--url', url], {
        ...there,
        ARBITER_PASSWORD: password,
      });
      assert.equal(code, 0, err);
      assert.match(out, /^Signed in to Demo as /);
      const file = join(own, 'arbiter', 'config.json');
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      const config = JSON.parse(await readFile(file, 'utf8'));
      assert.match(config.apiKey, /^krn_/);
      assert.equal(`${out}${err}`.includes(config.apiKey), false);
      const identity = await runInProcess(['whoami'], there);
      assert.equal(identity.code, 0, identity.err);
      assert.match(identity.out, /^arbiter login on .* \(api_key, admin\)\ntenant {3}Demo \(/);
      const unknown = await runInProcess(['login', '--api-key', `krn_${'0'.repeat(64)}`, '--url', url], there);
      assert.equal(unknown.code, 1);
      assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), config);
      assert.equal((await runInProcess(['login', '--api-key', apiKey, '--url', url], there)).code, 0);
      assert.equal(JSON.parse(await readFile(file, 'utf8')).apiKey, apiKey);
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  });

  test('tenant create and key create --tenant work while the server runs', async () => {
    const operator = { DATA_DIR: folder };
    const created = await runInProcess(['tenant', 'create', 'Second tenant'], operator);
    assert.equal(created.code, 0, created.err);
    assert.match(created.out, /^[0-9a-f-]{36}\n$/);
    const again = await runInProcess(['tenant', 'create', 'Second tenant', '--json'], operator);
    assert.equal(again.code, 1);
    assert.deepEqual(JSON.parse(again.out), { id: created.out.trim(), name: 'Second tenant', created: false });
    const key = await runInProcess(['key', 'create', '--tenant', 'Second tenant', '--json'], operator);
    assert.equal(key.code, 0, key.err);
    const { key: apiKey, tenantId } = JSON.parse(key.out);
    assert.equal(tenantId, created.out.trim());
    const decided = await runInProcess(['recommend', 'CM-000001', '--json'], {
      ARBITER_URL: url,
      ARBITER_API_KEY: apiKey,
    });
    assert.equal(decided.code, 0, decided.err);
    assert.equal(JSON.parse(decided.out).known, false, 'the demo members belong to another tenant');
  });

  test('user create and user unlock work while the server runs', async () => {
    const operator = { DATA_DIR: folder };
    const login = async (email: string, password: string) =>
      fetch(`${url}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-requested-with': 'x' },
        body: JSON.stringify({ email, password }),
      });
    const email = 'mary@second.example';
    const make = ['user', 'create', email, '--tenant', 'Second tenant', '--role', 'admin'];
    const created = await runInProcess([...make, '--json'], operator);
    assert.equal(created.code, 0, created.err);
    const { password, tenantId, ...rest } = JSON.parse(created.out);
    assert.deepEqual(rest, { email, role: 'admin' });
    assert.equal((await login(email, password)).status, 200);
    const again = await runInProcess(make, operator);
    assert.equal(again.code, 1);
    assert.match(again.err, /is already the address of a user/);
    assert.equal(again.out, '');

    const unlock = (...args: string[]) => runInProcess(['user', 'unlock', ...args], operator);
    assert.match((await unlock(email, '--tenant', 'Second tenant')).out, /wasn't locked/);
    for (let n = 0; n < 5; n += 1) assert.equal((await login(email, 'wrong')).status, 401);
    assert.equal((await login(email, password)).status, 401);
    const freed = await runInProcess(['user', 'unlock', email.toUpperCase(), '--tenant', tenantId, '--json'], operator);
    assert.equal(freed.code, 0, freed.err);
    assert.deepEqual(JSON.parse(freed.out), { email: email.toUpperCase(), tenantId, unlocked: true });
    assert.equal((await login(email, password)).status, 200);
    const stranger = await unlock('nobody@second.example', '--tenant', 'Second tenant');
    assert.deepEqual([stranger.code, stranger.out], [1, '']);
    assert.match(stranger.err, /must be the address of a user of the tenant/);
    const nowhere = await unlock(email, '--tenant', '01a204c5-0000-7000-8000-000000000000');
    assert.deepEqual([nowhere.code, nowhere.out], [1, '']);
    assert.match(nowhere.err, /must be the ID of an existing tenant/);
    const file = join(folder, 'password');
    await writeFile(file, 'Secret123\n');
    const other = ['user', 'create', 'john@second.example', '--tenant', tenantId, '--password-file', file];
    const john = await runInProcess(other, operator);
    assert.deepEqual([john.code, john.out], [0, ''], john.err);
    assert.equal((await login('john@second.example', 'Secret123')).status, 200);
  });

  test('sso disable restores sign-in by password while the server runs', async () => {
    const operator = { DATA_DIR: folder };
    const created = await runInProcess(['tenant', 'create', 'Locked out', '--json'], operator);
    assert.equal(created.code, 0, created.err);
    const { id } = JSON.parse(created.out);
    const email = 'boss@locked.example';
    const user = await runInProcess(['user', 'create', email, '--tenant', id, '--role', 'admin', '--json'], operator);
    const { password } = JSON.parse(user.out);
    const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-requested-with': 'x', ...headers },
        body: JSON.stringify(body),
      });
      return { status: answer.status, cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
    };
    const login = () => post('/auth/login', { email, password, tenantId: id });
    const { status, cookie } = await login();
    assert.equal(status, 200);
    const disable = (...args: string[]) => runInProcess(['sso', 'disable', ...args], operator);
    const before = await disable('--tenant', 'Locked out');
    assert.deepEqual([before.code, before.out], [0, 'Single sign-on of Locked out is off\n'], 'also when it was off');
    const config = {
      provider: 'oidc',
      enabled: true,
      oidcIssuer: 'https://idp.example',
      oidcClientId: 'x',
      oidcClientSecret: 'y',
      enforceForAllUsers: true,
    };
    assert.equal((await post('/sso', { action: 'configure', config }, { cookie })).status, 200);
    assert.equal((await login()).status, 403);
    const freed = await runInProcess(['sso', 'disable', '--tenant', id, '--json'], operator);
    assert.equal(freed.code, 0, freed.err);
    assert.equal(JSON.parse(freed.out).id, id);
    assert.equal((await login()).status, 200);
    const ssoSettings = await fetch(`${url}/api/v1/sso`, { headers: { cookie } });
    assert.partialDeepStrictEqual(await ssoSettings.json(), {
      enabled: false,
      enforceForAllUsers: false,
      oidcIssuer: 'https://idp.example',
    });
    const nowhere = await disable('--tenant', '01a204c5-0000-7000-8000-000000000000');
    assert.deepEqual([nowhere.code, nowhere.out], [1, '']);
    assert.match(nowhere.err, /must be the ID of an existing tenant/);
    for (const wrong of [[], ['Locked out'], ['x', '--tenant', id]]) assert.equal((await disable(...wrong)).code, 2);
  });

  test('migrate finds nothing to do', async () => {
    const { code, out } = await arbiter(['migrate'], { DATA_DIR: folder });
    assert.equal(code, 0);
    assert.match(out, /up to date/);
  });

  test('SIGTERM stops the server gracefully, and the next start prints no key', async () => {
    server.kill('SIGTERM');
    assert.equal(await new Promise((resolve) => server.once('exit', resolve)), 0);
    const again = start(['serve'], { DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'warn' });
    let out = '';
    await new Promise<void>((resolve, reject) => {
      again.once('exit', (code) => reject(new Error(`ended with ${code}: ${out}`)));
      again.stdout?.on('data', (chunk) => {
        out += chunk;
        if (out.includes('arbiter ready')) resolve();
      });
    });
    assert.doesNotMatch(out, /krn_/);
    again.removeAllListeners('exit');
    again.kill('SIGTERM');
    assert.equal(await new Promise((resolve) => again.once('exit', resolve)), 0);
  });
});
