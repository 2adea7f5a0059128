// What a budget over all customers costs 64 parallel callers: no budget, one with room, one that is nearly used up, and a
// policy on a category. In turn within one run, so that the rows can be compared; through the product, without HTTP's
// sockets, durable. By hand:  node test/load/budget-bench.ts [rounds = 5] [decisions = 3000]
import { startTestServer } from '../../packages/server/src/main/test-server.ts';

const rounds = Number(process.argv[2] ?? 5);
const decisions = Number(process.argv[3] ?? 3_000);
const callers = 64;
const offers = 200;

const server = await startTestServer({ checkResponses: false });
const { ownerQuery } = server.testDatabase;
const tenantId = server.tenants[0].id;
async function call<Body = { id: string }>(method: 'POST' | 'PUT', path: string, body: object): Promise<Body> {
  const answer = await server.call<Body>(method, `/api/v1/${path}`, { body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}
const category = await call('POST', 'categories', { name: 'All' });
const email = await call('POST', 'channels', { name: 'Email', channelType: 'email', impressionMode: 'implicit' });
let first = '';
for (let i = 0; i < offers; i++) {
  const body = { name: `Offer ${i}`, status: 'active', categoryId: category.id, priority: i === 0 ? 90 : 50 };
  const offer = await call('POST', 'offers', body);
  if (i === 0) first = offer.id;
  await call('POST', 'creatives', { name: `Creative ${i}`, offerId: offer.id, channelId: email.id, status: 'active' });
}
const nodes = [
  { id: 'i', type: 'inventory', config: {} },
  { id: 'm', type: 'match_creatives', config: {} },
  { id: 'p', type: 'contact_policy', config: {} },
  { id: 's', type: 'score', config: { method: 'priority_weighted' } },
];
const flow = await call('POST', 'decision-flows', { key: 'main', name: 'Main', draftConfig: { version: 2, nodes } });
await call('POST', 'decision-flows/publish', { id: flow.id });

const cap = 1_000_000_000;
const budget = { budget: { lifetimeMaxImpressions: cap, costPerImpressionCents: 1 } };
const setBudget = (some: object) => call('PUT', 'offers', { id: first, ...some });
/** Impressions that are left of the budget; 0: it is used up. */
const setLeft = (left: number) =>
  ownerQuery(
    `update arbiter.volumes set impressions = $2 where tenant_id = $1 and kind = 'offer' and subject_id = $3`,
    [tenantId, cap - left, first],
  );

let customers = 0;
/** Decides with 64 callers at a time; answers with decisions a second. */
async function run(count: number): Promise<number> {
  const caller = { tenantId, credentialId: 'bench', ip: '127.0.0.1', userAgent: 'bench', idempotencyKey: null };
  let left = count;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left-- > 0) {
        customers = (customers + 1) % 20_000;
        const until = performance.now() + 60_000;
        await server.decisions.recommend(
          { ...caller, until },
          { customerId: `C${customers}`, channelId: email.id, limit: 1 },
        );
      }
    }),
  );
  return (count * 1000) / (performance.now() - startedAt);
}

/** The budget, with so much left. */
async function leave(left: number): Promise<void> {
  await setBudget(budget);
  await run(64);
  await setLeft(left);
}

const noPolicy = async (): Promise<void> => undefined;
const rows: readonly {
  name: string;
  before: () => Promise<unknown>;
  during?: () => Promise<unknown>;
  after: () => Promise<unknown>;
}[] = [
  { name: 'no budget', before: () => setBudget({ budget: {} }), after: noPolicy },
  {
    name: 'one budget with room',
    before: () => leave(cap),
    after: noPolicy,
  },
  {
    name: 'one budget, 100 left all the time',
    before: () => leave(100),
    // Continuously restore what the callers take.
    during: () => setLeft(100),
    after: noPolicy,
  },
  {
    name: 'one budget, used up',
    before: () => leave(0),
    after: noPolicy,
  },
];
let policy: string | null = null;
const withPolicy = {
  name: 'a policy on the category, with room',
  before: async () => {
    await setBudget({ budget: {} });
    const config = { budgetField: 'impressions', threshold: cap };
    const body = {
      name: `P ${customers} ${performance.now()}`,
      ruleType: 'budget_exhausted',
      scope: 'category',
      scopeId: category.id,
      config,
    };
    policy = (await call('POST', 'contact-policies', body)).id;
  },
  after: async () => {
    await server.call('DELETE', `/api/v1/contact-policies?id=${policy}`);
  },
};
const all = [...rows, withPolicy];
const rates = new Map<string, number[]>(all.map(({ name }) => [name, []]));
await run(2_000);
for (let round = 0; round < rounds; round++) {
  for (const row of all) {
    await row.before();
    await run(300);
    let going = true;
    const beside = (async () => {
      while (going && 'during' in row) {
        await row.during?.();
        await new Promise((done) => setTimeout(done, 10));
      }
    })();
    rates.get(row.name)!.push(await run(decisions));
    going = false;
    await beside;
    await row.after();
  }
}
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const base = rates.get('no budget')!;
console.log(`${callers} callers, ${offers} offers, ${decisions} decisions a row, ${rounds} rounds`);
for (const [name, values] of rates) {
  const ratios = values.map((value, round) => value / base[round]!);
  console.log(
    `${name.padEnd(40)} ${median(values).toFixed(0).padStart(6)} decisions/s   ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)})`,
  );
}
await server.close();
