// Runs in one of 2 turns: resources.test.ts writes and reads files of every resource in each.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PolicyFile, PolicyPlan } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { type Calls, callsOf, contentOf, edited, type Made, secondPerson } from './catalogue.ts';

/** Content needs two people, in files as in calls (docs/design/api-settled.md 4). */

let server: TestServer;
let used = 0;
before(async () => {
  server = await startTestServer({ tenants: 8 });
});
after(() => server?.close());

async function freshTenant() {
  const tenant = server.tenants[used]!;
  used += 1;
  const ada = callsOf(server, tenant);
  return { tenant, ada, ben: callsOf(server, tenant, await secondPerson(server, tenant)) };
}

const path = 'content/letter.yaml';
const letter = (...lines: string[]): PolicyFile[] => [
  { path, content: `name: letter\nchannelType: email\n${lines.map((line) => `${line}\n`).join('')}` },
];
const words = ({ changes }: PolicyPlan) => changes.map(({ action, ref }) => `${action} ${String(ref)}`);

interface Item extends Made {
  readonly status: string;
  readonly content: object;
  readonly version: number;
  readonly publishedVersion: number | null;
}
async function item(calls: Calls, name = 'letter'): Promise<Item> {
  const { data } = await calls.must<{ data: Made[] }>('GET', `content?search=${name}`, undefined, 200);
  return calls.must<Item>('GET', `content/${data[0]!.id}`, undefined, 200);
}

test('one person makes and submits, another one approves and publishes', async () => {
  const { ada, ben } = await freshTenant();
  const files = letter('content: {subject: Hello}');
  const first = await ada.apply({ files });
  assert.deepEqual(words(first), ['create letter']);
  assert.deepEqual(first.warnings, [
    { path: `${path}#`, message: 'needs another person to approve it by applying the same files' },
  ]);
  assert.equal((await item(ada)).status, 'in_review');

  const again = await ada.diff({ files });
  assert.deepEqual(words(again), ['await letter']);
  assert.deepEqual(again.summary, { create: 0, update: 0, delete: 0, replace: 0, await: 1, unchanged: 0 });
  assert.deepEqual(again.changes[0]?.fields, [{ path: 'published', before: null }]);
  const idle = await ada.apply({ files });
  assert.deepEqual(words(idle), ['await letter']);
  assert.equal(idle.configVersion, again.configVersion, 'who waits changes nothing');
  assert.equal((await item(ada)).status, 'in_review');
  assert.deepEqual((await ada.drift()).changes, []);

  assert.deepEqual(words(await ben.diff({ files })), ['update letter']);
  assert.equal((await item(ada)).status, 'in_review', 'a plan changes nothing');
  assert.deepEqual(words(await ben.apply({ files })), ['update letter']);
  const published = await item(ada);
  assert.deepEqual([published.status, published.publishedVersion], ['published', 2]);
  for (const calls of [ada, ben]) assert.deepEqual((await calls.diff({ files, prune: true })).changes, []);
  const { data } = await ada.must<{ data: { action: string; entityType: string }[] }>(
    'GET',
    'audit-logs?entityType=contentItem&limit=10',
    undefined,
    200,
  );
  assert.deepEqual(data.map(({ action }) => action).reverse(), ['create', 'submit', 'approve', 'publish']);
});

test("a change is resubmitted, and another person's later changes aren't approved unseen", async () => {
  const { ada, ben } = await freshTenant();
  const [one, two] = [letter('content: {subject: one}'), letter('content: {subject: two}', 'description: new')];
  await ada.apply({ files: one });
  await ben.apply({ files: one });
  assert.deepEqual(words(await ada.apply({ files: two })), ['update letter']);
  assert.deepEqual((await item(ada)).content, { subject: 'two' });
  // Ben's files differ, so nothing is approved; the submission is now his.
  const three = letter('content: {subject: three}');
  assert.deepEqual(words(await ben.apply({ files: three })), ['update letter']);
  assert.equal((await item(ada)).status, 'in_review');
  assert.deepEqual(words(await ben.diff({ files: three })), ['await letter']);
  await ada.apply({ files: three });
  const done = await item(ada);
  assert.deepEqual([done.status, done.content], ['published', { subject: 'three' }]);

  // Files publish what was approved by hand, and submit again what was rejected.
  const four = letter('content: {subject: four}');
  await ada.apply({ files: four });
  await ben.must('POST', `content/${done.id}/reject`, { reason: 'no' }, 200);
  assert.deepEqual(words(await ada.apply({ files: four })), ['await letter']);
  await ben.must('POST', `content/${done.id}/approve`, undefined, 200);
  await ada.apply({ files: four });
  assert.equal((await item(ada)).status, 'published');
});

