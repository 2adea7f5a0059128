import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Contacts,
  compile,
  decide,
  diffResults,
  foldContacts,
  type Json,
  needsOfferCategories,
  openReferences,
  policyProblems,
  resolveTarget,
  resultOf,
  ruleProblems,
  validateFlow,
} from '../src/index.ts';
import { type CaseSource, readCase } from './conformance/case.ts';

function made(source: Omit<CaseSource, 'name' | 'expect'>) {
  const read = readCase(JSON.parse(JSON.stringify({ ...source, name: 'test', expect: {} })));
  const plan = compile(read.snapshot);
  return { plan, input: read.input(plan) };
}

test('resolveTarget names what the caller must correct', () => {
  const { plan } = made({
    channels: [
      { id: 'e1', channelType: 'email' },
      { id: 'e2', channelType: 'email' },
      { id: 'w', channelType: 'web' },
    ],
    placements: [
      { id: 'p1', channelId: 'w', key: 'p2', name: 'x' },
      { id: 'p2', channelId: 'w', key: 'k', name: 'y' },
    ],
    inactivePlacements: [{ id: 'p3', channelId: 'off', name: 'z', channelType: 'web', couplingMode: 'partial' }],
  });
  const ask = (request: Partial<Parameters<typeof resolveTarget>[1]>) =>
    resolveTarget(plan, { channel: null, channelId: null, placement: null, placements: null, ...request });
  assert.deepEqual(ask({}).problem, null);
  assert.equal(ask({ channelId: 'nope' }).problem?.code, 'reference_not_found');
  assert.equal(ask({ channelId: 'w', channel: 'email' }).problem?.code, 'validation_failed');
  assert.equal(ask({ channel: 'fax' }).emptyReason, 'no_channel');
  assert.deepEqual(ask({ channel: 'email' }).channels, new Uint8Array([1, 1, 0]));
  // An id beats a key: only the first kind that matches counts.
  assert.deepEqual(ask({ placement: 'p2' }).placements, [1]);
  assert.equal(ask({ placement: 'p2', channel: 'email' }).emptyReason, 'no_placement');
  assert.equal(
    ask({
      placements: [
        { placementId: 'p1', limit: null },
        { placementId: 'zz', limit: null },
      ],
    }).problem?.path,
    '/placements/1/placementId',
  );
  const one = (placementId: string, more: Partial<Parameters<typeof resolveTarget>[1]>) =>
    ask({ placements: [{ placementId, limit: null }], ...more });
  const foreign = {
    code: 'validation_failed',
    path: '/placements/0/placementId',
    message: 'must be a placement of the requested channel',
  };
  assert.deepEqual(one('p1', { channelId: 'e1' }).problem, foreign);
  assert.deepEqual(one('p1', { channel: 'email' }).problem, foreign);
  assert.deepEqual(one('p3', { channelId: 'w' }).problem, foreign);
  assert.deepEqual(one('p3', { channel: 'email' }).problem, foreign);
  // A channel that is not in the plan is one that is not active when a placement of it is.
  assert.equal(one('p3', { channelId: 'off', channel: 'web' }).problem, null);
  assert.equal(one('p3', { channelId: 'off' }).emptyReason, 'placement_inactive');
  assert.equal(one('p1', { channelId: 'nope' }).problem?.path, '/channelId');
  assert.equal(one('p1', {}).problem, null);
});

test('reports each finished stage to an observer, and nothing else', () => {
  const { plan, input } = made({
    nodes: [
      { id: 'i', type: 'inventory' },
      { id: 'f', type: 'filter' },
      { id: 's', type: 'score', config: { method: 'priority_weighted' } },
      { id: 'r', type: 'rank' },
      { id: 'c', type: 'compute', config: { formulaExtras: [{ key: 'a', formula: '1' }] } },
      { id: 'p', type: 'set_properties', config: { properties: [{ key: 'b', value: 2, target: 'response' }] } },
    ],
    offers: [{ id: 'A' }],
  });
  const seen: string[] = [];
  const observe = (...told: unknown[]) => void seen.push(told.join(' '));
  decide(plan, input, { observe });
  assert.deepEqual(seen, [
    ...['inventory i', 'filter f', 'match_creatives ', 'qualify ', 'suppression ', 'contact_policy ', 'mandatory '],
    ...['score s', 'rank r', 'admission ', 'rank r', 'coupling ', 'response ', 'compute c', 'set_properties p'],
    ...['compute c', 'set_properties p', 'response '],
  ]);
  seen.length = 0;
  const nowhere = { ...input, request: { ...input.request, channel: 'fax' } };
  decide(plan, nowhere, { observe });
  assert.deepEqual(seen, ['compute c', 'set_properties p']);
});

