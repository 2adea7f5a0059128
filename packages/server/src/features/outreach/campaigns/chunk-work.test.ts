// Chunks of a run that overlap (docs/adr/0082-decide-one-chunk-of-a-campaign-while-the-one-before-is-written.md).
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createHotPath, type HotPath, systemActor } from '../../../db/index.ts';
import { createRunChunk, createRunTallies, Outrun, type RunChunk, type RunTallies } from './chunk-work.ts';
import { selectMembers } from './results.store.ts';
import { raiseToken } from './runs.store.ts';
import { type TakenRun, takeRun } from './take-run.service.ts';
import { type CampaignServer, startCampaignServer } from './test-campaigns.ts';

let world: CampaignServer;
let path: HotPath;
let taken: TakenRun;
let tallies: RunTallies;
before(async () => {
  world = await startCampaignServer(12);
  path = createHotPath({ url: world.server.testDatabase.url, connections: 2 });
});
after(async () => {
  await path?.close();
  await world?.close();
});

const tenantId = () => world.server.tenants[0].id;
const inTenant = <T>(work: Parameters<typeof world.server.testDatabase.database.withTenant<T>>[2]): Promise<T> =>
  world.server.testDatabase.database.withTenant(tenantId(), systemActor('test'), work);

beforeEach(async () => {
  const { id } = await world.campaign({ frequencyCaps: { maxPerOffer: 8, maxTotalPerRun: 10 } });
  const { id: runId } = await world.start(id);
  taken = (await inTenant((tx) => takeRun(tx, runId)))!;
  tallies = createRunTallies(taken.run);
});

type Around = Parameters<RunChunk['beforeWriting']>[1];
const free: Around = { holdsShared: false, hasCalls: false };

interface Started {
  readonly chunk: RunChunk;
  /** Whether the next chunk may start. */
  nextMayStart(): boolean;
}

async function chunkOf(from: number, to: number, before: Promise<unknown> = Promise.resolve()): Promise<Started> {
  const afterBefore = async () => void (await before);
  const members = await inTenant((tx) => selectMembers(tx, taken.run.id, from, to));
  let nextMayStart = false;
  const chunk = createRunChunk({
    ...{ tenantId: tenantId(), run: taken.run, from, to, members, keepsPersonalization: false, tallies, afterBefore },
    allowNext: () => {
      nextMayStart = true;
    },
  });
  return { chunk, nextMayStart: () => nextMayStart };
}

const none = () => undefined;
const names = { offer: none, creative: none, channel: none, placement: none, category: none, subCategory: none };

/** One item of the first offer for each member, as far as there is room. */
function decideAll(chunk: RunChunk, customers: readonly string[]): number {
  let decided = 0;
  for (const customerId of customers) {
    const [offerId = ''] = world.ids.offers;
    const shown = { creativeId: null, channelId: world.ids.list, placementId: null, personalization: {} };
    const item = { rank: 1, offerId, score: 1, ...shown };
    const items = [item].slice(0, chunk.roomFor([item]));
    const ids = { requestId: crypto.randomUUID(), decisionId: crypto.randomUUID() };
    chunk.decided({ customerId, ...ids, items, names });
    decided += items.length;
  }
  return decided;
}

/** Runs the transaction of a chunk. `hold` ends before it writes. */
async function runChunk(
  { chunk }: Started,
  [from, to]: readonly [number, number],
  { hold = Promise.resolve(), around = free }: { hold?: Promise<unknown>; around?: Around } = {},
): Promise<number> {
  try {
    const decided = await path.run(tenantId(), async (tx) => {
      await chunk.open(tx);
      const members = await inTenant((own) => selectMembers(own, taken.run.id, from, to));
      const count = decideAll(
        chunk,
        members.map(({ customerId }) => customerId),
      );
      await chunk.beforeWriting(tx, around);
      await hold;
      await tx.commit(chunk.statements());
      return count;
    });
    chunk.committed();
    return decided;
  } catch (error) {
    chunk.failed();
    throw error;
  }
}

const stored = async () => {
  const [row] = await world.server.testDatabase.ownerQuery<{ place: number; total: number; offers: object }>(
    'select next_place as place, total_items as total, offer_counts as offers from arbiter.campaign_runs where id = $1',
    [taken.run.id],
  );
  return row;
};
const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
};

/** Two chunks that have made their decisions. The first writes when the gate opens. */
async function overlap() {
  const gate = Promise.withResolvers<void>();
  const first = await chunkOf(0, 5);
  const firstEnd = runChunk(first, [0, 5], { hold: gate.promise });
  await until(first.nextMayStart);
  const second = await chunkOf(5, 12, firstEnd);
  const secondEnd = runChunk(second, [5, 12]);
  await until(second.nextMayStart);
  return { gate, firstEnd, secondEnd };
}

describe('two chunks of a run', () => {
  test('decide at the same time, count together, and commit in order', async () => {
    const { gate, firstEnd, secondEnd } = await overlap();
    assert.deepEqual([(await stored())?.place, tallies.decided.total()], [0, 8]);
    gate.resolve();
    // Of eight for the offer, the first chunk took five.
    assert.deepEqual(await Promise.all([firstEnd, secondEnd]), [5, 3]);
    const [offer = ''] = world.ids.offers;
    assert.deepEqual(await stored(), { place: 12, total: 8, offers: { [offer]: 8 } });
    assert.equal(tallies.stored.total(), 8);
  });

  test('both store nothing if the first fails, and give back what they counted', async () => {
    const { gate, firstEnd, secondEnd } = await overlap();
    gate.reject(new Error('the disk is full'));
    await assert.rejects(firstEnd, /the disk is full/);
    await assert.rejects(secondEnd, /the disk is full/);
    assert.deepEqual(await stored(), { place: 0, total: 0, offers: {} });
    assert.deepEqual([tallies.decided.total(), tallies.stored.total(), tallies.decided.offers.size], [0, 0, 0]);
    const again = await chunkOf(0, 12);
    assert.equal(await runChunk(again, [0, 12]), 8);
    assert.equal(again.chunk.stop(), null);
  });

  for (const [words, around] of [
    ['it may hold rows that all share', { holdsShared: true, hasCalls: false }],
    ['calls are decided', { holdsShared: false, hasCalls: true }],
  ] as const) {
    test(`do not overlap while ${words}`, async () => {
      const first = await chunkOf(0, 5);
      await runChunk(first, [0, 5], { around });
      assert.deepEqual([first.nextMayStart(), first.chunk.hadCalls()], [false, around.hasCalls]);
    });
  }

  test('store nothing once another process has the run', async () => {
    const first = await chunkOf(0, 5);
    await inTenant((tx) => raiseToken(tx, taken.run.id));
    await assert.rejects(runChunk(first, [0, 5]), (error) => error instanceof Outrun);
    assert.equal((await stored())?.place, 0);
    assert.equal(tallies.decided.total(), 0);
  });
});
