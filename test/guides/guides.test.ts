// Runs in one of 3 turns: what the guides call has tests of its own.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run } from '../../packages/cli/src/run.ts';
import { runQueue as runTrainings } from '../../packages/server/src/features/deciding/model-training/test-training.ts';
import { runQueue } from '../../packages/server/src/features/outreach/campaigns/test-campaigns.ts';
import { startTestServer } from '../../packages/server/src/main/test-server.ts';
import { callsOf, commandsOf, follow } from './guide.ts';

const isShort: ReadonlySet<string> = new Set(['find-conflicts', 'test-decisions']);

for (const name of [
  'modelling-a-bank',
  'modelling-a-telco',
  'win-back-a-cart',
  'react-to-events',
  'run-a-campaign',
  'explain-a-decision',
  'find-conflicts',
  'test-decisions',
]) {
  test(`${name}: each call responds as the guide says`, async () => {
    const text = await readFile(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8');
    const server = await startTestServer();
    try {
      const settle = () => runQueue(server, 'campaign.chunk');
      assert.ok((await follow(server, text, settle)) >= (isShort.has(name) ? 8 : 15));
    } finally {
      await server.close();
    }
  });
}

const bankFile = [
  new URL('../../../shared/data/uci-bank/bank-full.csv', import.meta.url),
  new URL('bank-full.csv', import.meta.url),
]
  .map((url) => fileURLToPath(url))
  .find((path) => existsSync(path));

test('from-csv-to-decision: ten commands and calls lead from a file to a decision', async () => {
  const text = await readFile(new URL('../../docs/guides/from-csv-to-decision.md', import.meta.url), 'utf8');
  const server = await startTestServer();
  try {
    const url = await server.app.listen({ port: 0, host: '127.0.0.1' });
    const environment = {
      ARBITER_URL: url,
      ARBITER_API_KEY: server.tenants[0].keys.admin,
      XDG_CONFIG_HOME: '/nowhere',
    };
    const commands = commandsOf(text);
    const warnings: string[] = [];
    for (const words of commands) {
      const args = words.map((word) => (word === 'bank-full.csv' ? (bankFile ?? word) : word));
      const code = await run(args, { environment, print: () => undefined, warn: (line) => warnings.push(line) });
      assert.equal(code, 0, warnings.join('\n'));
    }
    assert.ok(
      warnings.includes('arbiter: warning: The header "default" becomes the column default_col.'),
      warnings.join('\n'),
    );
    assert.equal(commands.length + (await follow(server, text)), 10);
  } finally {
    await server.close();
  }
});

test('train-a-model: ten calls lead from a schema to a trained model in a flow', async () => {
  const text = await readFile(new URL('../../docs/guides/train-a-model.md', import.meta.url), 'utf8');
  const server = await startTestServer();
  try {
    assert.equal(await follow(server, text, () => runTrainings(server, 'model.train')), 10);
  } finally {
    await server.close();
  }
});

test('import-a-model: calls and commands lead from a file to an explained decision', async () => {
  const text = await readFile(new URL('../../docs/guides/import-a-model.md', import.meta.url), 'utf8');
  const server = await startTestServer();
  try {
    assert.equal(await follow(server, text), 11);
    const url = await server.app.listen({ port: 0, host: '127.0.0.1' });
    const environment = {
      ARBITER_URL: url,
      ARBITER_API_KEY: server.tenants[0].keys.admin,
      XDG_CONFIG_HOME: '/nowhere',
    };
    const printed: string[] = [];
    const arbiter = async (...args: string[]) => {
      const warnings: string[] = [];
      const write = {
        print: (line: string) => void printed.push(line),
        warn: (line: string) => void warnings.push(line),
      };
      assert.equal(await run(args, { environment, ...write }), 0, warnings.join('\n'));
    };
    const decisions = await server.call<{ data: { recommendationId: string }[] }>('GET', '/api/v1/decisions?limit=1');
    await arbiter('shap', String(decisions.body.data[0]?.recommendationId), 'deposit-gbm');
    assert.deepEqual(printed, [
      'Deposit propensity gives 0.310026: log-odds -0.8, from a mean of -0.87',
      '  +0.24  balance',
      '  -0.17  age',
    ]);
    const file = new URL('../../packages/engine/test/oracles/trees/lightgbm.nan.model.txt', import.meta.url);
    await arbiter('models', 'import', fileURLToPath(file), '--key', 'from-lightgbm', '--defaults', '{"age": 40}');
    assert.match(printed.at(-2) ?? '', /^Imported from-lightgbm with 6 features: [0-9a-f-]{36}$/);
  } finally {
    await server.close();
  }
});

test('an unreadable block fails the test', () => {
  const block = (last: string) => `\`\`\`http\nGET /offers\n${last}\n\`\`\``;
  assert.deepEqual(callsOf(block('# 200, $one = data.0.id, data.0.rank is 1'))[0]?.kept, { one: 'data.0.id' });
  for (const last of ['', '# ok', '# 200, what']) assert.throws(() => callsOf(block(last)), last);
});
