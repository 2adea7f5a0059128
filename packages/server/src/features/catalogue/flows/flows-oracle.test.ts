import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { seedOfTurn } from '../../../../../../test/form.ts';
import { startTestServer, type TestServer, type TestTenant } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';

/**
 * Compares decision flows with a model: random calls, several at a time. The server's answers and final state must
 * match the model for at least one order of the parallel calls.
 */

const scored = (id: string) => ({
  version: 2,
  nodes: [
    { id, type: 'inventory', config: {} },
    { id: 'score', type: 'score', config: { method: 'propensity' } },
  ],
  flowConfig: {},
});
/** By number: one that can't be published, two that can, one that can't be stored. */
const drafts = [
  { version: 2, nodes: [], flowConfig: {} },
  scored('one'),
  scored('two'),
  { ...scored('x'), nodes: [scored('x').nodes[1], scored('x').nodes[1]] },
];
const unscored = 0;
const broken = 3;

/** A flow of the model; drafts by their number. */
interface Known {
  readonly key: string;
  readonly name: string;
  readonly status: string;
  readonly isDefault: boolean;
  readonly isProtected: boolean;
  readonly rowVersion: number;
  readonly draft: number;
  readonly published: readonly number[];
}
type Flows = ReadonlyMap<string, Known>;

type Call =
  | { readonly kind: 'create'; readonly key: string; readonly isDefault: boolean; readonly draft: number }
  | {
      readonly kind: 'update';
      readonly at: number;
      readonly guarded: boolean;
      readonly changes: { name?: string; status?: string; isDefault?: true; isProtected?: boolean; draft?: number };
    }
  | { readonly kind: 'publish'; readonly at: number; readonly guarded: boolean }
  | { readonly kind: 'delete'; readonly at: number; readonly guarded: boolean }
  | { readonly kind: 'restore'; readonly at: number; readonly version: number };

/** A call that was sent: to which flow, under which precondition, and what came back. */
interface Sent {
  readonly call: Call;
  readonly id: string;
  readonly rowVersion: number | undefined;
  readonly status: number;
  readonly code: unknown;
}

/** The model: status and state after one call. */
function apply(flows: Flows, { call, id, rowVersion }: Sent): { readonly status: number; readonly flows: Flows } {
  const same = (status: number) => ({ status, flows });
  const change = (flow: Known, more: Partial<Known>, base: Flows = flows) => ({
    status: 200,
    flows: new Map(base).set(id, { ...flow, ...more, rowVersion: flow.rowVersion + 1 }),
  });
  const withoutDefault = (except: string): Flows =>
    new Map(
      [...flows].map(([other, flow]) =>
        flow.isDefault && other !== except
          ? [other, { ...flow, isDefault: false, rowVersion: flow.rowVersion + 1 }]
          : [other, flow],
      ),
    );
  if (call.kind === 'create') {
    const { key, draft } = call;
    if (draft === broken) return same(400);
    if ([...flows.values()].some((flow) => flow.key === key)) return same(409);
    const made = { key, name: 'Flow', status: 'draft', isProtected: false, rowVersion: 1, draft, published: [] };
    const isDefault = call.isDefault || flows.size === 0;
    return { status: 201, flows: new Map(isDefault ? withoutDefault('') : flows).set(id, { ...made, isDefault }) };
  }
  const flow = flows.get(id);
  if (flow === undefined) return same(404);
  if (rowVersion !== undefined && rowVersion !== flow.rowVersion) return same(409);
  if (call.kind === 'restore') {
    const draft = flow.published[call.version - 1];
    return draft === undefined ? same(404) : change(flow, { draft });
  }
  if (call.kind === 'publish') {
    if (flow.draft === unscored) return same(422);
    return change(flow, { status: 'active', isProtected: true, published: [...flow.published, flow.draft] });
  }
  if (call.kind === 'delete') {
    if (flow.isProtected) return same(409);
    return { status: 200, flows: new Map([...flows].filter(([other]) => other !== id)) };
  }
  if (call.changes.draft === broken) return same(422);
  return change(flow, call.changes, call.changes.isDefault === true ? withoutDefault(id) : flows);
}

/** True when the calls could have run one after the other in some order, with these answers and this state at the end. */
function isExplained(flows: Flows, sent: readonly Sent[], end: Flows): boolean {
  if (sent.length === 0) return isDeepStrictEqual([...flows].sort(), [...end].sort());
  return sent.some((first, at) => {
    const rest = sent.toSpliced(at, 1);
    // A publish that lost a race changes nothing and reports it.
    const lost =
      first.code === 'concurrent_modification' && first.call.kind === 'publish' && sent.length + rest.length > 1;
    if (lost && isExplained(flows, rest, end)) return true;
    const { status, flows: next } = apply(flows, first);
    return !lost && status === first.status && isExplained(next, rest, end);
  });
}

const flag = fc.boolean();
const at = fc.nat({ max: 4 });
const draft = fc.nat({ max: 3 });
const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('create'),
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      isDefault: flag,
      draft,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('update'),
      at,
      guarded: flag,
      changes: fc.record(
        {
          name: fc.constantFrom('Flow', 'Other'),
          status: fc.constantFrom('draft', 'active', 'paused', 'archived'),
          isDefault: fc.constant(true),
          isProtected: flag,
          draft,
        },
        { requiredKeys: [] },
      ),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('publish', 'delete'), at, guarded: flag }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('restore'), at, version: fc.integer({ min: 1, max: 2 }) }) },
) as fc.Arbitrary<Call>;

