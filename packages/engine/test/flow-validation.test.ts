import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FlowReferences, flowReferences, type Json, openReferences, validateFlow } from '../src/index.ts';

const known: FlowReferences = {
  ...openReferences,
  has: (_kind, id) => !id.startsWith('no-'),
  customFieldKeys: new Set(['fee']),
  columnsOf: (schema) => [`${schema}_key`, `${schema}_next`],
};
const inventory = { id: 'i', type: 'inventory', config: {} };
const score = { id: 's', type: 'score', config: { method: 'priority_weighted' } };

type Node = { readonly [key: string]: Json };
const flow = (nodes: readonly Json[], flowConfig: Json = {}): Json => ({ version: 2, nodes, flowConfig });
/** `code path` of every error. */
function errorsOf(config: unknown, use: 'draft' | 'publish' = 'draft'): string[] {
  const check = validateFlow(config, known, { use });
  assert.equal(check.valid, check.errors.length === 0);
  return check.errors.map((error) => `${error.class} ${error.code} ${error.path}`);
}
const errorsOfNode = (node: Node): string[] => {
  const phase1 = ['enrich', 'qualify', 'contact_policy', 'filter', 'match_creatives'].includes(`${node.type}`);
  if (node.type === 'inventory') return errorsOf(flow([node, score]));
  if (node.type === 'score') return errorsOf(flow([inventory, node]));
  return errorsOf(flow(phase1 ? [inventory, node, score] : [inventory, score, node]));
};

test('a full flow is valid in both uses', () => {
  const nodes = [
    { ...inventory, config: { scope: 'category', categoryIds: ['k'], autoInclude: true, includeStatuses: ['active'] } },
    {
      id: 'm',
      type: 'match_creatives',
      config: { requireCreative: false, placementMatchMode: 'exact', channelIds: ['c'] },
    },
    {
      id: 'e',
      type: 'enrich',
      config: {
        sources: [{ schemaId: 'x', fields: ['a'], prefix: 'p_', cacheTtlSeconds: 60 }],
        lookupKey: 'customer_id',
        lookupFrom: 'customer.account_id',
        onMissing: 'drop_all',
        excludeJoinIds: ['any'],
      },
    },
    { id: 'q', type: 'qualify', config: { mode: 'selected', ruleIds: ['r'], stages: ['fit'] } },
    { id: 'p', type: 'contact_policy', config: { mode: 'all', policyIds: [] } },
    {
      id: 'f',
      type: 'filter',
      name: 'Only good ones',
      position: { x: 1, y: 2 },
      config: {
        combinator: 'OR',
        conditions: [{ field: 'offer.priority', operator: 'gte', value: 3 }],
        contactPolicyIds: ['p'],
      },
    },
    {
      id: 's',
      type: 'score',
      config: {
        method: 'formula',
        formula: { propensityWeight: 0.4 },
        evidence: { offerMin: 10, smoothing: 0 },
        minPropensity: 0.1,
        minScore: 0,
        overrides: [{ channelType: 'push', method: 'propensity' }],
        modelKey: null,
      },
    },
    { id: 'r', type: 'rank', config: { method: 'topN', topN: 5, maxCandidates: 10 } },
    {
      id: 'c',
      type: 'compute',
      config: {
        formulaExtras: [
          { key: 'rate', formula: 'fee * 2', outputType: 'number' },
          { key: 'text', formula: "concat(rate, '!')", outputType: 'text' },
        ],
      },
    },
    {
      id: 't',
      type: 'set_properties',
      config: {
        properties: [
          { key: 'a', value: { any: [1] } },
          { key: 'b', formula: 'rate', target: 'decision' },
        ],
      },
    },
    { id: 'o', type: 'response', config: { responseFormat: 'grouped', includeFields: ['offerName'], limit: 3 } },
  ];
  const check = validateFlow(flow(nodes, { defaultLimit: 3 }), known, { use: 'publish' });
  assert.deepEqual(check, { valid: true, errors: [], warnings: [] });
});

