import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ScopeInput, wantedAssignments } from './scope-assignments.ts';

type Scope = 'global' | 'offer' | 'channel';
const a = '0199aaaa-0000-7000-8000-00000000000a';
const b = '0199aaaa-0000-7000-8000-00000000000b';
const row = (scope: Scope, scopeId: string | null) => ({
  id: 'x',
  scope,
  scopeId,
  createdAt: '2026-01-01T00:00:00.000Z',
});
const stored = [row('offer', a), row('channel', b)];
const wanted = (body: ScopeInput<Scope>, current: Parameters<typeof wantedAssignments<Scope>>[1] = null) =>
  wantedAssignments<Scope>(body, current, 'offer')?.map(({ scope, scopeId }) => [scope, scopeId]) ?? null;

describe('scopes of rules and policies (docs/design/api-catalogue.md 8.4)', () => {
  it('reads the legacy fields', () => {
    assert.deepEqual(wanted({ scope: 'offer', scopeId: a }), [['offer', a]]);
    assert.deepEqual(wanted({ scopeId: a }), [['offer', a]]);
    assert.deepEqual(wanted({ scope: 'global', scopeId: a }), [['global', null]]);
    assert.deepEqual(wanted({ scope: 'global' }), [['global', null]]);
  });

  it('rejects every scope but global without an ID, even if the scope is omitted', () => {
    for (const body of [
      {},
      { scope: 'offer' as const },
      { scope: 'channel' as const, scopeId: null },
      { scopes: [] },
    ]) {
      assert.throws(() => wanted(body), { code: 'validation_failed' }, JSON.stringify(body));
    }
    assert.throws(() => wanted({ scopes: [{ scope: 'channel' }] }), {
      errors: [{ path: '/scopes/0/scopeId', message: 'is required for scope channel' }],
    });
  });

  it('prefers scopes to legacy fields, and removes duplicates', () => {
    assert.deepEqual(
      wanted({
        scope: 'offer',
        scopeId: b,
        scopes: [
          { scope: 'offer', scopeId: a },
          { scope: 'offer', scopeId: a.toUpperCase() },
          { scope: 'global', scopeId: a },
        ],
      }),
      [
        ['offer', a],
        ['global', null],
      ],
    );
    assert.deepEqual(wanted({ scope: 'offer', scopeId: b, scopes: [] }), [['offer', b]]);
  });

  it("keeps assignments that an update doesn't name", () => {
    assert.equal(wanted({}, stored), null);
    assert.throws(() => wanted({ scopes: [] }, stored), { code: 'validation_failed' });
  });

  it('changes one legacy field of the first assignment', () => {
    assert.deepEqual(wanted({ scopeId: b }, stored), [['offer', b]]);
    assert.deepEqual(wanted({ scope: 'offer' }, stored), [['offer', a]]);
    assert.deepEqual(wanted({ scope: 'global' }, stored), [['global', null]]);
    assert.throws(() => wanted({ scope: 'channel' }, stored), { code: 'validation_failed' });
  });
});
