// Chunks of a run that overlap (docs/adr/0082).
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createHotPath, type HotPath, systemActor } from '../../../../db/index.ts';
import { selectMembers } from '../results.store.ts';
import { raiseToken } from '../runs.store.ts';
import { type TakenRun, takeRun } from '../take-run.service.ts';
import { type CampaignServer, startCampaignServer } from '../test-campaigns.ts';
import type { RunCounts } from './caps.rules.ts';
import { type ChunkEnd, createRunChunk, type RunChunk, Superseded } from './chunk-work.ts';
import { createItemTexts } from './item-texts.ts';
import { createTurnstile, type Turnstile } from './turnstile.ts';

let world: CampaignServer;
let path: HotPath;
let taken: TakenRun;
let turnstile: Turnstile;
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

const caps = { maxPerOffer: 8, maxTotalPerRun: 10 };
const takeNew = async (frequencyCaps: object | null): Promise<void> => {
  const { id } = await world.campaign({ frequencyCaps });
  const { id: runId } = await world.start(id);
  taken = (await inTenant((tx) => takeRun(tx, runId, () => false)))!;
};
beforeEach(async () => {
  turnstile = createTurnstile();
  await takeNew(caps);
});

type Around = Parameters<RunChunk['beforeWriting']>[1];
const free: Around = { holdsShared: false, hasCalls: false };
const nothing: RunCounts = { total: 0, offers: {}, channels: {} };

interface Started {
  readonly chunk: RunChunk;
  /** Counts that the next chunk may start from; null if it can't start yet. */
  next(): RunCounts | null;
}