test('checks shape first, and alone', () => {
  for (const config of [null, 7, 'x', [], {}, { version: 1 }, { version: '2' }, { nodes: [] }]) {
    assert.deepEqual(errorsOf(config), ['S version_not_2 /version']);
  }
  assert.deepEqual(errorsOf({ version: 2 }), ['S nodes_not_array /nodes']);
  assert.deepEqual(errorsOf(flow([])), []);
  assert.deepEqual(errorsOf(flow([inventory])), ['S too_few_nodes /nodes']);
  assert.deepEqual(errorsOf(flow([inventory, 7])), ['S node_shape /nodes/1']);
  assert.deepEqual(
    errorsOf(flow([inventory, { id: 'a b', type: 3, config: [], name: 'x'.repeat(101), enabled: 1, position: 5 }])),
    [
      'S node_shape /nodes/1/id',
      'S node_shape /nodes/1/type',
      'S node_shape /nodes/1/config',
      'S node_shape /nodes/1/name',
      'S node_shape /nodes/1/enabled',
      'S node_shape /nodes/1/position',
    ],
  );
  assert.deepEqual(errorsOf({ ...(flow([inventory, score]) as object), flowConfig: [] }), ['S node_shape /flowConfig']);
  assert.deepEqual(errorsOf(flow([inventory, { id: 'x', type: 'grouping' }, { id: 'y', type: 'constructor' }])), [
    'S unknown_node_type /nodes/1/type',
    'S unknown_node_type /nodes/2/type',
  ]);
  assert.deepEqual(errorsOf(flow(Array.from({ length: 501 }, (_, at) => ({ id: `n${at}`, type: 'filter' })))), [
    'S too_large /nodes',
  ]);
  assert.deepEqual(errorsOf(flow([inventory, { ...score, config: { note: 'é'.repeat(140_000) } }])), ['S too_large ']);
});

test('structure', () => {
  const q = { id: 'q', type: 'qualify' };
  const rank = { id: 'r', type: 'rank' };
  const response = { id: 'o', type: 'response' };
  assert.deepEqual(errorsOf(flow([inventory, { ...score, id: 'i' }])), ['P duplicate_id /nodes/1']);
  assert.deepEqual(errorsOf(flow([q, score])), ['P missing_inventory /nodes']);
  assert.deepEqual(errorsOf(flow([q, inventory])), ['P inventory_not_first /nodes/1']);
  assert.deepEqual(errorsOf(flow([inventory, { ...inventory, id: 'j' }])), ['P duplicate_node /nodes/1']);
  assert.deepEqual(errorsOf(flow([inventory, score, { ...score, id: 't' }])), ['P duplicate_node /nodes/2']);
  assert.deepEqual(errorsOf(flow([inventory, q, { ...q, id: 'q2' }])), []);
  assert.deepEqual(errorsOf(flow([inventory, score, q])), ['P phase_order /nodes/2']);
  assert.deepEqual(errorsOf(flow([inventory, rank, score])), ['P score_order /nodes/2']);
  assert.deepEqual(errorsOf(flow([inventory, score, response, { id: 'c', type: 'compute' }])), [
    'P response_not_last /nodes/2',
  ]);
  // Disabled nodes count as absent.
  assert.deepEqual(
    errorsOf(flow([inventory, score, { ...q, enabled: false }, { ...inventory, id: 'j', enabled: false }])),
    [],
  );
  assert.deepEqual(errorsOf(flow([{ ...inventory, enabled: false }, score])), ['P missing_inventory /nodes']);
});

