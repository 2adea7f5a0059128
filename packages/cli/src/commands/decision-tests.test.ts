import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { type CommandLine, createCommandLine } from '../test-command-line.ts';

/** `arbiter test`, as a shell runs it: no server, no database, no setting. */

let shell: CommandLine;
before(async () => {
  shell = await createCommandLine();
});
after(() => shell?.close());

const nodes =
  '[{ id: all, type: inventory }, { id: fit, type: qualify }, { id: caps, type: contact_policy }, { id: score, type: score, config: { method: priority_weighted } }]';
const flow = `key: main\nname: Main\nstatus: active\ndraft: { version: 2, nodes: ${nodes}, flowConfig: {} }\n`;
const testFile = (name: string, given: string, expect: string): string =>
  `decisionFlowId: main\nname: ${name}\ngiven: { now: "2026-12-01T12:00:00Z", ${given} }\nexpect: { ${expect} }\n`;

const catalogue = {
  'decision-flows/main.yaml': flow,
  'offers/card.yaml': 'name: card\nstatus: active\npriority: 80\n',
  'offers/loan.yaml': 'name: loan\nstatus: active\npriority: 60\n',
  'offers/old.yaml': 'name: old\nstatus: paused\n',
  'channels/web.yaml': 'key: web\nname: Web site\nchannelType: web\n',
  'schemas/people.yaml':
    'name: people\ndisplayName: People\nschemaType: customer\nautoEnrich: true\nfields: [{ name: customer_id, dataType: varchar, isPrimaryKey: true }, { name: age, dataType: integer }]\n',
  'qualification-rules/adults.yaml':
    'name: adults\nruleType: attribute_condition\nconfig: { attribute: customer.age, operator: gte, value: 18 }\nscopes: [{ scope: offer, scopeId: loan }]\nstatus: active\n',
  'contact-policies/daily.yaml':
    'name: daily\nruleType: frequency_cap\nconfig: { maxPerDay: 1 }\nscopes: [{ scope: offer, scopeId: card }]\nstatus: active\n',
};
const minors = {
  'tests/main/minors.yaml': testFile(
    'minors',
    'customer: { age: 17 }',
    'excludes: [{ offer: loan, by: adults }, { offer: old }]',
  ),
};
const adults = { 'tests/main/adults.yaml': testFile('adults', 'customer: { age: 18 }', 'order: [card, loan]') };
const capped = {
  'tests/main/capped.yaml': testFile(
    'capped',
    'customer: { age: 18 }, contacts: [{ offer: card, channel: web, at: "2026-12-01T08:00:00Z" }]',
    'first: loan, excludes: [{ offer: card, by: daily }]',
  ),
};

let folders = 0;

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  folders += 1;
  const folder = join(shell.home, `policy-${folders}`);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

test('passes tests of a folder, and catches every change with them', async () => {
  const folder = await folderOf({ ...catalogue, ...minors, ...adults, ...capped });
  const { code, out, err } = await shell.arbiter(['test', folder, '--mutate', '--min-score', '100']);
  assert.deepEqual([code, err], [0, ''], out);
  assert.equal(
    out,
    `Passed 3 of 3 tests of main (published)\nCaught 4 of 4 changes (100%)\nAll tests pass. Next: arbiter plan ${folder}\n`,
  );
});

test('fails with the expected and the actual result', async () => {
  const wrong = testFile('minors', 'customer: { age: 20 }', 'excludes: [{ offer: loan }]');
  const typo = testFile('typo', 'customer: { aeg: 20 }', 'count: 1');
  const files = { ...catalogue, ...adults, 'tests/main/minors.yaml': wrong, 'tests/main/typo.yaml': typo };
  const { code, out } = await shell.runInProcess(['test', await folderOf(files)]);
  assert.equal(code, 1);
  assert.deepEqual(out.trimEnd().split('\n'), [
    'tests/main/minors.yaml: failed',
    '    /expect/excludes/0: expected “loan” not to be in the answer; it has rank 2',
    'tests/main/typo.yaml: error',
    '    /given/customer/aeg: customer.aeg isn’t provided by any schema; did you mean age?',
    'Passed 1 of 3 tests of main (published)',
    '2 tests failed.',
  ]);
});