test('a draft next to a published version, and one never published', async () => {
  const { ada, ben } = await freshTenant();
  const files = letter('content: {subject: draft}', 'published: {content: {subject: shown}}');
  await ada.apply({ files });
  assert.deepEqual((await item(ada)).content, { subject: 'shown' });
  await ben.apply({ files });
  const now = await item(ada);
  assert.deepEqual([now.status, now.content, now.publishedVersion], ['draft', { subject: 'draft' }, 2]);
  assert.deepEqual((await ada.diff({ files, prune: true })).changes, []);
  const exported = (await ada.export()).files;
  assert.match(contentOf(exported, path), /^published:\n {2}content:\n {4}subject: shown$/m);
  // After this many changes the published version is still known.
  for (let at = 0; at < 21; at += 1) await ada.change('content', now.id, { description: `${at}` });
  assert.match(contentOf((await ada.export()).files, path), /subject: shown/);
  await ada.apply({ files: exported });
  assert.deepEqual((await ada.export()).files, exported);

  const errors = await ada.refused('apply', { files: letter('published: null') });
  assert.deepEqual(errors[0]?.path, `${path}#/published`);
  const never = [{ path: 'content/never.yaml', content: 'name: never\nchannelType: web\npublished: null\n' }];
  await ada.apply({ files: never });
  assert.equal((await item(ada, 'never')).status, 'draft');
  assert.deepEqual((await ben.diff({ files: never })).changes, []);
});

test('reports errors with their place in the file', async () => {
  const { ada } = await freshTenant();
  for (const [lines, place] of [
    [['published: 1'], '/published'],
    [['published: {subject: x}'], '/published'],
    [['published: {blocks: [{type: nothing}]}'], '/published/blocks/0/type'],
    [['published: {content: [1]}'], '/published/content'],
    [['published: {blocks: [{id: a, type: heading, props: {level: 9}}]}'], '/published/blocks/0/props/level'],
    [['blocks: [{type: nothing}]'], '/blocks/0/type'],
    [['changeNote: x'], '/changeNote'],
    [['parentTemplateId: nowhere'], '/parentTemplateId'],
  ] as const) {
    const paths = (await ada.refused('diff', { files: letter(...lines) })).map((error) => error.path);
    assert.ok(paths.includes(`${path}#${place}`), `${lines.join()}: ${paths.join()}`);
  }
  await ada.apply({ files: letter() });
  const fixed = edited(letter(), path, 'email', 'sms');
  assert.equal((await ada.refused('diff', { files: fixed }))[0]?.path, `${path}#/channelType`);
});

test('derives the ID of a block from its position, so that equal files are equal content', async () => {
  const { ada, ben } = await freshTenant();
  const files = letter('blocks: [{type: divider}, {id: block-1, type: divider}, {type: spacer}]', 'published: null');
  await ada.apply({ files });
  assert.deepEqual(
    ((await item(ada)).blocks as Made[]).map(({ id }) => id),
    ['block-2', 'block-1', 'block-3'],
  );
  assert.deepEqual((await ben.diff({ files })).changes, []);
});

test('restores an archived item by its name, in any version', async () => {
  const { ada, ben } = await freshTenant();
  const files = letter('content: {subject: Hello}');
  await ada.apply({ files });
  await ben.apply({ files });
  const other = { path: 'content/plain.yaml', content: 'name: plain\nchannelType: web\npublished: null\n' };
  await ada.apply({ files: [...files, other] });
  const [old, plain] = [await item(ada), await item(ada, 'plain')];
  assert.equal(plain.version, 1);
  assert.equal((await ada.apply({ files: [], prune: true })).summary.delete, 2);
  assert.deepEqual((await ada.export()).files, []);
  assert.deepEqual(words(await ada.apply({ files: [...files, other] })), ['create letter', 'create plain']);
  assert.deepEqual([(await item(ada)).id, (await item(ada, 'plain')).id], [old.id, plain.id]);
  await ben.apply({ files: [...files, other] });
  assert.equal((await item(ada)).status, 'published');
  assert.deepEqual((await ada.diff({ files: [...files, other], prune: true })).changes, []);
});

test('templates come first, with their own approvals', async () => {
  const { ada, ben } = await freshTenant();
  const files = [
    { path: 'content/a-child.yaml', content: 'name: a-child\nchannelType: email\nparentTemplateId: frame\n' },
    {
      path: 'content/frame.yaml',
      content: 'name: frame\nchannelType: email\nisTemplate: true\ncontent: {footer: Bye}\n',
    },
  ];
  await ada.apply({ files });
  await ben.apply({ files });
  const child = await item(ada, 'a-child');
  const shown = await ada.must<{ content: object }>('POST', `content/${child.id}/render`, { version: 2 }, 200);
  assert.deepEqual(
    Object.entries(shown.content).filter(([name]) => name === 'footer'),
    [['footer', 'Bye']],
  );
  assert.equal(child.parentOutdated, false);
  assert.deepEqual((await ben.diff({ files, prune: true })).changes, []);
});
