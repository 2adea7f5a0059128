import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';

/** Many writes of one record, and lists that are read while others write (docs/design/quality.md T23, E15). */

interface Row {
  readonly id: string;
  readonly version: number;
}

interface Page {
  readonly code?: string;
  readonly data: readonly Row[];
  readonly pagination: { readonly total: number; readonly hasMore: boolean; readonly nextCursor: string | null };
}

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2 });
});
after(() => server?.close());

let counter = 0;
test('50 parallel changes of one offer make 50 successive versions in an unbroken chain', async () => {
  const offer = await server.createRecord<Row>('offers', { name: 'hot' });
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, priority) =>
      server.call<Row>('PUT', '/api/v1/offers', { body: { id: offer.id, priority } }),
    ),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.deepEqual(
    answers.map(({ body }) => body.version).sort((a, b) => a - b),
    Array.from({ length: 50 }, (_, at) => at + 2),
  );
  assert.equal((await server.call<Row>('GET', `/api/v1/offers/${offer.id}`)).body.version, 51);
  const rows = await server.testDatabase.ownerQuery<{ before: unknown; after: unknown; version: number }>(
    `select before, after, entity_version as version from arbiter.audit_logs where entity_id = $1 order by sequence`,
    [offer.id],
  );
  assert.deepEqual(
    rows.map(({ version }) => version),
    Array.from({ length: 51 }, (_, at) => at + 1),
  );
  for (const [at, row] of rows.slice(1).entries()) assert.deepEqual(row.before, rows[at]?.after);
  const chain = await server.call('GET', '/api/v1/audit-logs/verify?fromSequence=1');
  assert.equal(chain.body.intact, true, chain.text);
});

test('one of 20 parallel changes of the same version succeeds', async () => {
  const offer = await server.createRecord<Row>('offers', { name: 'stale' });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, priority) =>
      server.call<Page>('PUT', '/api/v1/offers', { body: { id: offer.id, priority, rowVersion: 1 } }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  const refused = answers.filter(({ status }) => status !== 200);
  assert.deepEqual(
    [...new Set(refused.map(({ status, body }) => `${status} ${body.code}`))],
    ['409 row_version_conflict'],
  );
});

test('one of 20 parallel creations with one name succeeds', async () => {
  for (const [path, body] of [
    ['offers', {}],
    ['categories', {}],
    ['channels', { channelType: 'web' }],
  ] as const) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        server.call<Page>('POST', `/api/v1/${path}`, { body: { ...body, name: 'twin' } }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 1, path);
    const refused = answers.filter(({ status }) => status !== 201);
    assert.deepEqual(
      [...new Set(refused.map((answer) => `${answer.status} ${answer.body.code}`))],
      ['409 duplicate_name'],
    );
  }
});

describe('paging returns each row that exists throughout once', () => {
  const bodies: Readonly<Record<string, () => Promise<(name: string, at: number) => object>>> = {
    categories: async () => (name, at) => ({ name, ordinal: at % 4 }),
    'sub-categories': async () => {
      const { id } = await server.createRecord<Row>('categories', { name: `parent ${++counter}` });
      return (name, at) => ({ name, ordinal: at % 4, categoryId: id });
    },
    channels: async () => (name) => ({ name, channelType: 'web' }),
    placements: async () => {
      const { id } = await server.createRecord<Row>('channels', { name: `place ${++counter}`, channelType: 'web' });
      return (name) => ({ name, channelId: id });
    },
    offers: async () => (name) => ({ name }),
    creatives: async () => {
      const [offer, channel] = [
        await server.createRecord<Row>('offers', { name: `of ${++counter}` }),
        await server.createRecord<Row>('channels', { name: `on ${++counter}`, channelType: 'web' }),
      ];
      return (name) => ({ name, offerId: offer.id, channelId: channel.id });
    },
    'outcome-types': async () => (name, at) => ({
      name,
      key: `k${++counter}`,
      classification: 'neutral',
      ordinal: at % 4,
    }),
    'ranking-profiles': async () => (name) => ({ name, weights: { margin: 1 } }),
  };

  for (const [path, prepare] of Object.entries(bodies)) {
    it(path, async () => {
      const bodyOf = await prepare();
      const mark = `walk${++counter}`;
      const add = (at: number) =>
        server.createRecord<Row>(path, bodyOf(`${mark} ${'zmaq'[at % 4]}${String(at).padStart(3, '0')}`, at));
      const first: Row[] = [];
      for (let at = 0; at < 18; at += 1) first.push(await add(at));
      const gone = new Set<string>();
      const seen: string[] = [];
      let at = 18;
      let cursor: string | null = null;
      do {
        const after: string = cursor === null ? '' : `&cursor=${cursor}`;
        const page: { status: number; body: Page; text: string } = await server.call<Page>(
          'GET',
          `/api/v1/${path}?search=${mark}&limit=4${after}`,
        );
        assert.equal(page.status, 200, page.text);
        seen.push(...page.body.data.map(({ id }) => id));
        assert.equal(page.body.pagination.total, 18 + (at - 18) - gone.size);
        assert.equal(page.body.pagination.hasMore, page.body.pagination.nextCursor !== null);
        cursor = page.body.pagination.nextCursor;
        if (cursor === null) break;
        // Rows before and after the cursor; and the row at the cursor is deleted.
        for (const next of [at, at + 1, at + 2]) await add(next);
        at += 3;
        const last = page.body.data.at(-1)!;
        const deletion = await server.call('DELETE', `/api/v1/${path}/${last.id}`);
        assert.ok(deletion.status < 300, deletion.text);
        gone.add(last.id);
      } while (at < 60);
      assert.equal(new Set(seen).size, seen.length, 'a row came twice');
      for (const { id } of first) assert.ok(gone.has(id) || seen.includes(id), 'a row was left out');
      const foreign = await server.call<Page>('GET', `/api/v1/${path}?cursor=${first[0]!.id}`, {
        key: server.tenants[1]!.keys.admin,
      });
      assert.deepEqual([foreign.status, foreign.body.code], [400, 'invalid_cursor'], foreign.text);
    });
  }
});
