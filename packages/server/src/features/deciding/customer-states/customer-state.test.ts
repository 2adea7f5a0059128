import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seedOfTurn } from '../../../../../../test/form.ts';
import { addContact, addOutcome, type CustomerState, emptyState, instantFor, laneOf, prune } from './customer-state.ts';
import { decodeState, encodeState, longestTail, longestWhole } from './customer-state-codec.ts';

const uuid = fc.uuid();
const instant = fc.integer({ min: 0, max: 4_102_444_800_000 });

test('a state survives encoding and decoding', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          offer: uuid,
          creative: fc.option(uuid),
          channel: fc.option(uuid),
          campaign: fc.option(uuid),
          at: instant,
          reserve: fc.boolean(),
          outcome: fc.option(fc.constantFrom('click', 'convert', 'größe_7')),
        }),
        { maxLength: 60 },
      ),
      (contacts) => {
        const state = emptyState();
        for (const c of contacts) {
          const lane = laneOf(state, {
            offerId: c.offer,
            creativeId: c.creative,
            channelId: c.channel,
            campaignId: c.campaign,
          });
          if (c.reserve) state.reservations.push({ id: c.offer, lane, at: c.at, expiresAt: c.at + 1 });
          else addContact(state, lane, c.at);
          if (c.outcome) addOutcome(state, c.outcome, lane, c.at);
        }
        const { state: bytes, base } = encodeState(state);
        const decoded = decodeState(bytes, base ?? null);
        // A state too long to be written whole has a base from here on.
        assert.equal(decoded.since === null, base === null);
        assert.deepEqual({ ...decoded, since: null }, state);
        assert.ok(state.log.every((entry, i) => i === 0 || state.log[i - 1]!.at <= entry.at));
      },
    ),
  );
});

test('an empty row is a customer without history', () => {
  assert.deepEqual(decodeState(Buffer.alloc(0), null), emptyState());
});

test('rejects a truncated state or an unknown format, and never reads it as empty', () => {
  const state = emptyState();
  addContact(
    state,
    laneOf(state, {
      offerId: '0190a000-0000-7000-8000-000000000001',
      creativeId: null,
      channelId: null,
      campaignId: null,
    }),
    5000,
  );
  const { state: bytes } = encodeState(state);
  for (let cut = 1; cut < bytes.length; cut++) assert.throws(() => decodeState(bytes.subarray(0, cut), null));
  assert.throws(() => decodeState(Buffer.concat([Buffer.from([9]), bytes]), null));
});

test('pruning keeps totals, and records since when the log is complete', () => {
  const state = emptyState();
  const lane = laneOf(state, {
    offerId: '0190a000-0000-7000-8000-000000000001',
    creativeId: null,
    channelId: null,
    campaignId: null,
  });
  for (const at of [10, 20, 30]) addContact(state, lane, at);
  state.reservations.push({ id: '0190a000-0000-7000-8000-000000000009', lane, at: 5, expiresAt: 40 });
  prune(state, 20, 40);
  assert.deepEqual(state.log, [
    { lane, at: 20 },
    { lane, at: 30 },
  ]);
  assert.equal(state.keptFrom, 20);
  assert.equal(state.totals[lane], 3);
  assert.equal(state.reservations.length, 0);
  addContact(state, lane, 15);
  assert.equal(state.log.length, 2, 'a contact from before keptFrom counts in the total only');
  assert.equal(state.totals[lane], 4);
});

