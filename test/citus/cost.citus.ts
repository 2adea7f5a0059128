import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Cost, type MeasuredServer, shownCost, startMeasured, totalOf } from './measured-server.ts';

// Processor time of a decision: one database and clusters of one and two workers, alternating within a run, and the load of one, two
// and four tenants on one and two workers.

const rounds = 5;
const maxTimes = 1.3;
/** Measured for the guide: planning on the coordinator costs about the same again. */
const throughCoordinator = 'two workers, through the coordinator';

const started: MeasuredServer[] = [];
after(async () => {
  for (const server of started) await server.close();
});

async function start(...options: Parameters<typeof startMeasured>): Promise<MeasuredServer> {
  const server = await startMeasured(...options);
  started.push(server);
  return server;
}

interface Kind {
  readonly name: string;
  readonly measure: () => Promise<Cost>;
}

/**
 * Measures in turns. Returns the lowest cost of each kind, in order: all servers share a process, and a round in which it compiles
 * or collects the garbage of another one costs up to twice as much.
 */
async function lowestOf(kinds: readonly Kind[]): Promise<readonly { readonly name: string; readonly cost: Cost }[]> {
  for (const { measure } of kinds) await measure();
  const costs = new Map<string, Cost[]>(kinds.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, measure } of kinds) costs.get(name)!.push(await measure());
  }
  return kinds.map(({ name }) => {
    const [lowest] = costs.get(name)!.toSorted((a, b) => totalOf(a) - totalOf(b));
    return { name, cost: lowest! };
  });
}

test('a decision on a cluster takes at most 1.3 times the processor time', async (t) => {
  const single = await start({ workers: 0 });
  const one = await start({ workers: 1, isDirect: true });
  const two = await start({ workers: 2, isDirect: true });
  const through = await start({ workers: 2 });
  const [alone, ...others] = await lowestOf([
    { name: 'one database', measure: () => single.measure() },
    { name: 'one worker', measure: () => one.measure() },
    { name: 'two workers', measure: () => two.measure() },
    { name: throughCoordinator, measure: () => through.measure() },
  ]);
  assert.ok(alone !== undefined);
  t.diagnostic(`${alone.name}: ${shownCost(alone.cost)}`);
  for (const { name, cost } of others) {
    const times = totalOf(cost) / totalOf(alone.cost);
    t.diagnostic(`${name}: ${shownCost(cost)}, ${times.toFixed(2)} times`);
    if (name !== throughCoordinator) assert.ok(times <= maxTimes, `${name}: ${times.toFixed(2)} times`);
  }
});

test('two workers share the load of several tenants, at the same cost per decision', async (t) => {
  const one = await start({ workers: 1, isDirect: true, tenants: 4 });
  const two = await start({ workers: 2, isDirect: true, tenants: 4 });
  const kinds = [1, 2, 4].flatMap((tenants) => [
    { name: `${tenants} tenants on 1 worker`, measure: () => one.measure(tenants) },
    { name: `${tenants} tenants on 2 workers`, measure: () => two.measure(tenants) },
  ]);
  const costs = await lowestOf(kinds);
  for (const { name, cost } of costs) t.diagnostic(`${name}: ${shownCost(cost)}`);
  for (const { name, cost } of costs.filter((each) => /[24] tenants on 2/.test(each.name))) {
    const [, first = 0, second = 0] = cost.serversMs;
    const share = first / (first + second);
    assert.ok(share > 0.3 && share < 0.7, `${name}: the first worker has ${(share * 100).toFixed(0)} % of the work`);
  }
});
