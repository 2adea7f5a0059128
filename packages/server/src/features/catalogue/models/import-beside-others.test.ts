// Runs in one of 3 turns: it imports a large file, and import.test.ts imports all kinds in each.

import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, before, test } from 'node:test';
import { largestModelFile } from '@arbiter/contract';
import { sized } from '../../../../../../test/form.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

// Imports of large models during other requests: a thread reads the file, and the server keeps responding.

const fileBytes = sized('MODEL_FILE_BYTES', { short: 12 * 1024 * 1024, long: largestModelFile });
/** Trees of 512 leaves: as many as a model may have in the long form. */
const trees = Math.floor((480 * fileBytes) / largestModelFile);

let server: TestServer;
let address: string;
before(async () => {
  server = await startTestServer();
  address = await server.app.listen({ port: 0, host: '127.0.0.1' });
});
after(() => server?.close());

interface Imported {
  readonly id: string;
  readonly stateHash: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

async function importFile(key: string, file: string) {
  const form = new FormData();
  form.append('key', key);
  form.append('name', key);
  form.append('file', new Blob([file]), 'model.json');
  const headers = { authorization: `Bearer ${server.tenants[0]!.keys.editor}`, 'x-requested-with': 'test' };
  const answer = await fetch(`${address}/api/v1/algorithm-models/import`, { method: 'POST', body: form, headers });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) as Imported };
}

/** Boosted trees as LightGBM dumps them, padded to the size of the file. */
function largeModel(): string {
  let count = 0;
  const tree = (depth: number): object => {
    count += 1;
    if (depth === 0) return { leaf_value: (count % 17) / 100 - 0.08, leaf_count: 1 };
    return {
      split_feature: count % 4,
      threshold: count % 97,
      decision_type: '<=',
      default_left: true,
      missing_type: 'None',
      internal_count: 2 ** depth,
      left_child: tree(depth - 1),
      right_child: tree(depth - 1),
    };
  };
  const info = Array.from({ length: trees }, () => ({ num_leaves: 512, num_cat: 0, tree_structure: tree(9) }));
  const head = {
    objective: 'binary sigmoid:1',
    num_class: 1,
    max_feature_idx: 3,
    feature_names: ['a', 'b', 'c', 'd'],
    tree_info: info,
  };
  const text = JSON.stringify(head);
  return text.replace('{', `{${' '.repeat(fileBytes - text.length)}`);
}

test('responds while a large model is imported', async () => {
  const file = largeModel();
  assert.equal(file.length, fileBytes);
  // Excludes the start of the thread.
  assert.equal((await importFile('first', '{}')).status, 400);
  const began = performance.now();
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  let isOver = false;
  const importing = importFile('large', file).finally(() => {
    isOver = true;
  });
  let answers = 0;
  while (!isOver) {
    const { status } = await server.call('GET', '/api/v1/algorithm-models?limit=1');
    assert.equal(status, 200);
    answers += 1;
  }
  delays.disable();
  const made = await importing;
  const tookMs = performance.now() - began;
  const longestMs = delays.max / 1e6;
  assert.equal(made.status, 201, made.text);
  // The client of this test is in the same process, and sends 50 MB.
  assert.ok(longestMs < tookMs / 4, `the event loop stood for ${longestMs} ms of ${tookMs}, ${answers} answers`);
  assert.ok(answers >= 10, `${answers} answers within ${tookMs} ms`);
  const scored = await server.call<{ score: number }>('POST', `/api/v1/algorithm-models/${made.body.id}/score`, {
    body: { attributes: { a: 1, b: 50, c: 3, d: 96 } },
  });
  assert.equal(scored.status, 200, scored.text);
});

/** Files whose values take many times as much memory. */
const hostileFiles: Readonly<Record<string, () => string>> = {
  'empty objects': () => `{"tree_info":[${'{},'.repeat((fileBytes - 64) / 3)}{}]}`,
  'nested lists': () => `{"tree_info":${'['.repeat(fileBytes / 2 - 64)}`,
  'different keys': () => {
    const keys = Array.from({ length: fileBytes / 12 }, (_, at) => `"${at.toString(36)}":1`);
    return `{"objective":{${keys.join(',')}}}`;
  },
  'different texts': () => {
    const texts = Array.from({ length: fileBytes / 9 }, (_, at) => `"${at.toString(36)}"`);
    return `{"tree_info":[${texts.join(',')}]}`;
  },
};
for (const [what, fileOf] of Object.entries(hostileFiles)) {
  test(`rejects a file of ${what}, and keeps running`, async () => {
    const refused = await importFile('hostile', fileOf());
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.body.errors[0]!.path, /^\/file/);
    assert.equal((await server.call('GET', '/api/v1/algorithm-models?limit=1')).status, 200);
  });
}