test('reads a state written by the previous build', () => {
  const written =
    '01050190a0000000700080000000000000010190a0000000700080000000000000020190a0000000700080000000000000030190a0000000' +
    '700080000000000000040190a00000007000800000000000000502010203000385bcd9f29e34040003050183bcd9f29e3498b4d9f29e34030' +
    '080bcd9f29e3401030002010190a0000000700080000000000000060184bcd9f29e3480f1f1f29e3401096772c3b6c39f655f370086bcd9f2' +
    '9e34';
  const id = (n: number) => `0190a000-0000-7000-8000-00000000000${n}`;
  const t = 1_795_000_000_000;
  const state = decodeState(Buffer.from(written, 'hex'), null);
  assert.deepEqual(state, {
    lanes: [
      { offerId: id(1), creativeId: id(2), channelId: id(3), campaignId: null },
      { offerId: id(4), creativeId: null, channelId: id(3), campaignId: id(5) },
    ],
    totals: [3, 1],
    lastAt: [t + 5, t + 3],
    log: [
      { lane: 0, at: t },
      { lane: 1, at: t + 3 },
      { lane: 0, at: t + 5 },
    ],
    keptFrom: t - 1000,
    reservations: [{ id: id(6), lane: 1, at: t + 4, expiresAt: t + 400_000 }],
    outcomes: [{ key: 'größe_7', lane: 0, at: t + 6 }],
    since: null,
  });
});

/** A row as the database would keep it. */
interface Row {
  state: Buffer;
  base: Buffer | null;
  rebased: number;
}

function save(row: Row, state: CustomerState): void {
  const { state: bytes, base } = encodeState(state);
  row.state = bytes;
  if (base === undefined) return;
  row.base = base;
  if (base !== null) row.rebased += 1;
}