test('every key has its type, range and words', () => {
  const cases: readonly (readonly [type: string, config: Node, path: string, code?: string])[] = [
    ['inventory', { scope: 'some' }, '/scope'],
    ['inventory', { offerIds: ['no-1'] }, '/offerIds/0', 'unknown_reference'],
    ['inventory', { categoryIds: 'k' }, '/categoryIds'],
    ['inventory', { categoryIds: Array.from({ length: 501 }, (_, at) => `k${at}`) }, '/categoryIds'],
    ['inventory', { includeStatuses: ['archived'] }, '/includeStatuses/0'],
    ['match_creatives', { requireCreative: 'yes' }, '/requireCreative'],
    ['match_creatives', { placementMatchMode: 'all' }, '/placementMatchMode'],
    ['match_creatives', { channelIds: ['no-1'] }, '/channelIds/0', 'unknown_reference'],
    ['enrich', { sources: [{}] }, '/sources/0/schemaId'],
    ['enrich', { sources: [{ schemaId: 'x', prefix: 'A' }] }, '/sources/0/prefix'],
    ['enrich', { sources: [{ schemaId: 'x', fields: ['a b'] }] }, '/sources/0/fields'],
    ['enrich', { lookupFrom: 'customer' }, '/lookupFrom'],
    ['enrich', { onMissing: 'drop' }, '/onMissing'],
    ['qualify', { mode: 'some' }, '/mode'],
    ['qualify', { stages: ['ranking'] }, '/stages/0'],
    ['contact_policy', { policyIds: [7] }, '/policyIds/0'],
    ['filter', { combinator: 'XOR' }, '/combinator'],
    ['filter', { contactPolicyIds: ['no-policy'] }, '/contactPolicyIds/0', 'unknown_reference'],
    ['filter', { conditions: [{ field: 'placement.name', operator: 'eq', value: 1 }] }, '/conditions/0/field'],
    ['filter', { conditions: [{ field: 'offer.name', operator: 'regex', value: '(' }] }, '/conditions/0/value'],
    ['score', { method: 'guess' }, '/method'],
    ['score', { formula: { propensityWeight: 5.1 } }, '/formula/propensityWeight'],
    ['score', { evidence: { offerMin: 0 } }, '/evidence/offerMin'],
    ['score', { minPropensity: 2 }, '/minPropensity'],
    ['score', { minScore: -1 }, '/minScore'],
    ['score', { modelKey: 'no-model' }, '/modelKey', 'unknown_reference'],
    ['score', { overrides: [{ method: 'formula' }] }, '/overrides/0'],
    ['score', { championChallenger: { enabled: 'yes' } }, '/championChallenger/enabled'],
    ['score', { shadowModelKeys: ['no-model'] }, '/shadowModelKeys/0', 'unknown_reference'],
    ['score', { strategyProfileId: 'no-profile' }, '/strategyProfileId', 'unknown_reference'],
    ['score', { strategyOverrides: [{ scope: 'offer', value: 'x', profileId: 'p' }] }, '/strategyOverrides/0/scope'],
    ['score', { computeShap: 'yes' }, '/computeShap'],
    ['score', { formula: { clvWeight: 2.1 } }, '/formula/clvWeight'],
    ['rank', { method: 'best' }, '/method'],
    ['rank', { topN: 0 }, '/topN'],
    ['rank', { method: 'diversity', topN: 3 }, '/topN'],
    ['rank', { maxPerCategory: 51 }, '/maxPerCategory'],
    ['compute', { formulaExtras: [{ key: '1a', formula: '1' }] }, '/formulaExtras/0/key'],
    ['compute', { formulaExtras: [{ key: '__proto__', formula: '1' }] }, '/formulaExtras/0/key'],
    ['compute', { formulaExtras: [{ key: 'a', formula: '1 +' }] }, '/formulaExtras/0/formula', 'formula_syntax'],
    ['compute', { formulaExtras: [{ key: 'a', formula: 'f(1)' }] }, '/formulaExtras/0/formula', 'formula_unknown_name'],
    [
      'compute',
      {
        formulaExtras: [
          { key: 'a', formula: 'b' },
          { key: 'b', formula: '1' },
        ],
      },
      '/formulaExtras/0/formula',
      'formula_unknown_name',
    ],
    [
      'compute',
      { formulaExtras: [{ key: 'a', formula: 'x'.repeat(2001) }] },
      '/formulaExtras/0/formula',
      'formula_limit',
    ],
    ['compute', { formulaExtras: [{ key: 'a', formula: '1', outputType: 'date' }] }, '/formulaExtras/0/outputType'],
    ['set_properties', { properties: [{ key: 'a' }] }, '/properties/0'],
    ['set_properties', { properties: [{ key: 'a', value: 'x'.repeat(4095) }] }, '/properties/0/value'],
    ['set_properties', { properties: [{ key: 'a', value: 1, formula: '1' }] }, '/properties/0/value'],
    ['response', { responseFormat: 'full' }, '/responseFormat'],
    ['response', { includeFields: ['secret'] }, '/includeFields/0'],
    ['response', { limit: 51 }, '/limit'],
  ];
  for (const [type, config, path, code = 'invalid_config'] of cases) {
    const at = ['inventory'].includes(type)
      ? 0
      : ['score'].includes(type) || ['enrich', 'qualify', 'contact_policy', 'filter', 'match_creatives'].includes(type)
        ? 1
        : 2;
    assert.deepEqual(
      errorsOfNode({ id: 'x', type, config }),
      [`P ${code} /nodes/${at}/config${path}`],
      JSON.stringify(config).slice(0, 80),
    );
  }
});

