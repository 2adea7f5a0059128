// The catalogue that benchmarks decide with: offers in 10 categories on 2 channels, 20 contact policies, 10 rules, a flow
// with a formula score; customers with profiles. Loaded through the public API, as a user would.

export interface BenchTarget {
  readonly url: string;
  readonly key: string;
}

export interface BenchCatalogue {
  readonly flowKey: string;
  readonly customers: { readonly prefix: string; readonly count: number; readonly digits: number };
}

/** Headers of a call with the tenant's key. */
export const headersOf = (target: BenchTarget): Record<string, string> => ({
  authorization: `Bearer ${target.key}`,
  'content-type': 'application/json',
  'x-requested-with': 'XMLHttpRequest',
});

/** POSTs and answers the body of a 2xx; anything else stops the benchmark. */
export async function post(target: BenchTarget, path: string, body: object): Promise<Record<string, unknown>> {
  const ask = () =>
    fetch(`${target.url}/api/v1/${path}`, {
      method: 'POST',
      headers: headersOf(target),
      body: JSON.stringify(body),
    });
  let response = await ask();
  // On a busy machine the server says when to retry: also when it can't count calls.
  for (let tries = 1; (response.status === 503 || response.status === 429) && tries < 20; tries += 1) {
    await response.arrayBuffer();
    await new Promise((done) => setTimeout(done, Number(response.headers.get('retry-after') ?? 1) * 1_000));
    response = await ask();
  }
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

export interface CatalogueSize {
  readonly offers: number;
  readonly customers: number;
  /** Caps so wide that a customer may have thousands of contacts in a month. */
  readonly looseCaps?: boolean;
}

export async function loadCatalogue(target: BenchTarget, size: CatalogueSize): Promise<BenchCatalogue> {
  const customers = { prefix: 'B-', count: size.customers, digits: 7 };
  const fields = [
    { name: 'customer_id', dataType: 'varchar', length: 32, isPrimaryKey: true, isNullable: false },
    { name: 'age', dataType: 'integer' },
    { name: 'balance', dataType: 'integer' },
    { name: 'segment', dataType: 'varchar', length: 16 },
    { name: 'preferred_channel', dataType: 'varchar', length: 16 },
  ];
  const schema = await post(target, 'schemas', {
    name: `bench_${size.offers}`,
    displayName: 'Bench customers',
    schemaType: 'customer',
    autoEnrich: true,
    fields: fields.map((field) => ({ displayName: field.name, ...field })),
  });
  for (let from = 0; from < size.customers; from += 10_000) {
    const rows = Array.from({ length: Math.min(10_000, size.customers - from) }, (_, i) => {
      const n = from + i + 1;
      return {
        customer_id: `${customers.prefix}${String(n).padStart(customers.digits, '0')}`,
        age: 18 + (n % 70),
        balance: (n * 7919) % 20_000,
        segment: ['mass', 'affluent', 'private'][n % 3],
        preferred_channel: n % 2 === 0 ? 'email' : 'web',
      };
    });
    await post(target, `schemas/${schema.id}/data`, { rows });
  }
  const categories: Record<string, unknown>[] = [];
  for (let i = 0; i < 10; i++) categories.push(await post(target, 'categories', { name: `Category ${i}` }));
  const email = await post(target, 'channels', { name: 'Email', channelType: 'email', impressionMode: 'implicit' });
  const web = await post(target, 'channels', { name: 'Web', channelType: 'web', impressionMode: 'implicit' });
  const offers: Record<string, unknown>[] = new Array(size.offers);
  await inParallel(size.offers, 8, async (i) => {
    const offer = await post(target, 'offers', {
      name: `Offer ${i}`,
      status: 'active',
      categoryId: categories[i % 10]!.id,
      priority: 20 + ((i * 37) % 80),
      businessValue: (i * 53) % 100,
      margin: (i * 17) % 40,
      revenueValue: (i * 29) % 500,
      tags: [`tag${i % 20}`],
      productType: `type${i % 6}`,
      shortDesc: `Offer number ${i}`,
    });
    offers[i] = offer;
    for (const channel of [email, web]) {
      await post(target, 'creatives', {
        name: `Creative ${i} ${channel.channelType}`,
        offerId: offer.id,
        channelId: channel.id,
        status: 'active',
        content: {
          subject: `Offer ${i} for you in {segment}`,
          headline: `Offer ${i}`,
          ctaUrl: 'https://shop.example/offer',
        },
        personalization: [{ variable: 'segment', source: 'customer.segment', fallback: 'mass' }],
      });
    }
  });
  for (let i = 0; i < 10; i++) {
    await post(target, 'qualification-rules', {
      name: `Rule ${i}`,
      ruleType: 'attribute_condition',
      stage: i < 8 ? 'eligibility' : 'match',
      scope: i < 5 ? 'category' : 'offer',
      scopeId: i < 5 ? categories[i]!.id : offers[i]!.id,
      config:
        i % 2 === 0
          ? { attribute: 'age', operator: 'gte', value: 18 + i }
          : { attribute: 'balance', operator: 'gte', value: 100 * i },
    });
  }
  const policies: { scope: string; scopeId?: unknown; ruleType: string; config: object }[] = [
    { scope: 'global', ruleType: 'frequency_cap', config: { maxPerDay: 50, maxPerWeek: 200, maxPerMonth: 500 } },
    { scope: 'global', ruleType: 'frequency_cap', config: { maxPerDay: 20, per: 'offer' } },
    { scope: 'global', ruleType: 'cooldown', config: { cooldownHours: 0, per: 'offer' } },
    { scope: 'global', ruleType: 'frequency_cap', config: { windows: [{ max: 300, days: 7 }] } },
    { scope: 'channel', scopeId: email.id, ruleType: 'frequency_cap', config: { maxPerDay: 40 } },
    { scope: 'channel', scopeId: web.id, ruleType: 'frequency_cap', config: { maxPerDay: 40 } },
    ...categories.map((c) => ({
      scope: 'category',
      scopeId: c.id,
      ruleType: 'frequency_cap',
      config: { maxPerDay: 30, maxPerWeek: 100 },
    })),
    ...offers
      .slice(0, 4)
      .map((o) => ({ scope: 'offer', scopeId: o.id, ruleType: 'frequency_cap', config: { maxPerMonth: 60 } })),
  ];
  for (const [i, policy] of policies.entries()) {
    const config = size.looseCaps ? loosened(policy.config) : policy.config;
    await post(target, 'contact-policies', { name: `Policy ${i}`, priority: 50 + i, ...policy, config });
  }
  const flowKey = `bench-${size.offers}`;
  await publishFlow(target, flowKey, 3);
  return { flowKey, customers };
}

/** The same policy with limits that no benchmark reaches. */
function loosened(config: object): object {
  const limits = /^(max|maxPer)/;
  const loose = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((each) => loosened(each as object));
    return limits.test(name) && typeof value === 'number' ? 100_000 : value;
  };
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, loose(value, name)]));
}