const offer = (n: number) => `0190a000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const lane = (n: number) => ({ offerId: offer(n), creativeId: offer(1000 + n), channelId: null, campaignId: null });
const dayMs = 86_400_000;

/** What a test does to a state between two saves. */
const step = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({
      kind: fc.constant('contact' as const),
      lane: fc.nat(120),
      lateMs: fc.constantFrom(0, 0, 0, 5, 40 * dayMs),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('outcome' as const),
      lane: fc.nat(120),
      key: fc.constantFrom('click', 'convert'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('reserve' as const), lane: fc.nat(120) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('prune' as const),
      keepMs: fc.constantFrom(dayMs, 3 * dayMs, 30 * dayMs),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fill' as const) }) },
);

test("a state saved and read after every step equals one that wasn't", () => {
  let rebased = 0;
  let kept = 0;
  fc.assert(
    fc.property(fc.nat(150), fc.array(step, { minLength: 20, maxLength: 200 }), (started, steps) => {
      const row: Row = { state: Buffer.alloc(0), base: null, rebased: 0 };
      const whole = emptyState();
      let now = 1_795_000_000_000;
      for (let n = 0; n < started; n++) addContact(whole, laneOf(whole, lane(n % 100)), now - 9_000_000 + n);
      save(row, whole);
      for (const each of steps) {
        now += 3_600_000;
        const stored = decodeState(row.state, row.base);
        for (const state of [whole, stored]) {
          if (each.kind === 'contact') addContact(state, laneOf(state, lane(each.lane)), now - each.lateMs);
          else if (each.kind === 'outcome') addOutcome(state, each.key, laneOf(state, lane(each.lane)), now);
          else if (each.kind === 'reserve') {
            const index = laneOf(state, lane(each.lane));
            state.reservations.push({ id: offer(now % 1000), lane: index, at: now, expiresAt: now + 7_200_000 });
          } else if (each.kind === 'prune') prune(state, now - each.keepMs, now);
          else {
            const from = Math.max(0, state.keptFrom - dayMs);
            if (state.lanes.length > 0 && state.keptFrom > 0) state.log = [{ lane: 0, at: from }, ...state.log];
            state.keptFrom = from;
            state.since = null;
          }
        }
        const before = row.rebased;
        save(row, stored);
        if (row.base !== null) kept += row.rebased === before ? 1 : 0;
        assert.deepEqual({ ...decodeState(row.state, row.base), since: null }, whole);
        assert.ok(row.state.length <= longestWhole + 60 * whole.reservations.length);
      }
      rebased += row.rebased;
    }),
    { numRuns: 60, ...seedOfTurn() },
  );
  assert.ok(rebased > 0 && kept > rebased, `${rebased} bases, ${kept} saves without one`);
});

test("a long state writes little per contact, and is one piece again when it's short", () => {
  const row: Row = { state: Buffer.alloc(0), base: null, rebased: 0 };
  const state = emptyState();
  for (let i = 0; i < 5000; i++) addContact(state, laneOf(state, lane(i % 200)), 1_790_000_000_000 + i * 400_000);
  save(row, state);
  assert.ok(row.base!.length > 20_000);
  let written = 0;
  const rounds = 1000;
  for (let i = 0; i < rounds; i++) {
    const stored = decodeState(row.state, row.base);
    const before = row.rebased;
    addContact(stored, i % 200, 1_792_000_000_000 + i * 1000);
    save(row, stored);
    // Plus one byte that says there are no reservations.
    assert.ok(row.state.length <= longestTail + 1);
    written += row.state.length + (row.rebased === before ? 0 : row.base!.length);
  }
  assert.ok(written / rounds < 1000, `${written / rounds} bytes a contact`);
  const late = decodeState(row.state, row.base);
  const fresh = { ...emptyState(), lanes: late.lanes.slice(0, 3), totals: [1, 1, 1], lastAt: [1, 1, 1] };
  save(row, fresh);
  assert.equal(row.base, null);
  assert.deepEqual(decodeState(row.state, row.base), fresh);
});

test('many open reservations of a long state do not rewrite its base', () => {
  const row: Row = { state: Buffer.alloc(0), base: null, rebased: 0 };
  const state = emptyState();
  for (let i = 0; i < 400; i++) addContact(state, laneOf(state, lane(i % 100)), 1_790_000_000_000 + i);
  for (let i = 0; i < 60; i++) {
    state.reservations.push({ id: offer(i), lane: i, at: 1_790_000_000_000, expiresAt: 1_790_000_900_000 });
  }
  save(row, state);
  for (let i = 0; i < 20; i++) {
    const stored = decodeState(row.state, row.base);
    addContact(stored, i, 1_790_000_001_000);
    save(row, stored);
  }
  assert.equal(row.rebased, 1);
  assert.equal(decodeState(row.state, row.base).reservations.length, 60);
});

test('rejects a tail without its base, with another base, or truncated', () => {
  const state = emptyState();
  for (let i = 0; i < 400; i++) addContact(state, laneOf(state, lane(i % 100)), 1_790_000_000_000 + i);
  const first = encodeState(state);
  addContact(state, laneOf(state, lane(500)), 1_790_000_001_000);
  const second = encodeState(state);
  assert.throws(() => decodeState(first.state, null));
  assert.throws(() => decodeState(first.state, second.base ?? null), /does not match the stored base/);
  assert.throws(() => decodeState(second.base!, first.base ?? null), /does not continue/);
  assert.throws(() => decodeState(Buffer.alloc(0), first.base ?? null));
  const changed = decodeState(first.state, first.base ?? null);
  addContact(changed, 3, 1_790_000_002_000);
  addOutcome(changed, 'click', 3, 1_790_000_002_000);
  const tail = encodeState(changed);
  assert.equal(tail.base, undefined);
  for (let cut = 0; cut < tail.state.length; cut++) {
    assert.throws(() => decodeState(tail.state.subarray(0, cut), first.base ?? null), `cut at ${cut}`);
  }
});

test("a customer's instant is the database's, never before the newest contact or open reservation", () => {
  const state = emptyState();
  assert.equal(instantFor(state, 100), 100);
  const lane = laneOf(state, { offerId: 'A', creativeId: null, channelId: null, campaignId: null });
  addContact(state, lane, 90);
  assert.equal(instantFor(state, 100), 100);
  addContact(state, lane, 150);
  addContact(state, lane, 120);
  assert.equal(instantFor(state, 100), 150);
  prune(state, 1_000, 1_000);
  assert.deepEqual([state.log.length, instantFor(state, 100)], [0, 150], 'a contact that no window needs any more');
  state.reservations.push({ id: 'r', lane, at: 170, expiresAt: 500 });
  assert.equal(instantFor(state, 100), 170);
  assert.equal(instantFor(state, 200), 200);
});