test('the plan lists what it can read', () => {
  const { plan } = made({
    tenant: { timezone: 'Europe/Berlin' },
    nodes: [
      { id: 'i', type: 'inventory' },
      {
        id: 'e',
        type: 'enrich',
        config: {
          sources: [{ schemaId: 's2', prefix: 'b_' }],
          lookupKey: 'account',
          lookupFrom: 'customer.account_id',
        },
      },
      { id: 's', type: 'score', config: { method: 'priority_weighted' } },
      {
        id: 'c',
        type: 'compute',
        config: {
          formulaExtras: [{ key: 'a', formula: 'customer.b_limit + attributes.boost + request.context.step' }],
        },
      },
    ],
    offers: [{ id: 'A', tags: ['Travel'], schedule: { startHour: 9, timezone: 'Asia/Tokyo' } }],
    creatives: [{ id: 'A-c', content: { subject: 'Dear {first_name}' } }],
    rules: [
      {
        id: 'r',
        config: { attribute: 'age', operator: 'gte', value: 1 },
        scopes: [{ scope: 'segment', scopeId: 'gold' }],
      },
    ],
    policies: [{ id: 'p', config: { windows: [{ max: 1, days: 60 }], maxPerWeek: 2 } }],
    schemas: [
      {
        id: 's1',
        name: 'one',
        schemaType: 'customer',
        autoEnrich: true,
        rowKey: 'customer_id',
        columns: ['customer_id', 'age', 'salary', 'account_id'].map((name) => ({
          name,
          dataType: 'varchar',
          neverStore: false,
        })),
      },
      {
        id: 's2',
        name: 'two',
        schemaType: 'account',
        autoEnrich: false,
        rowKey: 'id',
        columns: ['id', 'limit', 'balance'].map((name) => ({ name, dataType: 'varchar', neverStore: false })),
      },
    ],
  });
  assert.deepEqual(plan.profileFields, [
    'account_id',
    'age',
    'b_limit',
    'first_name',
    'interests',
    'preferred_channel',
    'preferred_product_type',
  ]);
  assert.deepEqual(plan.autoSources, [{ schemaId: 's1', rowKey: 'customer_id', columns: ['age', 'account_id'] }]);
  assert.deepEqual(plan.enrichSources, [
    {
      nodeId: 'e',
      position: 0,
      schemaId: 's2',
      rowKey: 'id',
      columns: ['limit'],
      lookupColumn: 'id',
      lookupFrom: 'customer.account_id',
      prefix: 'b_',
      trip: 1,
    },
  ]);
  assert.deepEqual(plan.zones, ['Europe/Berlin', 'Asia/Tokyo']);
  assert.equal(plan.logHorizonMs, 60 * 86_400_000);
  assert.deepEqual(plan.reads, {
    attributes: ['boost', 'interests', 'propensityScores'],
    context: ['step'],
    segments: ['gold'],
    interests: ['travel'],
    evidenceRanks: false,
    objectiveCounts: false,
  });
});

test('hides values outside profileFields, and prototypes', () => {
  const { plan, input } = made({
    rules: [
      { id: 'r', stage: 'match', config: { attribute: 'constructor', operator: 'exists' } },
      { id: 'q', stage: 'match', config: { attribute: 'attributes.toString', operator: 'exists' } },
    ],
    profile: { secret: 1 },
  });
  assert.equal(decide(plan, input).items[0]?.scoreComponents.fitMultiplier, 0.25);
});

