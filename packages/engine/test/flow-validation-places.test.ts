import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FlowReferences, type Json, type KnownFlow, openReferences, validateFlow } from '../src/index.ts';
import { nodeKinds } from '../src/nodes/node-kinds.ts';

const inventory = { id: 'i', type: 'inventory' };
const qualify = { id: 'q', type: 'qualify' };
const score = { id: 's', type: 'score', config: { method: 'propensity' } };
const rank = { id: 'r', type: 'rank' };
const compute = { id: 'c', type: 'compute' };
const unbuilt = [...nodeKinds.values()].filter((kind) => kind.unbuilt === true).map(({ type }) => type);
const sound = new Map<string, Json>([
  [
    'conditional',
    { conditions: [{ field: 'customer.age', operator: 'gt', value: 30 }], onTrue: { action: 'drop_all' } },
  ],
  ['call_flow', { flowKey: 'other', mode: 'merge' }],
  ['extension_point', { hook: 'post_rank', kind: 'formula', formula: 'score.total' }],
]);

const references: FlowReferences = {
  ...openReferences,
  has: (_kind, id) => !id.startsWith('no-'),
  webhooks: {
    urlProblem: (url) => (url.startsWith('https://') ? null : 'must be https'),
    headerProblem: (name) => (name === 'host' ? 'cannot be sent' : null),
  },
};
const flow = (nodes: readonly Json[], flowConfig: Json = {}): Json => ({ version: 2, nodes, flowConfig });
const errorsOf = (config: unknown, more: Partial<FlowReferences> = {}, use: 'draft' | 'publish' = 'draft') =>
  validateFlow(config, { ...references, ...more }, { use }).errors.map(({ code, path }) => `${code} ${path}`);
/** Returns the config errors of a node in a position where its type is allowed. */
function errorsOfConfig(type: string, config: Json): string[] {
  const node = { id: 'x', type, config };
  const nodes =
    type === 'conditional'
      ? [inventory, node, score, rank]
      : [inventory, score, ...(type === 'optimize' || type === 'call_flow' ? [node, rank] : [rank, node])];
  return errorsOf(flow(nodes)).map((error) => error.replace(/\/nodes\/[0-9]\/config/, ''));
}

