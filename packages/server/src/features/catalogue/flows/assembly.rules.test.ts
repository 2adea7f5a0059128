import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { baseFlowConfig } from '@arbiter/contract';
import { type AssemblyOffer, assemble } from './assembly.rules.ts';

const bytes = (text: string): number => Buffer.byteLength(text, 'utf8');
const offer = (id: string, more: Partial<AssemblyOffer> = {}): AssemblyOffer => ({
  id,
  status: 'active',
  categoryId: 'cat',
  subCategoryId: 'sub',
  isDeleted: false,
  ...more,
});
const draftOf = (config: object) => ({
  version: 2,
  nodes: [
    { id: 's', type: 'score', config: { method: 'propensity' } },
    { id: 'i', type: 'inventory', enabled: true, config },
  ],
  flowConfig: { defaultLimit: 3 },
});
const configAfter = (config: object, offers: readonly AssemblyOffer[]) => {
  const { draft, changes, fits } = assemble(draftOf(config), offers, bytes);
  const nodes = draft.nodes as readonly { readonly config: object }[];
  return { config: nodes[1]!.config, changes: changes.map(({ rule, path }) => `${rule} ${path}`), fits };
};

describe('fill_empty', () => {
  it('copies the nodes of the base flow into an empty draft, and leaves others', () => {
    for (const nodes of [[], undefined]) {
      const draft = { version: 2, ...(nodes === undefined ? {} : { nodes }), flowConfig: { defaultLimit: 3 } };
      const { draft: filled, changes } = assemble(draft, [], bytes);
      assert.deepEqual(filled, { version: 2, nodes: baseFlowConfig.nodes, flowConfig: { defaultLimit: 3 } });
      assert.deepEqual(changes, [
        { rule: 'fill_empty', path: '/nodes', before: nodes ?? null, after: baseFlowConfig.nodes },
      ]);
    }
  });

  it('leaves drafts of the old form unchanged', () => {
    const draft = { stages: { filter: {} } };
    assert.deepEqual(assemble(draft, [offer('a')], bytes), { draft, changes: [], fits: true });
  });
});

describe('auto_include', () => {
  const cases: readonly [config: object, offers: AssemblyOffer[], after: object][] = [
    [{ scope: 'category', categoryIds: ['x'] }, [offer('a')], { categoryIds: ['x', 'cat'] }],
    [{ scope: 'category' }, [offer('a'), offer('b')], { categoryIds: ['cat'] }],
    [{ scope: 'subcategory', subCategoryIds: null }, [offer('a')], { subCategoryIds: ['sub'] }],
    [{ scope: 'offers', offerIds: ['b'] }, [offer('a'), offer('b')], { offerIds: ['b', 'a'] }],
    [{ scope: 'manual', offerIds: [] }, [offer('a')], { offerIds: ['a'] }],
  ];
  for (const [config, offers, after] of cases) {
    it(`${JSON.stringify(config)} becomes ${JSON.stringify(after)}`, () => {
      const assembled = configAfter({ ...config, autoInclude: true }, offers);
      assert.deepEqual(assembled.config, { ...config, autoInclude: true, ...after });
      const off = configAfter(config, offers);
      assert.deepEqual(off, { config, changes: [], fits: true }, 'without autoInclude nothing');
    });
  }

  it('requires an active offer that matches the scope, in any letter case', () => {
    for (const [config, offers] of [
      [{ scope: 'category', categoryIds: ['CAT'] }, [offer('a')]],
      [{ scope: 'category' }, [offer('a', { categoryId: null })]],
      [{ scope: 'category' }, [offer('a', { status: 'paused' }), offer('b', { status: 'draft' })]],
      [{ scope: 'category' }, [offer('a', { isDeleted: true })]],
      [{ scope: 'all' }, [offer('a')]],
      [{}, [offer('a')]],
    ] as const) {
      const config2 = { ...config, autoInclude: true };
      assert.deepEqual(configAfter(config2, offers), { config: config2, changes: [], fits: true });
    }
  });

  it('stops when a list is full', () => {
    const full = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`);
    const one = configAfter({ scope: 'category', autoInclude: true, categoryIds: full(499) }, [offer('a')]);
    assert.deepEqual([one.changes, one.fits], [['auto_include /nodes/1/config/categoryIds/499'], true]);
    const none = configAfter({ scope: 'category', autoInclude: true, categoryIds: full(500) }, [offer('a')]);
    assert.deepEqual([none.changes, none.fits], [['auto_include /nodes/1/config/categoryIds/500'], false]);
    assert.deepEqual(none.config, { scope: 'category', autoInclude: true, categoryIds: full(500) });
  });

  it('stops when the draft reaches its maximum size', () => {
    const draft = { ...draftOf({ scope: 'offers', autoInclude: true, offerIds: [] }), note: '' };
    const room = 256 * 1024 - bytes(JSON.stringify(assemble(draft, [offer('a')], bytes).draft));
    assert.equal(assemble({ ...draft, note: 'x'.repeat(room) }, [offer('a')], bytes).fits, true);
    assert.equal(assemble({ ...draft, note: 'x'.repeat(room + 1) }, [offer('a')], bytes).fits, false);
  });
});

describe('drop_dead', () => {
  it('removes archived and deleted offers, whatever the scope, and says where they were', () => {
    const dead = [
      offer('b', { status: 'archived' }),
      offer('c', { isDeleted: true }),
      offer('e', { status: 'paused' }),
    ];
    for (const scope of ['offers', 'all', 'category']) {
      const { config, changes } = configAfter({ scope, offerIds: ['a', 'B', 'd', 'c', 'e'] }, dead);
      assert.deepEqual(config, { scope, offerIds: ['a', 'd', 'e'] });
      assert.deepEqual(changes, ['drop_dead /nodes/1/config/offerIds/1', 'drop_dead /nodes/1/config/offerIds/3']);
    }
  });

  it('and auto_include share a list', () => {
    const { config, changes } = configAfter({ scope: 'offers', autoInclude: true, offerIds: ['b'] }, [
      offer('a'),
      offer('b', { isDeleted: true }),
    ]);
    assert.deepEqual(config, { scope: 'offers', autoInclude: true, offerIds: ['a'] });
    assert.deepEqual(changes, ['auto_include /nodes/1/config/offerIds/1', 'drop_dead /nodes/1/config/offerIds/0']);
  });
});
