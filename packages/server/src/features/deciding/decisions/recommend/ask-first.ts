import { decide } from '@arbiter/engine';
import { AppError } from '../../../../platform/app-error.ts';
import { StaleCatalogue, type TenantCatalogue, versionBehind } from '../../plans/index.ts';
import { inputFacts } from '../reads/decision-input.ts';
import { readBatch } from '../reads/read-batch.ts';
import { seeded } from '../reads/seeded-input.ts';
import { type HeldVolumes, MissingVolumes } from '../volumes/volumes-in-batch.ts';
import type { WebhookAsker } from '../webhooks/webhooks.ts';
import type { DecideJob, Prepared } from './decide-job.ts';
import type { DecidePorts } from './decide-ports.ts';
import { prepare } from './prepare-batch.ts';

/** Plans may change while webhooks are asked. After this many, use the answers for the last one. */
const mostTimes = 3;
/** Decisions of the process that may wait for webhooks at once. */
const mostAsking = 1_000;

/** Returns true for a decision whose webhooks haven't been asked for the plan that would decide. */
export function asksFirst({ job: { asked }, flow }: Prepared): boolean {
  if (flow.plan.webhooks.length === 0) return false;
  return asked === undefined || (asked.times < mostTimes && !asked.planHash.equals(flow.hash));
}

interface Look {
  readonly prepared: Prepared;
  readonly facts: ReturnType<typeof inputFacts>;
}

export interface Rehearsals {
  /** Asks, then queues the job again with the answers. */
  begin(catalogue: TenantCatalogue, prepared: Prepared): void;
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
  asker: WebhookAsker,
  submit: (tenantId: string, job: DecideJob) => void,
): Rehearsals {
  const asking = new Set<Promise<void>>();

  /**
   * Reads what the decision would use now, without a lock, from a catalogue that is the newest, or was when this began.
   */
  async function look(first: TenantCatalogue, job: DecideJob): Promise<Look | null> {
    let catalogue = first;
    let isFresh = false;
    let isMade = false;
    for (;;) {
      const { prepared, refused } = await prepare(catalogue, [job]);
      const [failure] = refused;
      const [each] = prepared;
      if (failure !== undefined) throw failure.error;
      if (each === undefined || !asksFirst(each)) return null;
      const { request } = each;
      // Like a dry run: locks nothing and creates nothing that's missing.
      const unlocked = [{ ...each, request: { ...request, dryRun: true } }];
      const held = catalogue;
      try {
        const facts = await ports.hot.run(
          held.tenantId,
          async (tx) => {
            const read = await readBatch(ports, held, tx, unlocked, {
              wait: false,
              isFresh,
              hold: nothingHeld,
            });
            return inputFacts(ports, held, read, 0, each, read.customers.get(request.customerId) ?? null);
          },
          job.until - performance.now(),
        );
        return { prepared: each, facts };
      } catch (error) {
        if (error instanceof MissingVolumes && !isMade) {
          isMade = true;
          await ports.makeVolumes(held, error.refs);
          continue;
        }
        // Answers for an old plan would be useless, because the newest one decides.
        if (isFresh || !(error instanceof StaleCatalogue)) throw error;
        const version = await versionBehind(ports.hot, held, error);
        catalogue = await ports.catalogues.refresh(held.tenantId, version);
        isFresh = true;
      }
    }
  }

  async function rehearse(catalogue: TenantCatalogue, job: DecideJob): Promise<void> {
    const { tenantId } = catalogue;
    const seen = await look(catalogue, job);
    if (seen === null) {
      submit(tenantId, { ...job, queuedAt: performance.now() });
      return;
    }
    const { facts, prepared } = seen;
    const { plan, hash } = prepared.flow;
    const { requestId, customerId } = prepared.request;
    const asked = { tenantId, plan, requestId, customerId, until: job.until };
    const answers = await asker.ask(asked, (external, ask) => {
      decide(plan, seeded(tenantId, { ...facts, external }), { ask });
    });
    const times = (job.asked?.times ?? 0) + 1;
    submit(tenantId, { ...job, asked: { planHash: hash, answers, times }, queuedAt: performance.now() });
  }

  return {
    begin(catalogue, prepared) {
      if (asking.size >= mostAsking) {
        prepared.job.reject(new AppError('overloaded', { retryAfterSeconds: 1 }));
        return;
      }
      const work = rehearse(catalogue, prepared.job)
        .catch((error: unknown) => prepared.job.reject(error))
        .finally(() => asking.delete(work));
      asking.add(work);
    },
    async idle() {
      while (asking.size > 0) await Promise.all(asking);
    },
  };
}
