import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../../../test/form.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

/** Compares random writes of policies and scopes with an in-memory oracle: responses, lists, filters, versions. */

interface Policy {
  readonly id: string;
  readonly name: string;
  readonly priority: number;
  readonly status: string;
  readonly version: number;
  readonly rowVersion: number;
  readonly scope: string;
  readonly scopeId: string | null;
  readonly scopes: readonly { readonly id: string; readonly scope: string; readonly scopeId: string | null }[];
}
type Target = readonly [scope: string, scopeId: string | null];
interface Known {
  readonly id: string;
  name: string;
  priority: number;
  status: string;
  version: number;
  targets: readonly Target[];
}

let server: TestServer;
const ids: Record<string, string[]> = { offer: [], category: [], channel: [] };
before(async () => {
  server = await startTestServer();
  for (const n of [0, 1]) {
    ids.offer!.push(await server.create('offers', { name: `Offer ${n}` }));
    ids.category!.push(await server.create('categories', { name: `Category ${n}` }));
    ids.channel!.push(await server.create('channels', { name: `Channel ${n}`, channelType: 'web' }));
  }
});
after(() => server?.close());

const target = fc.record({ scope: fc.constantFrom('global', 'offer', 'category', 'channel'), at: fc.nat(1) });
const targets = fc.array(target, { minLength: 1, maxLength: 4 });
const which = fc.nat(4);
const name = fc.constantFrom('a', 'b', 'c', 'd');
const priority = fc.integer({ min: 0, max: 100 });
const status = fc.constantFrom('draft', 'active', 'paused', 'archived');
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), name, priority, targets }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('assign' as const), which, targets }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), which, target }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('change' as const), which, name, priority, status, behind: fc.nat(1) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('list' as const), target: fc.option(target), status: fc.option(status) }),
  },
);

const sent = ({ scope, at }: { scope: string; at: number }) => ({
  scope,
  scopeId: scope === 'global' ? null : ids[scope]![at]!,
});
const unique = (list: readonly { scope: string; at: number }[]): Target[] => {
  const found = new Map(
    list.map(sent).map(({ scope, scopeId }): [string, Target] => [`${scope} ${scopeId}`, [scope, scopeId]]),
  );
  return [...found.values()];
};

function assertShows(shown: Policy, known: Known): void {
  assert.deepEqual(
    {
      id: shown.id,
      name: shown.name,
      priority: shown.priority,
      status: shown.status,
      version: shown.version,
      targets: shown.scopes.map(({ scope, scopeId }) => [scope, scopeId]),
    },
    { ...known },
  );
  assert.equal(shown.rowVersion, shown.version);
  assert.deepEqual([shown.scope, shown.scopeId], known.targets[0]);
}

test('policies and their scopes match a model of them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 18 }), async (steps) => {
      const model: Known[] = [];
      const put = (id: string, body: object) =>
        server.call<Policy & { code: string }>('PUT', '/api/v1/contact-policies', { body: { id, ...body } });
      const isTaken = (wanted: string, but: Known | null) => model.some((row) => row !== but && row.name === wanted);
      for (const each of steps) {
        if (each.do === 'create') {
          const body = {
            name: each.name,
            ruleType: 'frequency_cap',
            config: { maxPerDay: 1 },
            priority: each.priority,
          };
          const made = await server.call<Policy & { code: string }>('POST', '/api/v1/contact-policies', {
            body: { ...body, scopes: each.targets.map(sent) },
          });
          if (isTaken(each.name, null)) {
            assert.deepEqual([made.status, made.body.code], [409, 'duplicate_name']);
            continue;
          }
          assert.equal(made.status, 201, made.text);
          const { id } = made.body;
          const known = {
            id,
            name: each.name,
            priority: each.priority,
            status: 'active',
            version: 1,
            targets: unique(each.targets),
          };
          model.push(known);
          assertShows(made.body, known);
          continue;
        }
        if (each.do === 'list') {
          const wanted = each.target === null ? null : sent(each.target);
          const query = new URLSearchParams({
            limit: '200',
            ...(each.status === null ? {} : { status: each.status }),
            ...(wanted === null ? {} : { scope: wanted.scope }),
            ...(wanted?.scopeId == null ? {} : { scopeId: wanted.scopeId }),
          });
          const { body } = await server.call<{ data: Policy[] }>('GET', `/api/v1/contact-policies?${query}`);
          const expected = model
            .filter((row) => each.status === null || row.status === each.status)
            .filter(
              (row) =>
                wanted === null ||
                row.targets.some(([scope, scopeId]) => scope === wanted.scope && scopeId === wanted.scopeId),
            )
            .sort((a, b) => b.priority - a.priority || (a.id > b.id ? -1 : 1));
          assert.deepEqual(
            body.data.map(({ id }) => id),
            expected.map(({ id }) => id),
          );
          for (const [at, row] of body.data.entries()) assertShows(row, expected[at]!);
          continue;
        }
        const known = model[each.which];
        if (known === undefined) continue;
        if (each.do === 'delete') {
          const gone = await server.call('DELETE', `/api/v1/contact-policies?id=${known.id}`);
          assert.deepEqual([gone.status, gone.body], [200, { deleted: true, warnings: [] }]);
          assert.equal((await server.call('DELETE', `/api/v1/contact-policies?id=${known.id}`)).status, 400);
          model.splice(each.which, 1);
          continue;
        }
        if (each.do === 'change') {
          const { name: wanted, priority: level, status: state } = each;
          const rowVersion = known.version - each.behind;
          const answer = await put(known.id, { name: wanted, priority: level, status: state, rowVersion });
          if (each.behind > 0) assert.deepEqual([answer.status, answer.body.code], [409, 'row_version_conflict']);
          else if (isTaken(wanted, known)) assert.deepEqual([answer.status, answer.body.code], [409, 'duplicate_name']);
          else {
            Object.assign(known, { name: wanted, priority: level, status: state, version: known.version + 1 });
            assertShows(answer.body, known);
          }
          continue;
        }
        const body = each.do === 'assign' ? { scopes: each.targets.map(sent) } : sent(each.target);
        const answer = await put(known.id, body);
        assert.equal(answer.status, 200, answer.text);
        known.version += 1;
        known.targets = unique(each.do === 'assign' ? each.targets : [each.target]);
        assertShows(answer.body, known);
      }
      for (const { id } of model) await server.call('DELETE', `/api/v1/contact-policies?id=${id}`);
    }),
    { ...randomCases(25), interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
  );
});
