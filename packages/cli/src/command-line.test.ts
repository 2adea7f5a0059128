import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type CommandLine, createCommandLine } from './test-command-line.ts';

/** What the command line says on its own, without a server. */

let shell: CommandLine;
before(async () => {
  shell = await createCommandLine();
});
after(() => shell?.close());
const arbiter: CommandLine['arbiter'] = (...call) => shell.arbiter(...call);
const runInProcess: CommandLine['runInProcess'] = (...call) => shell.runInProcess(...call);

test('help explains every command', async () => {
  const overview = await arbiter(['--help']);
  assert.equal(overview.code, 0);
  for (const command of [
    'serve',
    'migrate',
    'distribute',
    'backup',
    'restore',
    'tenant create',
    'key create',
    'user create',
    'user unlock',
    'login',
    'whoami',
    'recommend',
    'respond',
    'ingest',
    'run',
    'trace',
    'narrative',
    'replay',
    'why-not',
    'audit verify',
  ]) {
    assert.match(overview.out, new RegExp(`^  ${command} `, 'm'));
    const help = await runInProcess(['help', ...command.split(' ')]);
    assert.equal(help.code, 0);
    assert.match(help.out, new RegExp(`Usage: arbiter ${command}`));
  }
});

test('exits 2 for a wrong command line, and names the error', async () => {
  for (const [args, expected] of [
    [[], /Usage: arbiter <command>/],
    [['explode'], /unknown command: explode/],
    [['recommend'], /expects 1 to 500 customer IDs/],
    [['narrative', 'an-id', '--mode', 'poet'], /--mode must be one of regulator, agent, customer/],
    [['recommend', 'C', '--limit', 'many', '--api-key', 'k'], /--limit must be a whole number/],
    [['recommend', 'C', '--colour', 'red'], /--colour/],
    [['recommend', 'C'], /no API key/],
    [['key', 'create', '--scopes', 'fly'], /unknown scope: fly/],
    [['login'], /pass --email or --api-key/],
    [['login', '--email', 'a@b.example'], /no password/],
    [['whoami', 'now'], /unexpected argument: now/],
    [['backup'], /expects one file/],
    [['backup', 'f', '--with-secrets'], /needs ARBITER_BACKUP_PASSPHRASE/],
    [['restore'], /expects one file/],
    [['tenant', 'create'], /expects one name/],
    [['user', 'create'], /expects one email/],
    [['user', 'create', 'a@b.c'], /needs --tenant/],
    [['user', 'create', 'a@b.c', '--tenant', 'T', '--role', 'king'], /unknown role: king/],
    [['user', 'unlock', 'a@b.c', 'd@e.f'], /expects one email/],
    [['user', 'unlock', 'a@b.c'], /needs --tenant/],
    [['ingest', 'c'], /expects a customer ID and an event type/],
    [['ingest', 'c', 'purchas', '--api-key', 'k'], /type must be one of purchase/],
    [['ingest', 'c', 'purchase', '--data', '[]', '--api-key', 'k'], /--data must be a JSON object/],
    [['run'], /expects the ID or name of one campaign/],
    [['run', 'a', 'b'], /expects the ID or name of one campaign/],
    [['models', 'train'], /expects the ID or key of one model/],
    [['models', 'import'], /expects one model file/],
    [['models', 'import', 'model.json'], /--key is required/],
    [['models', 'import', 'm', '--key', 'k', '--format', 'onnx'], /--format must be one of/],
    [['models', 'import', 'm', '--key', 'k', '--defaults', '[]'], /--defaults must be a JSON object/],
    [['models', 'import', '/nonexistent/model.json', '--key', 'k'], /can't read/],
    [['shap', 'a'], /expects the ID of a decision, and the ID or key of a model/],
    [['shap', 'a', 'b', '--attributes', '7'], /--attributes must be a JSON object/],
    [['pipelines', 'run'], /expects the ID or name of one pipeline/],
    [['pipelines', 'run', 'a', 'b'], /expects the ID or name of one pipeline/],
    [['respond', 'r', '1'], /expects a recommendation ID, a rank and an outcome/],
    [['respond', 'r', '1', 'click', 'more'], /expects a recommendation ID, a rank and an outcome/],
    [['respond', 'r', '0', 'click', '--api-key', 'k'], /rank must be a whole number from 1, not 0/],
    [['respond', 'r', 'first', 'click', '--api-key', 'k'], /not first/],
    [['respond', 'r', '1', 'click', '--value', '1e9', '--api-key', 'k'], /--value must be an amount/],
    [['trace'], /expects one ID/],
    [['trace', 'a', 'b'], /expects one ID/],
    [['audit', 'verify', 'now'], /takes no arguments/],
    [['audit', 'verify', '--limit', 'all', '--api-key', 'k'], /--limit must be a whole number/],
  ] as const) {
    const { code, out, err } = await (args[0] === 'explode' ? arbiter : runInProcess)(args);
    assert.equal(code, 2, args.join(' '));
    assert.match(out + err, expected);
  }
});

test('the version is that of the package', async () => {
  const { code, out } = await arbiter(['--version']);
  assert.equal(code, 0);
  assert.match(out, /^\d+\.\d+\.\d+\n$/);
});

test("exits 3 when the server doesn't respond", async () => {
  const { code, err } = await arbiter(['recommend', 'C', '--url', 'http://127.0.0.1:9', '--api-key', 'krn_x']);
  assert.equal(code, 3);
  assert.match(err, /127\.0\.0\.1:9/);
});

test('exits 78 for an invalid configuration, and names the variable', async () => {
  const { code, err } = await arbiter(['serve'], { PORT: 'eighty' });
  assert.equal(code, 78);
  assert.match(err, /PORT must be a whole number/);
});