async function chunkOf(
  [from, to]: readonly [number, number],
  decided = nothing,
  before: Promise<RunCounts> = Promise.resolve(nothing),
): Promise<Started> {
  const members = await inTenant((tx) => selectMembers(tx, taken.run.id, from, to));
  let next: RunCounts | null = null;
  const chunk = createRunChunk({
    ...{ tenantId: tenantId(), run: taken.run, from, to, members, itemTexts: createItemTexts(false), decided },
    turns: {
      afterBefore: () => before,
      enterDeciding: turnstile.enter,
      allowNext: (counts) => {
        next = counts;
      },
    },
  });
  return { chunk, next: () => next };
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

interface RunOptions {
  /** Ends before it decides. */
  readonly think?: Promise<unknown>;
  /** Ends before it writes. */
  readonly hold?: Promise<unknown>;
  readonly around?: Around;
}

/** Runs the transaction of a chunk. */
async function runChunk(
  { chunk }: Started,
  [from, to]: readonly [number, number],
  { think, hold, around = free }: RunOptions = {},
): Promise<ChunkEnd & { readonly items: number }> {
  try {
    const items = await path.run(tenantId(), async (tx) => {
      await chunk.open(tx);
      await chunk.beforeDeciding(around);
      await think;
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
    return { ...chunk.end(), items };
  } finally {
    chunk.close();
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
  const first = await chunkOf([0, 5]);
  const firstEnd = runChunk(first, [0, 5], { hold: gate.promise });
  await until(() => first.next() !== null);
  const second = await chunkOf(
    [5, 12],
    first.next()!,
    firstEnd.then(({ counts }) => counts),
  );
  const secondEnd = runChunk(second, [5, 12]);
  await until(() => second.next() !== null);
  return { gate, firstEnd, secondEnd, second };
}

describe('two chunks of a run', () => {
  test('decide at the same time, count together, and commit in order', async () => {
    const { gate, firstEnd, secondEnd, second } = await overlap();
    assert.deepEqual([(await stored())?.place, second.next()?.total], [0, 8]);
    gate.resolve();
    // Of eight for the offer, the first chunk took five.
    const [first, last] = await Promise.all([firstEnd, secondEnd]);
    assert.deepEqual([first.items, last.items], [5, 3]);
    const [offer = ''] = world.ids.offers;
    assert.deepEqual(await stored(), { place: 12, total: 8, offers: { [offer]: 8 } });
    assert.deepEqual([first.counts.total, last.counts.total], [5, 8]);
    assert.deepEqual([first.stop, last.stop], [null, null]);
  });

  test('both store nothing if the first fails, and the run begins again from there', async () => {
    const { gate, firstEnd, secondEnd } = await overlap();
    gate.reject(new Error('the disk is full'));
    await assert.rejects(firstEnd, /the disk is full/);
    await assert.rejects(secondEnd, /the disk is full/);
    assert.deepEqual(await stored(), { place: 0, total: 0, offers: {} });
    const again = await runChunk(await chunkOf([0, 12]), [0, 12]);
    assert.deepEqual([again.items, again.stop], [8, null]);
  });

  test('lock their customers in turn, and decide at the same time if the run has no limits', async () => {
    await takeNew(null);
    const gate = Promise.withResolvers<void>();
    const first = await chunkOf([0, 5]);
    const firstEnd = runChunk(first, [0, 5], { think: gate.promise });
    await until(() => first.next() !== null);
    // In a thread of its own.
    turnstile = createTurnstile();
    const second = await chunkOf(
      [5, 12],
      first.next()!,
      firstEnd.then(({ counts }) => counts),
    );
    const gateOfSecond = Promise.withResolvers<void>();
    const secondEnd = runChunk(second, [5, 12], { think: gateOfSecond.promise });
    await until(() => second.next() !== null);
    gateOfSecond.resolve();
    gate.resolve();
    assert.deepEqual([(await firstEnd).counts.total, (await secondEnd).counts.total], [5, 12]);
    assert.equal((await stored())?.place, 12);
  });

  test('of one thread decide one after the other', async () => {
    await takeNew(null);
    const gate = Promise.withResolvers<void>();
    const first = await chunkOf([0, 5]);
    const firstEnd = runChunk(first, [0, 5], { think: gate.promise });
    await until(() => first.next() !== null);
    let isDeciding = false;
    const waiting = turnstile.enter().then((leave) => {
      isDeciding = true;
      leave();
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isDeciding, false);
    gate.resolve();
    await Promise.all([firstEnd, waiting]);
    assert.equal(isDeciding, true);
  });

  test('a failed chunk lets the next one of its thread decide', async () => {
    const first = await chunkOf([0, 5]);
    const failure = Promise.reject(new Error('no memory'));
    failure.catch(() => undefined);
    await assert.rejects(runChunk(first, [0, 5], { think: failure }), /no memory/);
    assert.equal((await runChunk(await chunkOf([0, 5]), [0, 5])).items, 5);
  });

  for (const [words, around] of [
    ['it may hold rows that all share', { holdsShared: true, hasCalls: false }],
    ['calls are decided', { holdsShared: false, hasCalls: true }],
  ] as const) {
    for (const limits of [caps, null]) {
      test(`do not overlap while ${words}, ${limits === null ? 'without' : 'with'} limits`, async () => {
        await takeNew(limits);
        const first = await chunkOf([0, 5]);
        const { hadCalls } = await runChunk(first, [0, 5], { around });
        assert.deepEqual([first.next(), hadCalls], [null, around.hasCalls]);
      });
    }
  }

  test('cannot restart once the next one has begun', async () => {
    await takeNew(null);
    const { chunk } = await chunkOf([0, 5]);
    await assert.rejects(
      path.run(tenantId(), async (tx) => {
        await chunk.open(tx);
        await chunk.beforeDeciding(free);
        await chunk.open(tx);
      }),
      /restarted after the next chunk began/,
    );
    chunk.close();
  });

  test('store nothing once another process has the run', async () => {
    const first = await chunkOf([0, 5]);
    await inTenant((tx) => raiseToken(tx, taken.run.id));
    await assert.rejects(runChunk(first, [0, 5]), (error) => error instanceof Superseded);
    assert.equal((await stored())?.place, 0);
  });
});
