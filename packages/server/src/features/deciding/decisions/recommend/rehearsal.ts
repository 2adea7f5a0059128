import { randomBytes } from 'node:crypto';
import type { RecommendAnswer, RecommendRequest } from '@arbiter/contract';
import type { ZoneClock } from '@arbiter/engine';
import type { HotPath, HotRow, HotStatement } from '../../../../db/index.ts';
import { keyOf } from '../../../../platform/crypto/crypto.ts';
import { newId } from '../../../../platform/ids.ts';
import type { Clock } from '../../../../platform/time/clock.ts';
import { type CustomerKeys, createCustomerKeys } from '../../customer-states/index.ts';
import { emptyEvidence } from '../../evidence/index.ts';
import { noCounts } from '../../objectives/index.ts';
import { createSeal, newDecisionId } from '../../sealed-records/index.ts';
import { createWaitingRoom } from '../queue/waiting-room.ts';
import { createStageWatch } from '../traces/stage-clock.ts';
import { runBatch } from './decide-batch.ts';
import type { DecidePorts } from './decide-ports.ts';
import { readRecommendCall } from './recommend.rules.ts';
import { nobodysTenant, rehearsalCatalogue } from './rehearsal-catalogue.ts';

export interface RehearsalDeps {
  readonly clock: Clock;
  readonly zoneClock: (zone: string, now: number) => ZoneClock;
}

/** Enough to run the everyday code paths; takes hundredths of a second. */
const rounds = 12;
const jobsPerRound = 8;
const timezones = ['UTC', 'Europe/Paris'];

/**
 * Decides for nobody before the first caller comes, with the very code of a batch, on an invented catalogue and an
 * in-memory database that stores nothing. What a process does for the first time takes many times longer (uncompiled
 * code, unloaded time zones), and otherwise the first callers would pay for it. Leaves no row, metric or log line.
 * Rejects when a decision fails, which is our bug.
 */
export async function rehearse({ clock, zoneClock }: RehearsalDeps): Promise<void> {
  const keys = createCustomerKeys([randomBytes(32)]);
  for (const timezone of timezones) {
    const catalogue = await rehearsalCatalogue(timezone);
    const always = async () => catalogue;
    const evidence = emptyEvidence();
    const ports: DecidePorts = {
      hot: memoryOnly(keys, clock),
      catalogues: { get: always, refresh: always, makeBaseFlow: always, ageMs: () => 0, confirmed: () => undefined },
      makeVolumes: async () => undefined,
      evidence: {
        get: () => evidence,
        ageMs: () => 0,
        newestIs: () => undefined,
        committed: () => undefined,
        idle: async () => undefined,
      },
      models: { get: () => () => undefined },
      modelBreaker: {
        isOpen: () => false,
        looksOpen: () => false,
        succeeded: () => undefined,
        failed: () => undefined,
      },
      objectiveCounts: { get: () => noCounts },
      keys,
      seal: createSeal(),
      clock,
      zoneClock,
      waitingRoom: createWaitingRoom(1),
      askFirst: (_catalogue, { job }) => job.reject(new Error('generated flows have no webhooks')),
      observe: () => undefined,
      minutes: { decided: () => undefined },
      stages: createStageWatch(() => undefined),
      batchStage: () => undefined,
    };
    for (let round = 0; round < rounds / timezones.length; round++) await decideRound(ports, round);
  }
}

/** The work of one batch; resolves when every job is answered, rejects with the first that failed. */
async function decideRound(ports: DecidePorts, round: number): Promise<void> {
  const answers: Promise<string>[] = [];
  const anonymousKey = keyOf('rehearsal');
  const jobs = Array.from({ length: jobsPerRound }, (_, at) => {
    const body: RecommendRequest = {
      customerId: `nobody-${round}-${at}`,
      channel: 'web',
      limit: 3,
      // The catalogue's rule reads it; without, no offer would be left to score and show.
      attributes: { page: 'home' },
      debug: at === 0,
    };
    const facts = { ip: '', userAgent: '', anonymousKey: () => anonymousKey!, newRequestId: newDecisionId };
    const answer = Promise.withResolvers<string>();
    answers.push(answer.promise);
    return {
      call: readRecommendCall(body, facts),
      known: { flow: null },
      payloadHash: null,
      startedAt: performance.now(),
      until: Infinity,
      resolve: answer.resolve,
      reject: answer.reject,
    };
  });
  await runBatch(ports, nobodysTenant, jobs, () => undefined);
  for (const text of await Promise.all(answers)) {
    const { count } = JSON.parse(text) as Pick<RecommendAnswer, 'count'>;
    if (count === 0) throw new Error('a rehearsal showed nothing');
  }
}

/** Answers a batch's statements like a database with only new customers, and forgets what it's given. */
function memoryOnly(keys: CustomerKeys, clock: Clock): HotPath {
  const answerOf = ({ name, values }: HotStatement): readonly HotRow[] => {
    if (name === 'decisions.versions') return [{ version: 0, evidence: 0, instant: new Date(clock.now()) }];
    if (name !== 'decisions.make') return [];
    const customers = String(values[1]).slice(1, -1).split(',');
    return customers.map((id) => ({
      customer_id: JSON.parse(id),
      ref: newId(),
      data_key: keys.create(nobodysTenant),
      customer_seq: 0,
      base: null,
      state: Buffer.alloc(0),
    }));
  };
  return {
    run: (_tenantId, work) =>
      work({ send: async (statements) => statements.map(answerOf), commit: async () => undefined }),
    inUse: () => 0,
    trips: () => 0,
    close: async () => undefined,
  };
}
