import { decide } from '@arbiter/engine';
import { AppError } from '../../../../platform/app-error.ts';
import { StaleCatalogue, type TenantCatalogue, versionBehind } from '../../plans/index.ts';
import { inputFacts } from '../reads/decision-input.ts';
import { readBatch } from '../reads/read-batch.ts';
import { seeded } from '../reads/seeded-input.ts';
import { type HeldVolumes, MissingVolumes } from '../volumes/volumes-in-batch.ts';
import type { WebhookCaller } from '../webhooks/webhooks.ts';
import type { DecideJob, PreparedJob } from './decide-job.ts';
import type { DecidePorts } from './decide-ports.ts';
import { prepare } from './prepare-batch.ts';

/** Plans may change while webhooks are asked. After this many, use the answers for the last one. */
const maxTimes = 3;
/** Decisions of the process that may wait for webhooks at once. */
const maxAsking = 1_000;

/** Returns true for a decision whose webhooks haven't been asked for the plan that would decide. */
export function asksFirst({ job: { asked }, flow }: PreparedJob): boolean {
  if (flow.plan.webhooks.length === 0) return false;
  return asked === undefined || (asked.times < maxTimes && !asked.planHash.equals(flow.hash));
}

interface InputLookup {
  readonly prepared: PreparedJob;
  readonly facts: ReturnType<typeof inputFacts>;
}

export interface Rehearsals {
  /** Asks, then queues the job again with the answers. */
  begin(catalogue: TenantCatalogue, prepared: PreparedJob): void;
  /** Asks, and returns the job with the answers. */
  ask(catalogue: TenantCatalogue, prepared: PreparedJob): Promise<DecideJob>;
  /** Waits until no webhook is being asked. */
  idle(): Promise<void>;
}

const nothingHeld: HeldVolumes = new Set();

/**
 * Decisions made to ask webhooks: each uses what's known of the customer now, without a lock and without being stored,
 * to find out what to ask (docs/design/api-decisioning.md 8).
 */
export function createRehearsals(
  ports: DecidePorts,
  asker: WebhookCaller,
  submit: (tenantId: string, job: DecideJob) => void,
): Rehearsals {
  const asking = new Set<Promise<void>>();

  async function rehearse(catalogue: TenantCatalogue, job: DecideJob): Promise<DecideJob> {
    const { tenantId } = catalogue;
    const look = await lookAhead(ports, catalogue, job);
    if (look === null) return { ...job, queuedAt: performance.now() };
    const { facts, prepared } = look;
    const { plan, hash } = prepared.flow;
    const { requestId, customerId } = prepared.request;
    const question = { tenantId, plan, requestId, customerId, until: job.until };
    const answers = await asker.ask(question, (external, ask) => {
      decide(plan, seeded(tenantId, { ...facts, external }), { ask });
    });
    const times = (job.asked?.times ?? 0) + 1;
    return { ...job, asked: { planHash: hash, answers, times }, queuedAt: performance.now() };
  }

  const watched = <T>(work: Promise<T>): Promise<T> => {
    const watching = work.then(
      () => undefined,
      () => undefined,
    );
    asking.add(watching);
    void watching.then(() => asking.delete(watching));
    return work;
  };

  return {
    begin(catalogue, prepared) {
      if (asking.size >= maxAsking) {
        prepared.job.reject(new AppError('overloaded', { retryAfterSeconds: 1 }));
        return;
      }
      watched(rehearse(catalogue, prepared.job)).then(
        (job) => submit(catalogue.tenantId, job),
        (error: unknown) => prepared.job.reject(error),
      );
    },
    ask: (catalogue, prepared) => watched(rehearse(catalogue, prepared.job)),
    async idle() {
      while (asking.size > 0) await Promise.all(asking);
    },
  };
}

/**
 * Reads what the decision would use now, without a lock, from a catalogue that is the newest, or was when this began.
 * Null: the plan that would decide has no webhooks left to ask.
 */
async function lookAhead(ports: DecidePorts, first: TenantCatalogue, job: DecideJob): Promise<InputLookup | null> {
  let catalogue = first;
  let isFresh = false;
  let hasMadeVolumes = false;
  for (;;) {
    const { prepared, refused } = await prepare(catalogue, [job]);
    const [failure] = refused;
    const [each] = prepared;
    if (failure !== undefined) throw failure.error;
    if (each === undefined || !asksFirst(each)) return null;
    try {
      return { prepared: each, facts: await readUnlocked(ports, catalogue, each, isFresh) };
    } catch (error) {
      if (error instanceof MissingVolumes && !hasMadeVolumes) {
        hasMadeVolumes = true;
        await ports.makeVolumes(catalogue, error.refs);
        continue;
      }
      // Answers for an old plan would be useless, because the newest one decides.
      if (isFresh || !(error instanceof StaleCatalogue)) throw error;
      const version = await versionBehind(ports.hot, catalogue, error);
      catalogue = await ports.catalogues.refresh(catalogue.tenantId, version);
      isFresh = true;
    }
  }
}

/** Like a dry run: locks nothing and creates nothing that's missing. */
function readUnlocked(
  ports: DecidePorts,
  catalogue: TenantCatalogue,
  prepared: PreparedJob,
  isFresh: boolean,
): Promise<InputLookup['facts']> {
  const { job, request } = prepared;
  const unlocked = [{ ...prepared, request: { ...request, dryRun: true } }];
  return ports.hot.run(
    catalogue.tenantId,
    async (tx) => {
      const read = await readBatch(ports, catalogue, tx, unlocked, { wait: false, isFresh, hold: nothingHeld });
      return inputFacts(ports, catalogue, read, 0, prepared, read.customers.get(request.customerId) ?? null);
    },
    job.until - performance.now(),
  );
}
