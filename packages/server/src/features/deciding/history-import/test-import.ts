import assert from 'node:assert/strict';
import type { ImportAnswer } from '@arbiter/contract';
import type { TestServer } from '../../../main/test-server.ts';

/** Imports these lines of history. Fails unless the answer is 200; lines may still be rejected or duplicates. */
export async function importLines(
  { app, tenants }: Pick<TestServer, 'app' | 'tenants'>,
  lines: readonly (object | string)[],
  key: string = tenants[0].keys.editor,
): Promise<ImportAnswer> {
  const answer = await app.inject({
    method: 'POST',
    url: '/api/v1/interactions/import',
    headers: {
      'content-type': 'application/x-ndjson',
      'x-requested-with': 'test',
      authorization: `Bearer ${key}`,
    },
    payload: lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  });
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<ImportAnswer>();
}