describe('node types that cannot be run yet', () => {
  it('are rejected with one code, and only if nothing else is wrong', () => {
    for (const [type, config] of sound) {
      const at = type === 'conditional' ? 1 : type === 'optimize' || type === 'call_flow' ? 2 : 3;
      const found = errorsOfConfig(type, config);
      assert.deepEqual(found, unbuilt.includes(type) ? [`not_available /nodes/${at}/type`] : [], type);
      const wrong = flow([
        { ...inventory, config: { scope: 'some' } },
        { id: 'x', type, config, enabled: true },
        score,
      ]);
      assert.ok(!errorsOf(wrong).some((each) => each.startsWith('not_available')), type);
      // Disabled nodes count as absent.
      assert.deepEqual(errorsOf(flow([inventory, score, { id: 'x', type, config, enabled: false }])), [], type);
    }
    const keys: readonly [Json, string][] = [
      [
        { ...score, config: { method: 'formula', formula: { upliftWeight: 1 } } },
        '/nodes/1/config/formula/upliftWeight',
      ],
      [
        { id: 'o', type: 'optimize', config: { weights: { margin: 1 }, lagrangian: { enabled: true } } },
        '/nodes/1/config/lagrangian/enabled',
      ],
    ];
    for (const [node, path] of keys) {
      const scoring = { scoring: { method: 'propensity' } };
      assert.deepEqual(errorsOf(flow([inventory, node], scoring)), [`not_available ${path}`]);
    }
    const idle = { shadowModelKeys: [], strategyOverrides: [], computeShap: false, formula: { clvWeight: 0 } };
    assert.deepEqual(errorsOf(flow([inventory, { ...score, config: idle }])), []);
  });

  it('have a type, a range and words for every key', () => {
    const branch = (onTrue: Json) => ({ onTrue });
    const cases: readonly [type: string, config: Json, error: string][] = [
      [
        'conditional',
        { conditions: [{ field: 'offer.name', operator: 'eq', value: 1 }] },
        'invalid_config /conditions/0/field',
      ],
      ['conditional', { combinator: 'and' }, 'invalid_config /combinator'],
      ['conditional', branch('skip'), 'invalid_config /onTrue'],
      ['conditional', branch({ action: 'jump' }), 'invalid_config /onTrue/action'],
      ['conditional', branch({ action: 'skip_to' }), 'invalid_config /onTrue/nodeId'],
      ['conditional', branch({ action: 'call_flow' }), 'invalid_config /onTrue/flowKey'],
      ['conditional', branch({ action: 'call_flow', flowKey: 'no-flow' }), 'unknown_reference /onTrue/flowKey'],
      ['optimize', {}, 'invalid_config '],
      ['optimize', { profileId: 'p', weights: { margin: 1 } }, 'invalid_config '],
      ['optimize', { profileId: 'no-profile' }, 'unknown_reference /profileId'],
      ['optimize', { weights: { margin: 0 } }, 'invalid_config /weights'],
      ['optimize', { weights: {} }, 'invalid_config /weights'],
      ['optimize', { weights: { margin: 1.1 } }, 'invalid_config /weights/margin'],
      ['optimize', { weights: { margin: 1, profit: 1 } }, 'invalid_config /weights/profit'],
      ['optimize', { profileId: 'p', combine: 'mix' }, 'invalid_config /combine'],
      ['optimize', { profileId: 'p', blendFactor: 2 }, 'invalid_config /blendFactor'],
      ['optimize', { profileId: 'p', lagrangian: { enabled: 1 } }, 'invalid_config /lagrangian/enabled'],
      ['group', { allocation: 'best' }, 'invalid_config /allocation'],
      ['group', { placements: [{}] }, 'invalid_config /placements/0/placementId'],
      ['group', { placements: [{ placementId: 'no-p' }] }, 'unknown_reference /placements/0/placementId'],
      ['group', { placements: [{ placementId: 'p', maxSlots: 51 }] }, 'invalid_config /placements/0/maxSlots'],
      [
        'group',
        { placements: [{ placementId: 'p' }, { placementId: 'P' }] },
        'invalid_config /placements/1/placementId',
      ],
      [
        'group',
        { placements: Array.from({ length: 21 }, (_, at) => ({ placementId: `p${at}` })) },
        'invalid_config /placements',
      ],
      ['group', { placementWeights: { p: 10.1 } }, 'invalid_config /placementWeights/p'],
      ['group', { placementWeights: { 'no-p': 1 } }, 'unknown_reference /placementWeights/no-p'],
      ['group', { placementWeights: [] }, 'invalid_config /placementWeights'],
      ['group', { uniqueOffers: 1 }, 'invalid_config /uniqueOffers'],
      ['group', { allowPartial: 1 }, 'invalid_config /allowPartial'],
      ['call_flow', {}, 'invalid_config /flowKey'],
      ['call_flow', { flowKey: 'no-flow' }, 'unknown_reference /flowKey'],
      ['call_flow', { flowKey: 'f', mode: 'join' }, 'invalid_config /mode'],
      ['extension_point', {}, 'invalid_config /hook'],
      ['extension_point', { hook: 'after' }, 'invalid_config /hook'],
      ['extension_point', { hook: 'post_rank', kind: 'code' }, 'invalid_config /kind'],
      ['extension_point', { hook: 'post_rank', kind: 'formula' }, 'invalid_config /formula'],
      ['extension_point', { hook: 'post_rank', kind: 'formula', formula: '1 +' }, 'formula_syntax /formula'],
      ['extension_point', { hook: 'post_rank', kind: 'formula', formula: 'nothing' }, 'formula_unknown_name /formula'],
      ['extension_point', { hook: 'post_rank', kind: 'webhook' }, 'invalid_config /url'],
      ['extension_point', { hook: 'post_rank', url: 'ftp://x' }, 'invalid_config /url'],
      ['extension_point', { hook: 'post_rank', url: `https://x/${'y'.repeat(2000)}` }, 'invalid_config /url'],
      ['extension_point', { hook: 'post_rank', headers: [] }, 'invalid_config /headers'],
      ['extension_point', { hook: 'post_rank', headers: { a: 1 } }, 'invalid_config /headers/a'],
      ['extension_point', { hook: 'post_rank', headers: { host: 'x' } }, 'invalid_config /headers/host'],
      ['extension_point', { hook: 'post_rank', headers: { A: 'x', a: 'y' } }, 'invalid_config /headers/a'],
      [
        'extension_point',
        { hook: 'post_rank', headers: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`x${at}`, 'y'])) },
        'invalid_config /headers',
      ],
      ['extension_point', { hook: 'post_rank', timeoutMs: 49 }, 'invalid_config /timeoutMs'],
      ['extension_point', { hook: 'post_rank', timeoutMs: 2001 }, 'invalid_config /timeoutMs'],
      ['extension_point', { hook: 'post_rank', onError: 'stop' }, 'invalid_config /onError'],
    ];
    for (const [type, config, error] of cases) {
      assert.deepEqual(errorsOfConfig(type, config), [error], `${type} ${JSON.stringify(config).slice(0, 90)}`);
    }
  });

  it('do not include those that rank', () => {
    const taken: readonly [type: string, config: Json][] = [
      ['optimize', { weights: { margin: 1, fairness: 0 }, combine: 'blend', blendFactor: 0.5 }],
      ['optimize', { profileId: 'p', combine: 'replace', lagrangian: { enabled: false } }],
      [
        'group',
        { allocation: 'greedy', placements: [{ placementId: 'p', maxSlots: 50 }], placementWeights: { p: 10 } },
      ],
      ['group', { uniqueOffers: false, allowPartial: true }],
    ];
    for (const [type, config] of taken) assert.deepEqual(errorsOfConfig(type, config), [], type);
    const scored = (config: { readonly [key: string]: Json }) =>
      errorsOf(flow([inventory, { ...score, config: { method: 'formula', ...config } }])).map((error) =>
        error.replace('/nodes/1/config', ''),
      );
    const entry = { scope: 'channel', value: 'Mail', profileId: 'p' };
    assert.deepEqual(scored({ strategyProfileId: 'p', strategyOverrides: [entry] }), []);
    assert.deepEqual(scored({ strategyProfileId: 'no-profile' }), ['unknown_reference /strategyProfileId']);
    const strategies: readonly [Json, string][] = [
      [{ ...entry, scope: 'offer' }, 'invalid_config /strategyOverrides/0/scope'],
      [{ ...entry, value: 'no-channel' }, 'unknown_reference /strategyOverrides/0/value'],
      [{ ...entry, scope: 'category', value: 'no-category' }, 'unknown_reference /strategyOverrides/0/value'],
      [{ ...entry, profileId: 'no-profile' }, 'unknown_reference /strategyOverrides/0/profileId'],
      [{ ...entry, value: '' }, 'invalid_config /strategyOverrides/0/value'],
    ];
    for (const [one, error] of strategies) assert.deepEqual(scored({ strategyOverrides: [one] }), [error]);
    // Product types are no records.
    assert.deepEqual(scored({ strategyOverrides: [{ ...entry, scope: 'productType', value: 'no-card' }] }), []);
    const many = (count: number) => ({ strategyOverrides: Array.from({ length: count }, () => entry) });
    assert.deepEqual([scored(many(20)), scored(many(21))], [[], ['invalid_config /strategyOverrides']]);
  });

  it('keep the rules of shares between champion and challengers', () => {
    const champions = (champion: Json, challengers: Json) =>
      errorsOf(
        flow([inventory, { ...score, config: { championChallenger: { enabled: true, champion, challengers } } }]),
      ).map((error) => error.replace('/nodes/1/config/championChallenger', ''));
    const half = { modelKey: 'm', weight: 50 };
    assert.deepEqual(champions(half, [half]), []);
    assert.deepEqual(champions(half, [{ modelKey: 'n', weight: 49.9 }]), ['invalid_config ']);
    assert.deepEqual(champions(half, []), ['invalid_config /challengers', 'invalid_config ']);
    assert.deepEqual(champions(null, [half]), ['invalid_config /champion', 'invalid_config ']);
    assert.deepEqual(champions({ modelKey: 'm', weight: 101 }, [{ modelKey: 'n', weight: -1 }]), [
      'invalid_config /champion/weight',
      'invalid_config /challengers/0/weight',
    ]);
    assert.deepEqual(
      champions(
        { modelKey: 'no-m', weight: 50 },
        Array.from({ length: 6 }, () => half),
      ),
      ['unknown_reference /champion/modelKey', 'invalid_config /challengers', 'invalid_config '],
    );
  });

  it('check what a disabled extension point hides', () => {
    const disabled = (config: Json) => ({ id: 'x', type: 'extension_point', enabled: false, config });
    assert.deepEqual(errorsOf(flow([inventory, score, disabled({ headers: { a: 1 }, hook: 'none' })])), [
      'invalid_config /nodes/2/config/headers/a',
    ]);
    assert.deepEqual(errorsOf(flow([inventory, score, disabled({ url: 'http://x' })])), [
      'invalid_config /nodes/2/config/url',
    ]);
    assert.deepEqual(errorsOf(flow([inventory, score, disabled({ url: 'https://x', headers: { a: 'b' } })])), []);
  });
});

