import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { TestServer, TestTenant } from '../../packages/server/src/main/test-server.ts';
import { seedOfTurn } from '../form.ts';
import { createWorld, type Entry, type Fields, type Kind, type Verdict, type World } from './record-world.ts';

/** One call of a random sequence. Numbers choose among what there is when it is made. */
type Step =
  | { readonly do: 'create'; readonly kind: number; readonly words: Words }
  | {
      readonly do: 'update';
      readonly kind: number;
      readonly which: number;
      readonly words: Words;
      readonly names: readonly ('name' | 'status' | 'ordinal' | 'parents')[];
      readonly rowVersion: 'none' | 'right' | 'wrong';
      readonly byPath: boolean;
    }
  | { readonly do: 'remove'; readonly kind: number; readonly which: number; readonly byPath: boolean }
  | {
      readonly do: 'list';
      readonly kind: number;
      readonly limit: number;
      readonly filter: 'none' | 'status' | 'parent';
      readonly which: number;
      readonly includeDeleted: boolean;
    };

interface Words {
  readonly name: number;
  readonly status: number;
  readonly ordinal: number;
  readonly parent: number;
}

const number = (maximum: number) => fc.integer({ min: 0, max: maximum });
const words: fc.Arbitrary<Words> = fc.record({
  name: number(3),
  status: number(3),
  ordinal: number(2),
  parent: number(30),
});
const kind = number(9);
const which = number(30);

/** Creations are frequent, so that there is something to change; few names, so that they collide. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('create' as const), kind, words }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('update' as const),
      kind,
      which,
      words,
      names: fc.subarray(['name', 'status', 'ordinal', 'parents'] as const),
      rowVersion: fc.constantFrom('none', 'none', 'right', 'wrong'),
      byPath: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), kind, which, byPath: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      kind,
      limit: fc.integer({ min: 1, max: 4 }),
      filter: fc.constantFrom('none', 'status', 'parent'),
      which,
      includeDeleted: fc.boolean(),
    }),
  },
);

interface Answer {
  readonly id: string;
  readonly code?: string;
  readonly version: number;
  readonly deletedAt: string | null;
  readonly cascaded?: number;
}

interface Page {
  readonly data: readonly (Answer & Record<string, unknown>)[];
  readonly pagination: { readonly total: number; readonly hasMore: boolean; readonly nextCursor: string | null };
}

const pick = <T>(list: readonly T[], at: number): T | undefined =>
  list.length === 0 ? undefined : list[at % list.length];

let runsSoFar = 0;

/** Plays random sequences against the server and the oracle, which must agree on every answer and on the remaining state. */
export async function playRecords(
  server: TestServer,
  kinds: readonly Kind[],
  { runs, steps }: { readonly runs: number; readonly steps: number },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: steps / 2, maxLength: steps, size: 'max' }), async (sequence) => {
      runsSoFar += 1;
      const tenant = server.tenants[runsSoFar % server.tenants.length]!;
      const player = createPlayer(server, tenant, createWorld(kinds), `m${runsSoFar}x`);
      for (const one of sequence) await player.play(one);
      await player.compareAll();
    }),
    { numRuns: runs, ...seedOfTurn() },
  );
}

