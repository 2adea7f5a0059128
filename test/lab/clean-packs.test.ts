// The policy compiler finds nothing in the flows of the demo packs, nor in variants of them in which everyone still gets
// what someone could get before (docs/design/lead.md 5): 300 in the long form.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { compile, type Json, type Snapshot } from '@arbiter/engine';
import { checkCatalogue, type Finding } from '@arbiter/lab';
import { packs } from '@arbiter/packs';
import { type Chance, chanceOf } from '../../packages/engine/test/corpus/chance.ts';
import { systemActor } from '../../packages/server/src/db/index.ts';
import { readPlanContent } from '../../packages/server/src/features/deciding/plans/index.ts';
import type { TestServer } from '../../packages/server/src/main/test-server.ts';
import { zoneClock } from '../../packages/server/src/platform/time/zones.ts';
import { sized } from '../form.ts';
import { startPackServer } from './pack-decisions.ts';

const flows = packs.flatMap((pack) => pack.flows.map(({ key }) => key)).length;
const variants = Math.ceil(sized('CLEAN_VARIANTS', { short: 30, long: 300 }) / flows);

type Config = Readonly<Record<string, Json>>;

/** Numbers of a config by name, changed. */
const withNumbers = (config: Config, change: (name: string, value: number) => number): Config =>
  Object.fromEntries(
    Object.entries(config).map(([name, value]) => [name, typeof value === 'number' ? change(name, value) : value]),
  );

/** Other priorities, limits, caps and pauses; some policies are left out. */
const varied = (snapshot: Snapshot, chance: Chance): Snapshot => ({
  ...snapshot,
  offers: snapshot.offers.map((offer) => ({ ...offer, priority: offer.priority + chance.int(-5, 5) })),
  rules: snapshot.rules.map((rule) => ({
    ...rule,
    priority: chance.int(1, 99),
    config: withNumbers(rule.config, (name, value) => (name === 'value' ? value + chance.int(-2, 2) : value)),
  })),
  policies: snapshot.policies
    .filter(() => chance.flip(0.85))
    .map((policy) => ({
      ...policy,
      config: withNumbers(policy.config, (name, value) =>
        /^max|Hours$/.test(name) ? value + chance.int(0, 3) : value,
      ),
    })),
});

const shown = ({ code, subject, message }: Finding): string => `${code} ${subject.name}: ${message}`;

for (const pack of packs) {
  describe(`pack ${pack.key}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startPackServer(pack);
    });
    after(() => server?.close());

    async function snapshotOf(flow: string): Promise<Snapshot> {
      const body = { customerId: pack.firstCustomer, decisionFlowKey: flow };
      const decided = await server.call('POST', '/api/v1/recommend', { body });
      assert.equal(decided.status, 200, decided.text);
      const [latest] = await server.testDatabase.ownerQuery<{ hash: Buffer }>(
        'select plan_hash as hash from arbiter.decisions order by id desc limit 1',
      );
      return server.database.withTenant(server.tenants[0].id, systemActor('test'), (tx) =>
        readPlanContent(tx, latest!.hash),
      );
    }

    for (const { key } of pack.flows) {
      test(`nothing is wrong with ${key} and its variants`, async () => {
        const original = await snapshotOf(key);
        let distinct = 0;
        for (let variant = 0; variant < variants; variant += 1) {
          const snapshot = variant === 0 ? original : varied(original, chanceOf(key, String(variant)));
          if (JSON.stringify(snapshot) !== JSON.stringify(original)) distinct += 1;
          const input = { snapshot, plan: compile(snapshot), now: Date.now(), clockAt: zoneClock };
          const { findings, contradictions } = checkCatalogue(input);
          const wrong = findings.filter(({ severity }) => severity !== 'info');
          assert.deepEqual(wrong.map(shown), [], `variant ${variant}`);
          assert.equal(contradictions, 0);
        }
        assert.equal(distinct, variants - 1);
      });
    }
  });
}