describe('places of nodes', () => {
  const hook = (name: string) => ({ id: 'x', type: 'extension_point', config: { hook: name } });
  const codes = (nodes: readonly Json[]) => errorsOf(flow(nodes)).filter((error) => !error.startsWith('not_available'));

  it('of extension points follow their hooks', () => {
    const optimize = { id: 'o', type: 'optimize', config: { profileId: 'p' } };
    const group = { id: 'g', type: 'group' };
    const [pre, over, post] = ['pre_score', 'score_override', 'post_rank'].map(hook);
    const right = [
      [inventory, pre, score, rank],
      [inventory, pre, qualify, score],
      [inventory, score, over, rank],
      [inventory, score, optimize, over, rank, group],
      [inventory, over, rank],
      [inventory, score, over],
      [inventory, score, rank, post, group],
      [inventory, score, rank, group, post, compute],
      [inventory, score, rank, compute, post],
      [inventory, score, post],
    ];
    for (const nodes of right) assert.deepEqual(codes(nodes as Json[]), [], JSON.stringify(nodes));
    const wrong: readonly [number, readonly unknown[]][] = [
      [2, [inventory, score, pre, rank]],
      [2, [inventory, rank, pre]],
      [2, [inventory, compute, pre]],
      [1, [inventory, over, score, rank]],
      [2, [inventory, score, over, optimize, rank]],
      [3, [inventory, score, rank, over]],
      [1, [inventory, over, qualify, score]],
      [2, [inventory, score, post, rank]],
      [1, [inventory, post, score]],
      [1, [inventory, post, qualify]],
    ];
    for (const [at, nodes] of wrong) {
      assert.deepEqual(codes(nodes as Json[]), [`hook_position /nodes/${at}`], JSON.stringify(nodes));
    }
    // No scores exist before scoring.
    const formula = (name: string) => ({
      ...hook(name),
      config: { hook: name, kind: 'formula', formula: 'score.total > 0' },
    });
    assert.deepEqual(codes([inventory, formula('pre_score'), score]), ['formula_unknown_name /nodes/1/config/formula']);
    assert.deepEqual(codes([inventory, score, formula('score_override')]), []);
  });

  it('lead with skip_to to a later node of phase 1, or to the first of phase 2', () => {
    const jump = (nodeId: string) => ({
      id: 'j',
      type: 'conditional',
      config: { onFalse: { action: 'skip_to', nodeId } },
    });
    const call = { id: 'k', type: 'call_flow', config: { flowKey: 'f' } };
    const at = (nodeId: string) =>
      codes([inventory, qualify, jump(nodeId), { id: 'm', type: 'match_creatives' }, call, score, rank, compute]);
    for (const nodeId of ['m', 'k', 's']) assert.deepEqual(at(nodeId), [], nodeId);
    for (const nodeId of ['i', 'q', 'j', 'r', 'c', 'none']) {
      assert.deepEqual(at(nodeId), ['skip_target /nodes/2/config/onFalse/nodeId'], nodeId);
    }
    assert.deepEqual(codes([inventory, jump('q'), { ...qualify, enabled: false }, score]), [
      'skip_target /nodes/1/config/onFalse/nodeId',
    ]);
  });

  it('take any phase for calls, and at most one of each score node', () => {
    const call = (id: string) => ({ id, type: 'call_flow', config: { flowKey: 'f' } });
    assert.deepEqual(codes([inventory, call('a'), qualify, score, call('b'), rank, compute, call('d')]), []);
    assert.deepEqual(codes([call('a'), inventory, score]), ['inventory_not_first /nodes/1']);
    // After rank there is a result, but no list for a flow to work on.
    for (const behind of [[rank], [rank, { id: 'g', type: 'group' }]]) {
      const nodes = [inventory, score, ...behind, call('a'), compute];
      assert.deepEqual(codes(nodes), [`score_order /nodes/${behind.length + 2}`]);
    }
    const group = { id: 'g', type: 'group' };
    assert.deepEqual(codes([inventory, score, group, rank]), ['score_order /nodes/3']);
    assert.deepEqual(codes([inventory, score, group, { ...group, id: 'h' }]), ['duplicate_node /nodes/3']);
  });
});