/** Meets each outcome, which random calls may not. `at` counts the flows that exist, by key. */
const everyOutcome: Call[][] = [
  [{ kind: 'create', key: 'a', isDefault: false, draft: 1 }],
  [{ kind: 'create', key: 'a', isDefault: false, draft: 2 }],
  [{ kind: 'create', key: 'b', isDefault: false, draft: unscored }],
  [{ kind: 'publish', at: 1, guarded: false }],
  [{ kind: 'publish', at: 0, guarded: false }],
  [{ kind: 'delete', at: 0, guarded: false }],
  [{ kind: 'restore', at: 0, version: 1 }],
  // Both name the same row version.
  [
    { kind: 'update', at: 1, guarded: true, changes: { name: 'Other' } },
    { kind: 'update', at: 1, guarded: true, changes: { status: 'paused' } },
  ],
  [{ kind: 'delete', at: 1, guarded: false }],
];

const runs = 14;
let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: runs });
});
after(() => server.close());

async function send(tenant: TestTenant, flows: Flows, call: Call): Promise<Sent> {
  const ids = [...flows.keys()];
  const known = 'at' in call && ids.length > 0 ? ids[call.at % (ids.length + 1)] : undefined;
  const id = known ?? newId();
  const guard =
    'guarded' in call && call.guarded && call.kind !== 'delete' ? (flows.get(id)?.rowVersion ?? 1) : undefined;
  const guarded = guard === undefined ? {} : { rowVersion: guard };
  const request = (): [string, string, unknown] => {
    if (call.kind === 'create') {
      const { key, isDefault } = call;
      return ['POST', '', { key, name: 'Flow', isDefault, draftConfig: drafts[call.draft] }];
    }
    if (call.kind === 'publish') return ['POST', '/publish', { id, ...guarded }];
    if (call.kind === 'restore') return ['POST', '/restore-version', { id, version: call.version }];
    if (call.kind === 'delete') return ['DELETE', `/${id}`, undefined];
    const { draft, ...changes } = call.changes;
    return [
      'PUT',
      `/${id}`,
      { ...changes, ...guarded, ...(draft === undefined ? {} : { draftConfig: drafts[draft] }) },
    ];
  };
  const [method, path, body] = request();
  const answer = await server.call<{ id?: string; code?: string }>(method, `/api/v1/decision-flows${path}`, {
    body,
    key: tenant.keys.editor,
  });
  const made = call.kind === 'create' && answer.status === 201 ? String(answer.body.id) : id;
  return { call, id: made, rowVersion: guard, status: answer.status, code: answer.body?.code };
}

interface Shown extends Omit<Known, 'draft' | 'published'> {
  readonly id: string;
  readonly draftConfig: unknown;
  readonly publishedVersions: readonly { readonly version: number; readonly configSnapshot: unknown }[];
}

/** The server's state in the model's terms, by key. Versions are numbered from 1 without gaps. */
async function read(tenant: TestTenant): Promise<Flows> {
  const key = tenant.keys.viewer;
  const { body } = await server.call<{ data: { id: string }[] }>('GET', '/api/v1/decision-flows?limit=200', { key });
  const flows = await Promise.all(
    body.data.map(async ({ id }) => (await server.call<Shown>('GET', `/api/v1/decision-flows/${id}`, { key })).body),
  );
  const numberOf = (config: unknown) => drafts.findIndex((each) => isDeepStrictEqual(each, config));
  return new Map(
    flows
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map((flow) => {
        const { id, name, status, isDefault, isProtected, rowVersion } = flow;
        assert.deepEqual(
          flow.publishedVersions.map(({ version }) => version),
          flow.publishedVersions.map((_each, at) => at + 1),
        );
        const published = flow.publishedVersions.map(({ configSnapshot }) => numberOf(configSnapshot));
        return [
          id,
          {
            key: flow.key,
            name,
            status,
            isDefault,
            isProtected,
            rowVersion,
            draft: numberOf(flow.draftConfig),
            published,
          },
        ];
      }),
  );
}

it('match a model after any calls in any order, even in parallel', async () => {
  let next = 0;
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(call, { minLength: 1, maxLength: 4 }), { minLength: 12, maxLength: 24 }),
      async (batches) => {
        const tenant = server.tenants[next++] as TestTenant;
        let flows: Flows = new Map();
        for (const batch of batches) {
          const sent = await Promise.all(batch.map((each) => send(tenant, flows, each)));
          const end = await read(tenant);
          for (const {
            call: { kind },
            status,
          } of sent)
            seen.set(`${kind} ${status}`, (seen.get(`${kind} ${status}`) ?? 0) + 1);
          assert.ok(isExplained(flows, sent, end), JSON.stringify({ flows: [...flows], sent, end: [...end] }, null, 1));
          assert.ok([...end.values()].filter(({ isDefault }) => isDefault).length <= 1);
          flows = end;
        }
        // Each change has its audit row, one version per version.
        const rows = await server.testDatabase.ownerQuery<{ n: number; top: number }>(
          `select count(*)::int as n, max(entity_version)::int as top from arbiter.audit_logs
         where tenant_id = $1 and entity_type = 'decisionFlow' group by entity_id`,
          [tenant.id],
        );
        for (const { n, top } of rows) assert.equal(n, top);
      },
    ),
    // Each run has its own tenant, so a failure isn't shrunk.
    { numRuns: runs, ...seedOfTurn(), endOnFailure: true, examples: [[everyOutcome]] },
  );
  for (const outcome of [
    'create 201',
    'create 409',
    'update 200',
    'update 409',
    'publish 200',
    'publish 422',
    'delete 200',
    'delete 409',
    'restore 200',
  ]) {
    assert.ok(seen.has(outcome), `${outcome} never happened: ${JSON.stringify([...seen])}`);
  }
});
