import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { type CommandLine, createCommandLine } from '../test-command-line.ts';

/** `arbiter check`, as a shell runs it: no server, no database, no setting. */

let shell: CommandLine;
before(async () => {
  shell = await createCommandLine();
});
after(() => shell?.close());

const nodes =
  '[{ id: all, type: inventory }, { id: fit, type: qualify }, { id: score, type: score, config: { method: priority_weighted } }]';
const rule = (name: string, operator: string, value: number): string =>
  `name: ${name}\nruleType: attribute_condition\nconfig: { attribute: customer.age, operator: ${operator}, value: ${value} }\nscopes: [{ scope: offer, scopeId: loan }]\nstatus: active\n`;
const sound = {
  'decision-flows/main.yaml': `key: main\nname: Main\nstatus: active\ndraft: { version: 2, nodes: ${nodes}, flowConfig: {} }\n`,
  'offers/card.yaml': 'name: card\nstatus: active\n',
  'offers/loan.yaml': 'name: loan\nstatus: active\n',
  'schemas/people.yaml':
    'name: people\ndisplayName: People\nschemaType: customer\nautoEnrich: true\nfields: [{ name: customer_id, dataType: varchar, isPrimaryKey: true }, { name: age, dataType: integer }]\n',
  'qualification-rules/adults.yaml': rule('adults', 'gte', 18),
};
const closed = { ...sound, 'qualification-rules/children.yaml': rule('children', 'lt', 12) };

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

test('passes a folder in which everything can work', async () => {
  const folder = await folderOf(sound);
  const { code, out, err } = await shell.arbiter(['check', folder]);
  assert.deepEqual([code, err], [0, '']);
  assert.equal(out, `Checked 2 offers of main (published)\nNothing found. Next: arbiter plan ${folder}\n`);
});

test('names the offer that nobody can get, the gates that exclude each other, and tried repairs', async () => {
  const { code, out } = await shell.runInProcess(['check', await folderOf(closed), '--at', '2026-12-01']);
  assert.equal(code, 4);
  const [first, ...lines] = out.trimEnd().split('\n');
  assert.equal(first, 'offers/loan.yaml: error gates_exclude (main)');
  assert.deepEqual(lines.slice(1, 3).toSorted(), [
    '    gate    “adults” in qualification-rules/adults.yaml#/config',
    '    gate    “children” in qualification-rules/children.yaml#/config',
  ]);
  assert.match(out, /^ {4}repair {2}without “adults”: shown to customer \{"age":\d+\} at 2026-12-01T/m);
  assert.match(out, /^ {4}repair {2}without “children”: shown to customer \{"age":\d+\} at 2026-12-01T/m);
});

test('prints JSON for machines', async () => {
  const { code, out } = await shell.runInProcess(['check', await folderOf(closed), '--json']);
  assert.equal(code, 4);
  const { errors, findings, flows, skipped, contradictions } = JSON.parse(out);
  assert.deepEqual([errors, skipped, contradictions], [[], [], 0]);
  assert.equal(findings[0].subject.file, 'offers/loan.yaml');
  assert.deepEqual(findings[0].core.map(({ file }: { file: string }) => file).toSorted(), [
    'qualification-rules/adults.yaml',
    'qualification-rules/children.yaml',
  ]);
  assert.deepEqual(flows, [
    {
      ...{ flow: 'main', file: 'decision-flows/main.yaml', version: 'published' },
      ...{ offers: 2, proved: 2, unknown: 0, unread: [] },
    },
  ]);
});

test('fails on warnings only when asked to', async () => {
  const folder = await folderOf({ ...sound, 'qualification-rules/grown.yaml': rule('grown', 'gte', 18) });
  const plain = await shell.runInProcess(['check', folder]);
  assert.match(plain.out, /warning rule_duplicate/);
  assert.equal(plain.code, 0);
  assert.equal((await shell.runInProcess(['check', folder, '--strict'])).code, 4);
});

test('reports files that can’t be applied, and checks nothing else', async () => {
  const folder = await folderOf({ ...closed, 'offers/loan.yaml': 'name: loan\npriority: high\n' });
  const { code, out } = await shell.runInProcess(['check', folder]);
  assert.equal(code, 1);
  assert.match(out, /^offers\/loan\.yaml#\/priority: must be /);
  assert.match(out, /Nothing else was checked\.\n$/);
});

test('says which flows it leaves out, and checks a draft beside what is published', async () => {
  const idle = `key: idle\nname: Idle\nstatus: paused\ndraft: { version: 2, nodes: ${nodes}, flowConfig: {} }\n`;
  const apart = sound['decision-flows/main.yaml'].replace(
    'nodes: [',
    'nodes: [{ id: none, type: filter, enabled: false }, ',
  );
  const published = `published: { version: 2, nodes: ${nodes}, flowConfig: {} }\n`;
  const folder = await folderOf({
    ...sound,
    'decision-flows/main.yaml': apart + published,
    'decision-flows/idle.yaml': idle,
  });
  const { out } = await shell.runInProcess(['check', folder]);
  assert.match(out, /^decision-flows\/idle\.yaml: not checked: the flow “Idle” is paused$/m);
  assert.match(out, /^Checked 2 offers of main \(published\)$/m);
  assert.match(out, /^Checked 2 offers of main \(draft\)$/m);
});

test('judges schedules by the instant it is given', async () => {
  const folder = await folderOf({
    ...sound,
    'offers/loan.yaml': 'name: loan\nstatus: active\nschedule: { endDate: "2027-01-31" }\n',
  });
  assert.equal((await shell.runInProcess(['check', folder, '--at', '2027-01-01'])).code, 0);
  const late = await shell.runInProcess(['check', folder, '--at', '2027-03-01T00:00:00Z']);
  assert.equal(late.code, 4);
  assert.match(late.out, /^offers\/loan\.yaml#\/schedule: error schedule_over \(main\)$/m);
});

test('rejects a missing folder and an invalid instant', async () => {
  for (const args of [['check'], ['check', join(shell.home, 'nowhere')], ['check', shell.home, '--at', 'soon']]) {
    assert.equal((await shell.runInProcess(args)).code, 2, args.join(' '));
  }
  await rm(join(shell.home, 'nowhere'), { recursive: true, force: true });
});