describe('calls of other flows', () => {
  const call = (flowKey: string) => flow([inventory, { id: 'k', type: 'call_flow', config: { flowKey } }, score]);
  const named = (key: string, calls: readonly string[] | null): KnownFlow => ({ id: `id-${key}`, key, calls });
  const chain = ['b', 'c', 'd', 'e', 'f', 'g'].map((key, at, all) => named(key, all.slice(at + 1, at + 2)));
  const codes = (
    config: unknown,
    flows: readonly KnownFlow[],
    ownKey: string | null = 'own',
    use: 'draft' | 'publish' = 'draft',
  ) => errorsOf(config, { flows, ownKey }, use).filter((error) => !error.startsWith('not_available'));

  it("can't lead back, however they are named", () => {
    const back = [named('a', ['id-b']), named('b', ['own'])];
    assert.deepEqual(codes(call('a'), [...back, named('own', [])]), ['cycle_in_call_flow /nodes/1/config/flowKey']);
    assert.deepEqual(codes(call('ID-A'), [...back, named('own', [])]), ['cycle_in_call_flow /nodes/1/config/flowKey']);
    assert.deepEqual(codes(call('own'), [named('own', null)]), ['cycle_in_call_flow /nodes/1/config/flowKey']);
    assert.deepEqual(codes(call('a'), [named('a', ['a'])]), ['cycle_in_call_flow /nodes/1/config/flowKey']);
    assert.deepEqual(codes(call('a'), back, null), []);
    const branch = { id: 'k', type: 'conditional', config: { onTrue: { action: 'call_flow', flowKey: 'own' } } };
    assert.deepEqual(codes(flow([inventory, branch, score]), [named('own', null)]), [
      'cycle_in_call_flow /nodes/1/config/onTrue/flowKey',
    ]);
  });

  it('are at most five deep, including the flows that call this one', () => {
    // own -> c -> d -> e -> f -> g: five.
    assert.deepEqual(codes(call('c'), chain), []);
    assert.deepEqual(codes(call('b'), chain), ['call_depth /nodes/1/config/flowKey']);
    const above = [named('z', ['own']), named('own', [])];
    assert.deepEqual(codes(call('d'), [...chain, ...above]), []);
    assert.deepEqual(codes(call('c'), [...chain, ...above]), ['call_depth /nodes/1/config/flowKey']);
    // A flow that cannot run calls nothing.
    assert.deepEqual(codes(call('b'), [...chain.slice(0, 2), named('d', null)]), []);
  });

  it('need a flow that can run, at publish', () => {
    const flows = [named('off', null), named('on', [])];
    assert.deepEqual(codes(call('off'), flows), []);
    assert.deepEqual(codes(call('off'), flows, 'own', 'publish'), ['sub_flow_unpublished /nodes/1/config/flowKey']);
    assert.deepEqual(codes(call('on'), flows, 'own', 'publish'), []);
  });

  it('make at most 2,000 nodes together, those of a flow once for each call', () => {
    const big = (nodes: number): KnownFlow[] => [
      { ...named('big', []), nodes },
      { ...named('twice', ['big', 'big']), nodes: 2 },
    ];
    assert.deepEqual(codes(call('big'), big(2000)), []);
    assert.deepEqual(codes(call('big'), big(2001)), ['too_large /nodes/1/config/flowKey']);
    assert.deepEqual(codes(call('twice'), big(999)), []);
    assert.deepEqual(codes(call('twice'), big(1000)), ['too_large /nodes/1/config/flowKey']);
  });

  it('are judged quickly among many', () => {
    const layers = Array.from({ length: 5 }, (_, layer) =>
      Array.from({ length: 60 }, (_, at) =>
        named(`${layer}-${at}`, layer === 4 ? [] : Array.from({ length: 60 }, (_, next) => `${layer + 1}-${next}`)),
      ),
    ).flat();
    assert.deepEqual(codes(call('0-0'), layers), []);
  });
});