test('caps hold over any series of decisions, and are used up while there are enough candidates', () => {
  const offers = Array.from({ length: 12 }, (_, at) => ({
    id: `o${at}`,
    priority: (at * 31) % 97,
    categoryId: `k${at % 3}`,
  }));
  const policies = [
    { id: 'day', config: { maxPerDay: 7 } },
    { id: 'each', config: { maxTotal: 2, per: 'offer' as const } },
    { id: 'kind', config: { maxPerMonth: 4, per: 'category' as const } },
    {
      id: 'pair',
      config: { maxPerWeek: 1 },
      scopes: [
        { scope: 'offer', scopeId: 'o1' },
        { scope: 'offer', scopeId: 'o2' },
      ],
    },
  ];
  const contacts: { offerId: string; at: string }[] = [];
  let random = 7;
  for (let round = 0; round < 40; round++) {
    random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fffffff;
    const { plan, input } = made({ offers, policies, contacts, request: { limit: 1 + (random % 5) } });
    const { items } = decide(plan, input);
    for (const { offerId } of items) contacts.push({ offerId, at: '2026-11-20T11:00:00Z' });
  }
  const count = (test: (offerId: string) => boolean): number => contacts.filter(({ offerId }) => test(offerId)).length;
  assert.equal(contacts.length, 7);
  for (const { id } of offers) assert.ok(count((offerId) => offerId === id) <= 2, id);
  for (const k of ['k0', 'k1', 'k2'])
    assert.ok(count((offerId) => offers.find(({ id }) => id === offerId)?.categoryId === k) <= 4, k);
  assert.ok(count((offerId) => offerId === 'o1') <= 1 && count((offerId) => offerId === 'o2') <= 1);
});

test('one plan serves decisions of different sizes in any order', () => {
  const { plan, input } = made({
    channels: [{ id: 'web', channelType: 'web' }],
    placements: [
      { id: 'p1', maxSlots: 3 },
      { id: 'p2', maxSlots: 3 },
    ],
    offers: Array.from({ length: 20 }, (_, at) => ({ id: `o${at}` })),
  });
  const placements = ['p1', 'p2'].map((placementId) => ({ placementId, limit: null }));
  const inputs = [
    input,
    { ...input, request: { ...input.request, placements } },
    { ...input, request: { ...input.request, excludeOffers: ['o0', 'o1'], limit: 50 } },
  ];
  const alone = inputs.map((one) => JSON.stringify(decide(plan, one)));
  for (const order of [
    [2, 1, 0],
    [1, 1, 2],
    [0, 2, 1],
  ]) {
    for (const at of order) assert.equal(JSON.stringify(decide(plan, inputs[at]!)), alone[at]);
  }
});

test('content and personalization without tokens are one frozen object per plan', () => {
  const { plan, input } = made({
    offers: [{ id: 'A' }, { id: 'B', priority: 10 }],
    creatives: [
      { id: 'A-c', offerId: 'A', content: { subject: 'fixed' }, personalization: [{ variable: 'v', fallback: 1 }] },
      {
        id: 'B-c',
        offerId: 'B',
        content: { subject: 'Dear {job}' },
        personalization: [{ variable: 'job', source: 'customer.job' }],
      },
    ],
    profile: { job: 'cook' },
  });
  const [first, second] = [input, { ...input, request: { ...input.request, customerId: 'C2' } }].map(
    (one) => decide(plan, one).items,
  );
  for (const key of ['content', 'personalization'] as const) {
    assert.equal(first?.[0]?.[key], second?.[0]?.[key]);
    assert.ok(Object.isFrozen(first?.[0]?.[key]));
    assert.notEqual(first?.[1]?.[key], second?.[1]?.[key]);
  }
});

test('evidence that is looked up once counts as it stands now', () => {
  const { plan, input } = made({
    offers: [{ id: 'A' }, { id: 'B' }],
    nodes: [
      { id: 'i', type: 'inventory' },
      { id: 's', type: 'score', config: { method: 'propensity' } },
    ],
  });
  const pairs = new Map<string, [number, number]>([['A', [60, 40]]]);
  const none = [0, 0] as const;
  let asked = 0;
  let pairsOf = {};
  const ask = (id: string): readonly [number, number] => {
    asked += 1;
    return pairs.get(id) ?? none;
  };
  const scores = (): unknown => {
    const evidence = { ...input.evidence, offer: ask, pairsOf };
    return decide(plan, { ...input, evidence }).items.map(({ offerId, score }) => [offerId, score]);
  };
  assert.deepEqual(scores(), [
    ['A', 0.6],
    ['B', 0.5],
  ]);
  pairs.get('A')![1] = 140;
  assert.deepEqual(scores(), [
    ['B', 0.5],
    ['A', 0.3],
  ]);
  assert.equal(asked, 2);
  pairs.set('B', [10, 90]);
  pairsOf = {};
  assert.deepEqual(scores(), [
    ['A', 0.3],
    ['B', 0.1],
  ]);
});

