// Runs in one of 2 turns: resources.test.ts writes and reads files of every resource in each.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PolicyChange } from '@arbiter/contract';
import fc from 'fast-check';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { seedOfTurn } from '../form.ts';
import { type Calls, callsOf, type Made } from './catalogue.ts';

/**
 * Makes random changes through the API, then applies the earlier files: the plan lists exactly the changed objects with
 * their actions, and applying restores the old bytes. The oracle is a list of names with one word each.
 */

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 12 });
});
after(() => server?.close());

interface Kind {
  readonly path: string;
  /** Body of a new record. */
  body(name: string, number: number): object;
  /** A change that always makes a difference. */
  change(number: number): object;
}

const kinds: readonly Kind[] = [
  {
    path: 'offers',
    body: (name, number) => ({ name, priority: number % 100, tags: [name], metadata: { number } }),
    change: (number) => ({ shortDesc: `text ${number}`, metadata: { number, at: [number] } }),
  },
  {
    path: 'categories',
    body: (name, number) => ({ name, ordinal: number, customFields: [{ key: 'k', type: 'number' }] }),
    change: (number) => ({ description: `text ${number}` }),
  },
  {
    path: 'channels',
    body: (name) => ({ name, key: name, channelType: 'web', fileConfig: { format: 'csv' } }),
    change: (number) => ({ description: `text ${number}`, fileConfig: { format: 'ndjson' } }),
  },
  {
    // Deleting archives it, and the file restores it.
    path: 'content',
    body: (name, number) => ({ name, channelType: 'web', content: { number }, blocks: [{ id: 'a', type: 'divider' }] }),
    change: (number) => ({ content: { number, more: null }, blocks: [] }),
  },
  {
    // A deleted type keeps its key, and the file restores it.
    path: 'outcome-types',
    body: (name, number) => ({ name, key: name.replaceAll('-', '_'), classification: 'neutral', ordinal: number }),
    change: (number) => ({ description: `text ${number}`, ordinal: 1000 + number }),
  },
  {
    path: 'contact-policies',
    body: (name) => ({ name, scope: 'global', ruleType: 'cooldown', config: { cooldownHours: 1 } }),
    change: (number) => ({ config: { cooldownHours: 2 + number } }),
  },
  {
    path: 'ranking-profiles',
    body: (name) => ({ name, key: name, weights: { margin: 1 } }),
    change: (number) => ({ weights: { margin: 1 / (1 + number), propensity: 0.5 } }),
  },
  {
    path: 'schemas',
    body: (name) => ({
      name: name.replaceAll('-', '_'),
      displayName: name,
      fields: [{ name: 'id', dataType: 'text', isPrimaryKey: true }],
    }),
    change: (number) => ({ description: `text ${number}` }),
  },
];

type Step =
  | { readonly do: 'make'; readonly kind: number }
  | { readonly do: 'change' | 'delete' | 'change and back'; readonly which: number };

const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('make' as const), kind: fc.nat(kinds.length - 1) }),
    fc.record({ do: fc.constantFrom('change', 'delete', 'change and back'), which: fc.nat() }),
  ) as fc.Arbitrary<Step>,
  { minLength: 1, maxLength: 12 },
);

interface Known {
  readonly kind: Kind;
  readonly made: Made;
  readonly isOld: boolean;
  /** Null: unchanged. */
  state: 'changed' | 'deleted' | null;
}

async function take(calls: Calls, known: Known[], step: Step, number: number): Promise<void> {
  if (step.do === 'make') {
    const kind = kinds[step.kind]!;
    const made = await calls.make(kind.path, kind.body(`new-${number}`, number));
    known.push({ kind, made, isOld: false, state: null });
    return;
  }
  const live = known.filter(({ state }) => state !== 'deleted');
  const one = live[step.which % live.length];
  if (one === undefined) return;
  const { kind, made } = one;
  if (step.do === 'delete') {
    const answer = await server.call('DELETE', `/api/v1/${kind.path}/${made.id}`, { key: keyOf(calls) });
    assert.ok(answer.status < 300, answer.text);
    one.state = 'deleted';
    return;
  }
  const change = kind.change(number);
  const before = await calls.must<Made>('GET', `${kind.path}/${made.id}`, undefined, 200);
  await calls.change(kind.path, made.id, change);
  if (step.do === 'change') {
    one.state = 'changed';
    return;
  }
  const back = Object.fromEntries(Object.keys(change).map((name) => [name, before[name]]));
  await calls.change(kind.path, made.id, back);
}

const keys = new WeakMap<Calls, string>();
const keyOf = (calls: Calls): string => keys.get(calls)!;

const word = ({ action, type, ref }: Pick<PolicyChange, 'action' | 'type' | 'ref'>) =>
  `${action} ${type} ${String(ref)}`;

const nameOf = ({ kind, made }: Known): string => String(kind.path === 'schemas' ? made.name : (made.key ?? made.name));

/** What the old files must do: restore what was deleted or changed, and remove what is new. */
const expected = (known: readonly Known[]): string[] =>
  known
    .flatMap((one) => {
      const of = (action: PolicyChange['action']) => [word({ action, type: one.kind.path, ref: nameOf(one) })];
      if (one.isOld && one.state === 'deleted') return of('create');
      if (one.isOld && one.state === 'changed') return of('update');
      return !one.isOld && one.state !== 'deleted' ? of('delete') : [];
    })
    .sort();

test('random changes: a plan of the old files lists exactly them, and applying it restores the old bytes', async () => {
  let tenantsUsed = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const tenant = server.tenants[tenantsUsed++ % server.tenants.length]!;
      const calls = callsOf(server, tenant);
      keys.set(calls, tenant.keys.admin);
      await calls.apply({ files: [], prune: true, allowDataLoss: true });
      const known: Known[] = [];
      for (const [at, kind] of kinds.entries()) {
        for (const name of [`old-${at}`, `older-${at}`]) {
          known.push({ kind, made: await calls.make(kind.path, kind.body(name, at)), isOld: true, state: null });
        }
      }
      const { files, hash } = await calls.export();
      for (const [number, step] of taken.entries()) await take(calls, known, step, number + 1);

      const plan = await calls.diff({ files, prune: true, allowDataLoss: true });
      assert.deepEqual(plan.changes.map(word).sort(), expected(known));
      await calls.apply({ files, prune: true, allowDataLoss: true, expectedConfigVersion: plan.configVersion });
      const again = await calls.export();
      assert.deepEqual(again.files, files);
      assert.equal(again.hash, hash);
      assert.deepEqual((await calls.drift()).changes, []);
    }),
    { numRuns: 12, ...seedOfTurn(), endOnFailure: true },
  );
});