/** Publishes a flow of all stages that answers with at most `items`. */
export async function publishFlow(target: BenchTarget, flowKey: string, items: number): Promise<void> {
  const flow = await post(target, 'decision-flows', {
    key: flowKey,
    name: `Bench ${flowKey}`,
    draftConfig: {
      version: 2,
      nodes: [
        { id: 'inventory', type: 'inventory', config: {} },
        { id: 'creatives', type: 'match_creatives', config: {} },
        { id: 'qualify', type: 'qualify', config: {} },
        { id: 'policy', type: 'contact_policy', config: {} },
        { id: 'score', type: 'score', config: { method: 'formula' } },
        { id: 'rank', type: 'rank', config: { method: 'topN', topN: items } },
        {
          id: 'compute',
          type: 'compute',
          config: {
            formulaExtras: [{ key: 'rate', formula: 'round(19.99 - customer.age * 0.05, 2)', outputType: 'number' }],
          },
        },
        { id: 'response', type: 'response', config: {} },
      ],
      flowConfig: {},
    },
  });
  await post(target, 'decision-flows/publish', { id: flow.id });
}

/** Changes an offer's priority: a new version of the catalogue. */
export async function changeOffer(target: BenchTarget, offerId: string, priority: number): Promise<void> {
  const url = `${target.url}/api/v1/offers/${offerId}`;
  const headers = headersOf(target);
  const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify({ priority }) });
  if (!response.ok) throw new Error(`PUT offer: ${response.status} ${await response.text()}`);
}

/** IDs of some of the tenant's offers. */
export async function someOffers(target: BenchTarget): Promise<string[]> {
  const response = await fetch(`${target.url}/api/v1/offers?limit=20`, { headers: headersOf(target) });
  const body = (await response.json()) as { readonly data: readonly { readonly id: string }[] };
  return body.data.map(({ id }) => id);
}

async function inParallel(count: number, width: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) await work(next++);
    }),
  );
}