test('null stands for a default; unknown keys are kept and warned about', () => {
  const check = validateFlow(
    flow([{ ...inventory, config: { scope: null, color: 'red', 'a/b': 1 } }, score], { speed: 1 }),
    known,
    { use: 'draft' },
  );
  assert.equal(check.valid, true);
  assert.deepEqual(
    check.warnings.map(({ path, code }) => `${code} ${path}`),
    ['unknown_key /nodes/0/config/color', 'unknown_key /nodes/0/config/a~1b', 'unknown_key /flowConfig/speed'],
  );
});

test('applies the rules of use at publish only', () => {
  const empty = flow([
    { ...inventory, config: { scope: 'offers', offerIds: [] } },
    { id: 'q', type: 'qualify' },
  ]);
  assert.deepEqual(errorsOf(empty), []);
  assert.deepEqual(errorsOf(empty, 'publish'), [
    'U empty_scope /nodes/0/config/offerIds',
    'U scoring_not_configured /flowConfig/scoring/method',
  ]);
  assert.deepEqual(errorsOf(flow([inventory, { id: 's', type: 'score' }]), 'publish'), [
    'U scoring_not_configured /nodes/1/config/method',
  ]);
  assert.deepEqual(
    errorsOf(flow([inventory, { id: 'q', type: 'qualify' }], { scoring: { method: 'formula' } }), 'publish'),
    [],
  );
  assert.deepEqual(errorsOf(flow([inventory, { id: 'q', type: 'qualify' }], { scoring: { method: 'x' } })), [
    'P invalid_config /flowConfig/scoring/method',
  ]);
  assert.deepEqual(errorsOf(flow([]), 'publish'), [
    'P missing_inventory /nodes',
    'U scoring_not_configured /flowConfig/scoring/method',
  ]);
});

test('a chain of enrich nodes has at most three', () => {
  const read = (schemaId: string, lookupFrom: string, more: Node = {}): Node => ({
    id: schemaId,
    type: 'enrich',
    config: { sources: [{ schemaId, ...more }], lookupFrom },
  });
  const chain = [
    read('a', 'request.customerId'),
    read('b', 'customer.a_next'),
    read('c', 'customer.b_next.deeper'),
    read('d', 'customer.c_next'),
  ];
  assert.deepEqual(errorsOf(flow([inventory, ...chain.slice(0, 3), score])), []);
  assert.deepEqual(errorsOf(flow([inventory, ...chain, score])), ['P invalid_config /nodes/4/config/lookupFrom']);
  // Reads of auto-enriched rows don't form a chain, and neither do nodes that write other names or come later.
  const wide = ['a', 'b', 'c', 'd', 'e'].map((name) => read(name, 'customer.account_id'));
  assert.deepEqual(errorsOf(flow([inventory, ...wide, score])), []);
  assert.deepEqual(errorsOf(flow([inventory, ...chain.toReversed(), score])), []);
  for (const other of [{ prefix: 'p_' }, { fields: ['b_key'] }]) {
    const [a, , c, d] = chain;
    assert.deepEqual(errorsOf(flow([inventory, a!, read('b', 'customer.a_next', other), c!, d!, score])), []);
  }
  const prefixed = [
    chain[0]!,
    read('b', 'customer.a_next', { prefix: 'p_' }),
    read('c', 'customer.p_b_next'),
    chain[3]!,
  ];
  assert.deepEqual(errorsOf(flow([inventory, ...prefixed, score])), ['P invalid_config /nodes/4/config/lookupFrom']);
  const off = chain.map((node, at) => (at === 1 ? { ...node, enabled: false } : node));
  assert.deepEqual(errorsOf(flow([inventory, ...off, score])), []);
});

