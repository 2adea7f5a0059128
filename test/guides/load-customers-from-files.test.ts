import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runQueue } from '../../packages/server/src/features/outreach/campaigns/test-campaigns.ts';
import { startTestServer } from '../../packages/server/src/main/test-server.ts';
import { follow } from './guide.ts';

const customers = `CUSTOMER,NAME,BALANCE,SINCE
C-1, Ada ,9000,2024-03-01
C-2,Bob,120,2025-01-15
C-3,Cem,15000,2023-11-30
C-4,Dee,,2022-05-05
C-5,Eva,7000,yesterday
`;

/** The guide's connector to an SFTP folder. */
const sftp = /\{ "name": "Billing files", [\s\S]*?"a long password" \} \}/;
const csv = '{ "name": "Billing files", "type": "csv", "config": { "path": "customers.csv" } }';

test('load-customers-from-files: each call answers as the guide says', async () => {
  const text = await readFile(new URL('../../docs/guides/load-customers-from-files.md', import.meta.url), 'utf8');
  assert.match(text, sftp);
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-guide-'));
  await writeFile(join(folder, 'customers.csv'), customers);
  const server = await startTestServer({ config: { IMPORT_DIR: folder } });
  try {
    assert.ok((await follow(server, text.replace(sftp, csv), () => runQueue(server, 'pipeline.run'))) >= 20);
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
});