test("a decision that throws doesn't affect later ones", () => {
  const offers = Array.from({ length: 6 }, (_, at) => ({ id: `o${at}`, mandatory: at === 5 }));
  const { plan, input } = made({
    offers,
    nodes: [
      { id: 'i', type: 'inventory' },
      { id: 'p', type: 'contact_policy' },
      { id: 's', type: 'score', config: { method: 'formula' } },
    ],
    policies: [
      { id: 'p', config: { maxTotal: 2, per: 'offer' } },
      { id: 'c', ruleType: 'cooldown', config: { cooldownHours: 1 } },
    ],
    contacts: offers.map(({ id }) => ({ offerId: id, at: '2026-11-20T09:00:00Z' })),
  });
  const before = JSON.stringify(decide(plan, input));
  for (let at = 0; at < offers.length; at++) {
    const offer = (id: string): readonly [number, number] => {
      if (id === `o${at}`) throw new Error('lost');
      return [1, 2];
    };
    assert.throws(() => decide(plan, { ...input, evidence: { ...input.evidence, offer } }), /lost/);
    assert.equal(JSON.stringify(decide(plan, input)), before);
  }
});

test('lanes outside every window and cooldown change nothing, however many there are', () => {
  const { plan, input } = made({
    offers: Array.from({ length: 30 }, (_, at) => ({ id: `o${at}` })),
    policies: [
      { id: 'w', config: { maxPerWeek: 1, per: 'offer' } },
      { id: 'c', ruleType: 'cooldown', config: { cooldownHours: 48, per: 'creative' } },
    ],
    contacts: Array.from({ length: 8 }, (_, at) => ({
      offerId: `o${at * 3}`,
      at: `2026-11-${`${20 - at * 2}`.padStart(2, '0')}T08:00:00Z`,
    })),
  });
  const { contacts } = input;
  const old = Array.from({ length: 2000 }, (_, at) => ({
    offerId: `o${at % 40}`,
    creativeId: `old-${at}`,
    channelId: 'email',
    campaignId: null,
  }));
  const longAgo = input.now - 400 * 86_400_000;
  const many = {
    lanes: [...old, ...contacts.lanes],
    lastAt: [...old.map(() => longAgo), ...contacts.lastAt],
    counts: contacts.counts.map((counts) => [...old.map(() => 0), ...counts]),
  };
  assert.deepEqual(decide(plan, { ...input, contacts: many }), decide(plan, input));
  assert.ok(decide(plan, input).summary.droppedByReason.contact_policy);
});

test('a match rule in two qualify nodes lowers the fit once', () => {
  const rules = [
    { id: 'r', stage: 'match' as const, config: { attribute: 'age', operator: 'gte', value: 40, penalty: 0.4 } },
  ];
  const fitOf = (nodes: number): number | undefined => {
    const { plan, input } = made({
      nodes: [
        { id: 'i', type: 'inventory' },
        ...Array.from({ length: nodes }, (_, at) => ({ id: `q${at}`, type: 'qualify' })),
        { id: 's', type: 'score', config: { method: 'priority_weighted' } },
      ],
      rules,
      profile: { age: 17 },
    });
    return decide(plan, input).items[0]?.scoreComponents.fitMultiplier;
  };
  assert.deepEqual([1, 2, 3].map(fitOf), [0.4, 0.4, 0.4]);
});

