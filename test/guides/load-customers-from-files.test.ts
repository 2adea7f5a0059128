// Runs in one of 3 turns: what the guides call has tests of its own.

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runQueue } from '../../packages/server/src/features/outreach/campaigns/test-campaigns.ts';
import { startTestServer } from '../../packages/server/src/main/test-server.ts';
import { missingProgram } from '../../packages/server/src/platform/sources/test-programs.ts';
import { startTestSshd, type TestSshd } from '../../packages/server/src/platform/sources/test-sshd.ts';
import { follow } from './guide.ts';

const customers = `CUSTOMER,NAME,BALANCE,SINCE
C-1, Ada ,9000,2024-03-01
C-2,Bob,120,2025-01-15
C-3,Cem,15000,2023-11-30
C-4,Dee,,2022-05-05
C-5,Eva,7000,yesterday
`;

/** What the guide's connector names, by the words of the guide. */
const placesOf = ({ port, username, password, folder }: TestSshd): readonly (readonly [string, string])[] => [
  ['"host": "files.example.com"', '"host": "127.0.0.1"'],
  ['"port": 22', `"port": ${port}`],
  ['"path": "/export"', `"path": ${JSON.stringify(join(folder, 'export'))}`],
  [
    '"username": "arbiter", "password": "a long password"',
    `"username": ${JSON.stringify(username)}, "password": ${JSON.stringify(password)}`,
  ],
];

const isRoot = process.getuid?.() === 0;
const skip = missingProgram('sshd', 'openssh-server') || (!isRoot && 'only root can add a user with a password');

test('load-customers-from-files: each call responds as documented, over SFTP', { skip }, async () => {
  let text = await readFile(new URL('../../docs/guides/load-customers-from-files.md', import.meta.url), 'utf8');
  const sshd = await startTestSshd();
  const server = await startTestServer({ config: { OUTBOUND_ALLOW_CIDRS: ['127.0.0.0/8'] } });
  try {
    await mkdir(join(sshd.folder, 'export'));
    await writeFile(join(sshd.folder, 'export', 'customers-2026-11.csv'), customers);
    await writeFile(join(sshd.folder, 'export', 'invoices.csv'), 'INVOICE\n1\n');
    for (const [ours, theirs] of placesOf(sshd)) {
      assert.ok(text.includes(ours), ours);
      text = text.replace(ours, theirs);
    }
    assert.ok((await follow(server, text, () => runQueue(server, 'pipeline.run'))) >= 20);
  } finally {
    await server.close();
    await sshd.stop();
  }
});