it('thompson needs propensities', () => {
  const thompson = { ...rank, config: { method: 'explore_exploit', strategy: 'thompson' } };
  const byPriority = { ...score, config: { method: 'priority_weighted' } };
  assert.deepEqual(errorsOf(flow([inventory, byPriority, thompson])), [
    'strategy_needs_propensity /nodes/2/config/strategy',
  ]);
  assert.deepEqual(errorsOf(flow([inventory, thompson], { scoring: { method: 'priority_weighted' } })), [
    'strategy_needs_propensity /nodes/1/config/strategy',
  ]);
  assert.deepEqual(errorsOf(flow([inventory, score, thompson])), []);
  const overridden = {
    ...score,
    config: { method: 'formula', overrides: [{ channelId: 'c', method: 'priority_weighted' }] },
  };
  assert.deepEqual(errorsOf(flow([inventory, overridden, thompson])), [], 'those candidates are drawn by their score');
});

it('a flow has at most 500 nodes and 256 KB', () => {
  const many = (count: number) =>
    flow([inventory, ...Array.from({ length: count - 1 }, (_, at) => ({ id: `n${at}`, type: 'qualify' }))]);
  assert.deepEqual(errorsOf(many(500)), []);
  assert.deepEqual(errorsOf(many(501)), ['too_large /nodes']);
  const sized = (bytes: number) => {
    const config = (note: string) => flow([inventory, { ...score, config: { method: 'formula', note } }]);
    return config('x'.repeat(bytes - JSON.stringify(config('')).length));
  };
  assert.deepEqual(errorsOf(sized(256 * 1024)), []);
  assert.deepEqual(errorsOf(sized(256 * 1024 + 1)), ['too_large ']);
});