test('a contact dated ahead has no negative age', () => {
  const { plan, input } = made({
    policies: [{ id: 'c', ruleType: 'cooldown', config: { cooldownHours: 24 } }],
    contacts: [{ offerId: 'A', at: '2026-11-20T15:00:00Z' }],
  });
  const rows = decide(plan, input, { trace: true }).trace?.contactPolicyResults;
  assert.deepEqual(
    rows?.map((row) => [
      (row as { readonly [key: string]: Json }).reason,
      (row as { readonly [key: string]: Json }).detail,
    ]),
    [['cooldown active: 0 of 24 h at scope=global', { cooldownHours: 24, hoursSinceLast: 0 }]],
  );
});

test('schemas with a parent are not auto-enriched; a missing lookup column is the primary key', () => {
  const column = (name: string) => ({ name, dataType: 'varchar', neverStore: false });
  const customer = {
    schemaType: 'customer',
    autoEnrich: true,
    rowKey: 'customer_id',
    columns: [column('customer_id'), column('age')],
  };
  const { plan } = made({
    nodes: [
      { id: 'i', type: 'inventory' },
      {
        id: 'e',
        type: 'enrich',
        config: {
          sources: [{ schemaId: 'own' }, { schemaId: 'keyed' }],
          lookupKey: 'account',
          lookupFrom: 'attributes.account',
        },
      },
      { id: 's', type: 'score', config: { method: 'priority_weighted' } },
    ],
    rules: [{ id: 'r', config: { attribute: 'age', operator: 'exists' } }],
    schemas: [
      { ...customer, id: 'child', name: 'child', linked: true },
      { ...customer, id: 'own', name: 'own', autoEnrich: true },
      {
        ...customer,
        id: 'keyed',
        name: 'keyed',
        autoEnrich: false,
        primaryKey: 'no',
        columns: [column('no'), column('customer_id')],
      },
    ],
  });
  assert.deepEqual(
    plan.autoSources.map(({ schemaId }) => schemaId),
    ['own'],
  );
  assert.deepEqual(
    plan.enrichSources.map(({ schemaId, lookupColumn }) => [schemaId, lookupColumn]),
    [
      ['own', 'customer_id'],
      ['keyed', 'no'],
    ],
  );
});

test('a placement closed by its targeting gets no item, even if others in the request are open', () => {
  for (const creatives of [undefined, []]) {
    const { plan, input } = made({
      placements: [{ id: 'p1', targeting: { field: 'attributes.member', operator: 'eq', value: true } }, { id: 'p2' }],
      nodes: [
        { id: 'i', type: 'inventory' },
        { id: 'm', type: 'match_creatives', config: { requireCreative: false } },
        { id: 's', type: 'score', config: { method: 'priority_weighted' } },
      ],
      offers: [{ id: 'A' }, { id: 'B' }],
      ...(creatives === undefined ? {} : { creatives }),
      request: { placement: 'banner' },
    });
    const shown = (member: boolean) =>
      decide(plan, { ...input, request: { ...input.request, attributes: { member } } }).items.map((item) => [
        item.placementId,
        item.rank,
        item.placementRank,
      ]);
    assert.deepEqual(shown(false), [['p2', 1, 1]]);
    assert.deepEqual(shown(true), [
      ['p1', 1, 1],
      ['p2', 2, 1],
    ]);
  }
});

test('a flow refers to records by ID in any case', () => {
  const id = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00';
  const { plan, input } = made({
    channels: [{ id, channelType: 'email' }],
    offers: [{ id: 'a' }, { id: 'b' }],
    nodes: [
      { id: 'i', type: 'inventory', config: { scope: 'offers', offerIds: ['A'] } },
      { id: 'm', type: 'match_creatives', config: { channelIds: [id.toUpperCase()] } },
      {
        id: 's',
        type: 'score',
        config: { method: 'priority_weighted', overrides: [{ channelId: id.toUpperCase(), method: 'propensity' }] },
      },
    ],
  });
  const { items } = decide(plan, input);
  assert.deepEqual(
    items.map(({ offerId, score }) => [offerId, score]),
    [['a', 0.5]],
  );
});

