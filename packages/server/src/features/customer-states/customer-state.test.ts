import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addContact, addOutcome, emptyState, laneOf, prune } from './customer-state.ts';
import { decodeState, encodeState } from './customer-state-codec.ts';

const uuid = fc.uuid();
const instant = fc.integer({ min: 0, max: 4_102_444_800_000 });

test('a state survives its codec', () => {
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
        assert.deepEqual(decodeState(encodeState(state)), state);
        assert.ok(state.log.every((entry, i) => i === 0 || state.log[i - 1]!.at <= entry.at));
      },
    ),
  );
});

test('an empty row is a customer without history', () => {
  assert.deepEqual(decodeState(Buffer.alloc(0)), emptyState());
});

test('a state that is cut short or of another format is refused, never read as empty', () => {
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
  const bytes = encodeState(state);
  for (let cut = 1; cut < bytes.length; cut++) assert.throws(() => decodeState(bytes.subarray(0, cut)));
  assert.throws(() => decodeState(Buffer.concat([Buffer.from([9]), bytes])));
});

test('pruning keeps totals and says since when the log is whole', () => {
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