test('exploration has bounds', () => {
  const errors = (explore: Json) => errorsOf(flow([inventory, score], { explore }));
  for (const sound of [
    null,
    {},
    { rate: 0 },
    { rate: 0.2, poolSize: 2, fromRank: 50, channels: ['c', 'd'] },
    { rate: null },
  ])
    assert.deepEqual(errors(sound), [], JSON.stringify(sound));
  const wrong: readonly (readonly [Json, string])[] = [
    [0.05, 'P invalid_config /flowConfig/explore'],
    [[], 'P invalid_config /flowConfig/explore'],
    [{ rate: 0.21 }, 'P invalid_config /flowConfig/explore/rate'],
    [{ rate: -0.01 }, 'P invalid_config /flowConfig/explore/rate'],
    [{ rate: '0.1' }, 'P invalid_config /flowConfig/explore/rate'],
    [{ poolSize: 1 }, 'P invalid_config /flowConfig/explore/poolSize'],
    [{ poolSize: 51 }, 'P invalid_config /flowConfig/explore/poolSize'],
    [{ poolSize: 2.5 }, 'P invalid_config /flowConfig/explore/poolSize'],
    [{ fromRank: 0 }, 'P invalid_config /flowConfig/explore/fromRank'],
    [{ channels: 'web' }, 'P invalid_config /flowConfig/explore/channels'],
    [{ channels: ['c', 'no-c'] }, 'P unknown_reference /flowConfig/explore/channels/1'],
  ];
  for (const [explore, error] of wrong) assert.deepEqual(errors(explore), [error], JSON.stringify(explore));
  const { errors: told } = validateFlow(flow([inventory, score], { explore: 'often' }), known, { use: 'draft' });
  assert.equal(told[0]?.message, 'must be an object with rate, poolSize, fromRank and channels');
  const { warnings } = validateFlow(flow([inventory, score], { explore: { rates: 0.1 } }), known, { use: 'draft' });
  assert.deepEqual(
    warnings.map(({ code, path, nearest }) => [code, path, nearest]),
    [['unknown_key', '/flowConfig/explore/rates', 'rate']],
  );
  assert.deepEqual(flowReferences(flow([inventory, score], { explore: { channels: ['c'] } })), [
    { kind: 'channel', id: 'c' },
  ]);
});

test('hostile configs are rejected or harmless', () => {
  const hostile = JSON.parse(
    '{"version":2,"nodes":[{"id":"i","type":"inventory","config":{"__proto__":{"scope":"offers"},"constructor":1}},{"id":"s","type":"score","config":{"method":"__proto__"}}]}',
  );
  assert.deepEqual(errorsOf(hostile), ['P invalid_config /nodes/1/config/method']);
});

test('names what a flow refers to', () => {
  const config = flow([
    { ...inventory, config: { categoryIds: ['k', 'l'], offerIds: ['k'] } },
    { id: 'e', type: 'enrich', config: { sources: [{ schemaId: 'x' }] } },
    score,
  ]);
  assert.deepEqual(flowReferences(config), [
    { kind: 'category', id: 'k' },
    { kind: 'category', id: 'l' },
    { kind: 'offer', id: 'k' },
    { kind: 'schema', id: 'x' },
  ]);
});
