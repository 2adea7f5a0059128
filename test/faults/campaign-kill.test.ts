// Runs in one of 2 turns: each kills one kind of long work, and kill, cap-kill and keyed-work-kill run in each.

// R4: the server is killed in the middle of a campaign's run, several times, next to recommend for the same customers. Every
// customer has one decision and one message, and no limit is exceeded: once with limits of the run, while chunks overlap, once
// without, while they decide at the same time, and once with the budget of an offer, while they don't overlap. CAMPAIGN_CUSTOMERS
// and CAMPAIGN_KILLS: size of the long form.
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { sized } from '../form.ts';
import { cap, type KilledServer, killInRun, startKilledServer } from './campaign-kills.ts';
import type { CampaignLimits } from './checkers/campaign-checker.ts';

const customers = sized('CAMPAIGN_CUSTOMERS', { short: 1_000, long: 100_000 });
const kills = sized('CAMPAIGN_KILLS', { short: 1, long: 5 });

let world: KilledServer;
before(async () => {
  world = await startKilledServer(['Limits', 'None', 'Budget']);
});
after(() => world?.stop());

const none = { maxTotalPerRun: null, maxPerOffer: null, maxPerChannel: null, budget: null };
const scenarios = [
  {
    name: 'with limits of the run',
    limits: {
      ...none,
      ...{ maxTotalPerRun: Math.floor(customers * 1.5), maxPerOffer: Math.floor(customers * 0.9) },
      maxPerChannel: Math.floor(customers * 1.4),
    },
  },
  // Chunks decide at the same time.
  { name: 'without limits', limits: none },
  { name: 'with a budget', limits: { ...none, budget: Math.floor(customers * 0.6) } },
];

for (const [tenant, { name, limits: own }] of scenarios.entries()) {
  test(`${kills} kills in a run over ${customers} customers next to recommend, ${name}`, (t) =>
    killed(t, world.installation.tenants[tenant]!.key, { customers, cap, ...own }));
}

async function killed(t: TestContext, key: string, limits: CampaignLimits): Promise<void> {
  const { findings, takeovers } = await killInRun(world, key, { kills, limits });
  assert.deepEqual(findings, []);
  t.diagnostic(`taken over after ${takeovers.map(Math.round).join(', ')} ms`);
}