test('a score node without a method takes the method of the flow', () => {
  const config = {
    version: 2,
    nodes: [
      { id: 'i', type: 'inventory' },
      { id: 's', type: 'score', config: { minScore: 0.1 } },
    ],
    flowConfig: { scoring: { method: 'propensity' } },
  };
  assert.deepEqual(validateFlow(config, openReferences, { use: 'publish' }).errors, []);
  const { plan, input } = made({ nodes: config.nodes, flowConfig: config.flowConfig });
  assert.equal(decide(plan, input).items[0]?.score, 0.5);
});

test('formats dates with the offset of their own day', () => {
  const { plan, input } = made({
    tenant: {
      timezone: 'Europe/Berlin',
      offsets: [
        [Date.parse('2026-03-29T01:00:00Z'), 7_200_000],
        [Date.parse('2026-10-25T01:00:00Z'), 3_600_000],
      ],
    },
    nodes: [
      { id: 'i', type: 'inventory' },
      { id: 's', type: 'score', config: { method: 'priority_weighted' } },
      {
        id: 'c',
        type: 'compute',
        config: {
          formulaExtras: [
            { key: 'day', formula: 'format_date(attributes.t, "DD.MM.YYYY HH:mm")', outputType: 'text' },
            { key: 'now', formula: 'format_date(now(), "HH:mm")', outputType: 'text' },
          ],
        },
      },
    ],
    request: { attributes: { t: '2026-07-01T22:30:00Z' } },
  });
  assert.deepEqual(decide(plan, input).items[0]?.personalization, { day: '02.07.2026 00:30', now: '13:00' });
});

test('differences of results are JSON Pointers, at most 200', () => {
  const { plan, input } = made({ offers: [{ id: 'A' }, { id: 'B' }] });
  const result = resultOf(decide(plan, input));
  assert.deepEqual(diffResults(result, resultOf(decide(plan, input))), []);
  assert.deepEqual(diffResults({ a: [1, { 'x/y': null }], b: 1 }, { a: [1, { 'x/y': 2 }, 3], c: 1 }), [
    { path: '/a/1/x~1y', recorded: null, replayed: 2 },
    { path: '/a/2', recorded: null, replayed: 3 },
    { path: '/b', recorded: 1, replayed: null },
    { path: '/c', recorded: null, replayed: 1 },
  ]);
  const long = Array.from({ length: 300 }, (_, at) => at);
  assert.equal(
    diffResults(
      long,
      long.map((value) => value + 1),
    ).length,
    200,
  );
});

test("foldContacts counts the log, totals and open reservations, and doesn't change its input", () => {
  const { plan, input } = made({});
  const clock = input.zones.UTC!;
  const lane = { offerId: 'A', creativeId: null, channelId: null, campaignId: null };
  const contacts: Contacts = {
    lanes: [lane],
    totals: [9],
    lastAt: [input.now - 5],
    log: [
      { lane: 0, at: clock.dayStart - 1 },
      { lane: 0, at: clock.dayStart },
      { lane: 0, at: clock.dayEnd - 1 },
      { lane: 0, at: clock.dayEnd },
    ],
    keptFrom: 0,
    reservations: [
      { id: 'a', lane: 0, at: input.now - 1, expiresAt: input.now },
      { id: 'b', lane: 0, at: input.now, expiresAt: input.now + 1 },
    ],
  };
  const before = JSON.stringify(contacts);
  const windows = [{ kind: 'day' }, { kind: 'alltime' }, { kind: 'rolling', ms: 86_400_000 }] as const;
  const folded = foldContacts(contacts, windows, input.now, clock);
  // The contact at the end of the day is later than the decision because of a wrong clock. It counts.
  assert.deepEqual(folded, { lanes: [lane], lastAt: [input.now], counts: [[4], [10], [5]] });
  const named = foldContacts(contacts, windows, input.now, clock, { isNamed: true });
  assert.deepEqual(named.counts, [[3], [10], [3]], 'for an instant that the caller names, windows end');
  assert.equal(JSON.stringify(contacts), before);
  assert.deepEqual(
    foldContacts(
      { ...contacts, lanes: [], totals: [], lastAt: [], log: [], reservations: [] },
      plan.windows,
      input.now,
      clock,
    ).counts,
    [[], []],
  );
});