test('names the changes that no test catches', async () => {
  const folder = await folderOf({ ...catalogue, ...adults });
  const { code, out } = await shell.runInProcess(['test', folder, '--mutate']);
  assert.equal(code, 0);
  assert.match(out, /^qualification-rules\/adults\.yaml: no test catches this gate of “adults”: left out$/m);
  assert.match(out, /^contact-policies\/daily\.yaml#\/config\/maxPerDay: no test .*“daily”: 1 → 2$/m);
  assert.doesNotMatch(out, /18 → 19/);
  assert.match(out, /^Caught 1 of 4 changes \(25%\)$/m);
  assert.equal((await shell.runInProcess(['test', folder, '--mutate', '--min-score', '26'])).code, 4);
});

test('prints JSON for machines', async () => {
  const { code, out } = await shell.runInProcess([
    'test',
    await folderOf({ ...catalogue, ...minors, ...adults }),
    '--mutate',
    '--json',
  ]);
  assert.equal(code, 0);
  const { errors, flows, skipped, mutation } = JSON.parse(out);
  assert.deepEqual([errors, skipped, mutation.leftOut], [[], [], []]);
  assert.deepEqual(
    flows[0].results.map(({ file, status }: { file: string; status: string }) => [file, status]),
    [
      ['tests/main/adults.yaml', 'passed'],
      ['tests/main/minors.yaml', 'passed'],
    ],
  );
  assert.deepEqual(
    mutation.mutants.map(({ pointer, outcome, caughtBy }: Record<string, string>) => [pointer, outcome, caughtBy]),
    [
      ['', 'caught', 'minors'],
      ['/config/value', 'caught', 'adults'],
      ['', 'survived', null],
      ['/config/maxPerDay', 'survived', null],
    ],
  );
});

test('tests what a flow publishes, or its draft', async () => {
  const filter =
    '{ id: none, type: filter, config: { conditions: [{ field: customer.age, operator: gt, value: 100 }] } }';
  const stricter = flow.replace('{ id: fit', `${filter}, { id: fit`);
  const apart = `${stricter}published: { version: 2, nodes: ${nodes}, flowConfig: {} }\n`;
  const folder = await folderOf({ ...catalogue, ...minors, 'decision-flows/main.yaml': apart });
  const published = await shell.runInProcess(['test', folder]);
  assert.deepEqual([published.code, /\(published\)/.test(published.out)], [0, true], published.out);
  const draft = await shell.runInProcess(['test', folder, '--draft']);
  assert.deepEqual([draft.code, /Passed 0 of 1 test of main \(draft\)/.test(draft.out)], [1, true], draft.out);
});

test('fails tests whose flow can’t run, with the reason', async () => {
  const disabled = flow.replace(nodes, '[{ id: all, type: inventory, enabled: false }]');
  for (const [file, reason] of [
    [flow.replace('status: active', 'status: paused'), 'is paused'],
    [`${disabled}published: null\n`, "isn't published"],
    [disabled, 'has no enabled nodes'],
  ] as const) {
    const folder = await folderOf({ ...catalogue, ...minors, 'decision-flows/main.yaml': file });
    const { code, out } = await shell.runInProcess(['test', folder]);
    assert.equal(code, 1, out);
    assert.equal(out, `tests/main/minors.yaml: not run: its flow ${reason}\n1 test failed.\n`);
  }
});

test('has nothing to report for a folder without tests', async () => {
  const { code, out } = await shell.runInProcess(['test', await folderOf(catalogue)]);
  assert.deepEqual([code, out], [0, 'No tests found. Add one as tests/<flow>/<name>.yaml.\n']);
});

test('reports files that can’t be applied, and tests nothing', async () => {
  for (const [path, content, message] of [
    [
      'tests/minors.yaml',
      minors['tests/main/minors.yaml'],
      /^tests\/minors\.yaml#: must be in a folder of its own parent/,
    ],
    ['tests/other/minors.yaml', minors['tests/main/minors.yaml'], /must be at tests\/main\/minors\.yaml/],
    ['tests/main/x.yaml', testFile('x', '', 'count: 60'), /^tests\/main\/x\.yaml#\/expect\/count: must be /],
    ['tests/main/x.yaml', testFile('x', '', 'cuont: 1'), /#\/expect\/cuont: .*did you mean count\?/],
    ['tests/main/x.yaml', testFile('x', 'seed: 1', ''), /#\/expect: must/],
    [
      'tests/main/x.yaml',
      testFile('x', '', 'includes: [a], excludes: [{ offer: a }]'),
      /#\/expect\/excludes\/0\/offer: is also/,
    ],
    ['tests/none/x.yaml', testFile('x', '', 'count: 1').replace('main', 'none'), /refers to the decision flow "none"/],
  ] as const) {
    const { code, out } = await shell.runInProcess(['test', await folderOf({ ...catalogue, [path]: content })]);
    assert.equal(code, 1, out);
    assert.match(out, message);
    assert.match(out, /Nothing was tested\.\n$/);
  }
});

test('rejects a missing folder and a minimum without changes', async () => {
  for (const args of [
    ['test'],
    ['test', shell.home, '--min-score', '5'],
    ['test', shell.home, '--mutate', '--min-score', '101'],
  ]) {
    assert.equal((await shell.runInProcess(args)).code, 2, args.join(' '));
  }
});