/** `mark`: in every name of this run, so that its records can be distinguished from those of others. */
function createPlayer(server: TestServer, tenant: TestTenant, world: World, mark: string) {
  function call<Body = Answer>(method: string, path: string, body?: unknown) {
    return server.call<Body>(method, `/api/v1/${path}`, {
      key: tenant.keys.admin,
      ...(body === undefined ? {} : { body }),
    });
  }

  function kindAt(at: number): Kind {
    return pick(world.kinds, at)!;
  }

  /** A record of the kind, sometimes a deleted one, or an unknown id. */
  function target(kind: string, at: number): { readonly id: string; readonly entry: Entry | null } {
    const entry = at % 10 === 9 ? undefined : pick(world.of(kind), at);
    return entry === undefined ? { id: randomUUID(), entry: null } : { id: entry.id, entry };
  }

  function parents(kind: Kind, at: number): Fields {
    return Object.fromEntries(
      kind.parents.map(({ property, kind: parent, required }, place) => {
        if (!required && (at + place) % 3 === 0) return [property, null];
        return [property, target(parent, at + place).id];
      }),
    );
  }

  function fields(kind: Kind, { name, status, ordinal, parent }: Words): Fields {
    return {
      name: `${mark} ${'abcd'[name]}`,
      status: pick(kind.statuses, status)!,
      ...(kind.ordinal ? { ordinal } : {}),
      ...parents(kind, parent),
    };
  }

  function judged(verdict: Verdict, expected: number, answer: { status: number; body: Answer; text: string }): boolean {
    if (verdict.length > 0) {
      assert.ok(
        answer.status >= 400 && verdict.includes(String(answer.body.code)),
        `expected ${verdict.join(' or ')}: ${answer.status} ${answer.text}`,
      );
      return false;
    }
    assert.equal(answer.status, expected, answer.text);
    return true;
  }

  async function play(one: Step): Promise<void> {
    const kind = kindAt(one.kind);
    if (one.do === 'create') await create(kind, fields(kind, one.words));
    else if (one.do === 'update') await update(kind, one);
    else if (one.do === 'remove') await remove(kind, one.which, one.byPath);
    else await list(kind, one);
  }

  async function create(kind: Kind, fields: Fields): Promise<void> {
    const verdict = world.judgeCreate(kind.kind, fields);
    const answer = await call('POST', kind.kind, { ...kind.constant, ...fields });
    if (!judged(verdict, 201, answer)) return;
    world.create(kind.kind, answer.body.id, fields);
  }

  async function update(kind: Kind, one: Extract<Step, { do: 'update' }>): Promise<void> {
    const { id, entry } = target(kind.kind, one.which);
    const all = fields(kind, one.words);
    const wanted = new Set<string>([
      ...one.names.filter((name) => name !== 'parents'),
      ...(one.names.includes('parents') ? kind.parents.map(({ property }) => property) : []),
    ]);
    const changes = Object.fromEntries(Object.entries(all).filter(([property]) => wanted.has(property)));
    const current = entry?.version ?? 1;
    const rowVersion = one.rowVersion === 'none' ? null : one.rowVersion === 'right' ? current : current + 1;
    const verdict = world.judgeUpdate(kind.kind, entry, changes, rowVersion);
    const body = { ...changes, ...(rowVersion === null ? {} : { rowVersion }) };
    const answer = one.byPath
      ? await call('PUT', `${kind.kind}/${id}`, body)
      : await call('PUT', kind.kind, { id, ...body });
    if (!judged(verdict, 200, answer) || entry === null) return;
    world.update(entry, changes);
    assert.equal(answer.body.version, entry.version);
  }

  async function remove(kind: Kind, at: number, byPath: boolean): Promise<void> {
    const { id, entry } = target(kind.kind, at);
    const verdict = world.judgeRemove(entry, byPath ? 'path' : 'query');
    const answer = await call('DELETE', byPath ? `${kind.kind}/${id}` : `${kind.kind}?id=${id}`);
    if (!judged(verdict, kind.removal === 'empty' ? 204 : 200, answer) || entry === null) return;
    const cascaded = world.remove(entry);
    if (kind.removal === 'success') assert.deepEqual(answer.body, { success: true, id });
    if (kind.removal === 'cascaded') assert.deepEqual(answer.body, { success: true, id, cascaded });
  }

  async function list(kind: Kind, one: Extract<Step, { do: 'list' }>): Promise<void> {
    const parent = pick(kind.parents, one.which);
    const filter: Fields =
      one.filter === 'status'
        ? { status: pick(kind.statuses, one.which)! }
        : one.filter === 'parent' && parent !== undefined
          ? { [parent.property]: target(parent.kind, one.which).id }
          : {};
    await compareList(kind, filter, one.includeDeleted, one.limit);
  }

  /** Walks all pages of a list. */
  async function compareList(kind: Kind, filter: Fields, includeDeleted: boolean, limit: number): Promise<void> {
    const expected = world.list(kind.kind, filter, includeDeleted);
    const query = new URLSearchParams({ ...filter, search: mark.toUpperCase(), limit: String(limit) } as Record<
      string,
      string
    >);
    if (includeDeleted) query.set('includeDeleted', 'true');
    const seen: Page['data'][number][] = [];
    for (;;) {
      const { status, body, text } = await call<Page>('GET', `${kind.kind}?${query}`);
      assert.equal(status, 200, text);
      seen.push(...body.data);
      assert.equal(body.pagination.total, expected.length);
      assert.equal(body.pagination.hasMore, seen.length < expected.length);
      if (body.pagination.nextCursor === null) break;
      query.set('cursor', body.pagination.nextCursor);
    }
    const state = (row: { id: string; version: number }, deleted: boolean) => `${row.id} ${row.version} ${deleted}`;
    assert.deepEqual(
      seen.map((row) => state(row, row.deletedAt !== null)),
      expected.map((entry) => state(entry, entry.deleted)),
    );
    for (const [at, entry] of expected.entries()) {
      for (const [property, value] of Object.entries(entry.fields)) assert.equal(seen[at]?.[property], value, property);
    }
  }

  /** At the end: all records as the oracle has them, and one audit row for each version of each. */
  async function compareAll(): Promise<void> {
    for (const kind of world.kinds) await compareList(kind, {}, true, 200);
    const rows = await server.testDatabase.ownerQuery<{ id: string; versions: number[] }>(
      `select entity_id as id, array_agg(entity_version order by sequence) as versions
       from arbiter.audit_logs where entity_id = any($1) group by entity_id`,
      [world.entries.map(({ id }) => id)],
    );
    const versions = new Map(rows.map((row) => [row.id, row.versions]));
    for (const { id, version } of world.entries) {
      assert.deepEqual(
        versions.get(id),
        Array.from({ length: version }, (_, at) => at + 1),
      );
    }
  }

  return { play, compareAll };
}