test("foldContacts drops lanes that don't affect the plan, and decides the same", () => {
  const { plan, input } = made({
    offers: [{ id: 'A' }, { id: 'B', priority: 40 }, { id: 'C', priority: 30 }],
    policies: [
      { id: 'w', config: { maxPerWeek: 1, per: 'offer' } },
      { id: 'c', ruleType: 'cooldown', config: { cooldownHours: 24 * 45, per: 'offer' } },
    ],
  });
  const clock = input.zones.UTC!;
  const dayMs = 86_400_000;
  // Seen today, felt by the cooldown only, felt by nothing, reserved.
  const ages = [0, 40 * dayMs, 45 * dayMs, 300 * dayMs];
  const lanes = ['A', 'B', 'C', 'C'].map((offerId, at) => ({
    offerId,
    creativeId: `${at}`,
    channelId: null,
    campaignId: null,
  }));
  const contacts: Contacts = {
    lanes,
    totals: [1, 1, 1, 1],
    lastAt: ages.map((age) => input.now - age),
    log: [...ages.entries()].reverse().map(([lane, age]) => ({ lane, at: input.now - age })),
    keptFrom: 0,
    reservations: [{ id: 'r', lane: 3, at: input.now - 5, expiresAt: input.now + 5 }],
  };
  const whole = foldContacts(contacts, plan.windows, input.now, clock);
  const felt = foldContacts(contacts, plan.windows, input.now, clock, { longestCooldownMs: plan.longestCooldownMs });
  assert.equal(plan.longestCooldownMs, 45 * dayMs);
  assert.deepEqual(felt.lanes, [lanes[0], lanes[1], lanes[3]]);
  assert.deepEqual(felt.lastAt, [input.now, input.now - 40 * dayMs, input.now - 5]);
  assert.deepEqual(
    felt.counts,
    whole.counts.map((counts) => [counts[0], counts[1], counts[3]]),
  );
  const [one, other] = [whole, felt].map((folded) => decide(plan, { ...input, contacts: folded }, { trace: true }));
  assert.deepEqual(one, other);
  const everSeen = [{ kind: 'alltime' }] as const;
  assert.equal(
    foldContacts(contacts, everSeen, input.now, clock, { longestCooldownMs: plan.longestCooldownMs }).lanes.length,
    4,
  );
});

test('checks configs of rules and policies on write', () => {
  const paths = (problems: readonly { readonly path: string }[]): string[] => problems.map(({ path }) => path);
  assert.deepEqual(policyProblems('frequency_cap', {}), []);
  assert.deepEqual(
    paths(
      policyProblems('frequency_cap', {
        maxPerDay: -1,
        per: 'customer',
        windows: [{ max: 1 }],
        withinCampaignId: '',
        excludeCampaignIds: [],
        bypassable: 'no',
      }),
    ),
    ['/maxPerDay', '/windows/0', '/withinCampaignId', '/excludeCampaignIds', '/per', '/bypassable'],
  );
  assert.deepEqual(paths(policyProblems('cooldown', {})), ['/cooldownHours']);
  assert.deepEqual(
    paths(policyProblems('do_not_contact', { condition: { field: 'age', operator: 'like', value: 1 } })),
    ['/condition/operator'],
  );
  assert.deepEqual(paths(policyProblems('budget_exhausted', {})), ['/budgetField', '/threshold']);
  assert.deepEqual(paths(ruleProblems('attribute_condition', { penalty: 2 })), ['/penalty', '/attribute', '/operator']);
  assert.deepEqual(ruleProblems('attribute_condition', { attribute: 'age', operator: 'in', value: [1, 2] }), []);
  assert.deepEqual(
    paths(ruleProblems('offer_attribute', { attribute: 'margin', operator: 'between', valueFrom: 'customer.range' })),
    [],
  );
  assert.deepEqual(paths(ruleProblems('recency_check', {})), ['/attribute', '/maxDays']);
  const policy = { id: 'p', name: 'p', ruleType: 'cooldown', priority: 1, createdAt: 0 };
  assert.equal(needsOfferCategories([{ ...policy, config: {}, scopes: [{ scope: 'global', scopeId: null }] }]), false);
  assert.equal(
    needsOfferCategories([{ ...policy, config: { per: 'category' }, scopes: [{ scope: 'global', scopeId: null }] }]),
    true,
  );
});
