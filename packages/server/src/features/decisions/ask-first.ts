import { decide } from '@arbiter/engine';
import { AppError } from '../../platform/app-error.ts';
import type { TenantCatalogue } from '../plans/index.ts';
import type { DecideJob, Prepared } from './decide-job.ts';
import { inputFacts } from './decide-one.ts';
import type { DecidePorts } from './decide-ports.ts';
import { readBatch } from './read-batch.ts';
import { seeded } from './seeded-input.ts';
import type { WebhookAsker } from './webhooks.ts';

/** Plans may follow one another while webhooks are asked: after so many the answers of the last are taken. */
const mostTimes = 3;
/** Decisions of the process that may wait for webhooks at once. */
const mostAsking = 1_000;

/** True for a decision whose webhooks have not been asked for the plan that would decide. */
export function asksFirst({ job: { asked }, flow }: Prepared): boolean {
  if (flow.plan.webhooks.length === 0) return false;
  return asked === undefined || (asked.times < mostTimes && !asked.planHash.equals(flow.hash));
}

export interface Rehearsals {
  /** Asks, then queues the job again with the answers. */
  begin(catalogue: TenantCatalogue, prepared: Prepared): void;
  /** Waits until nothing is asked. */
  idle(): Promise<void>;
}

/**
 * Decisions that webhooks are asked for: each is made on what is known of the customer now, without a lock and without being
 * stored, to find what the webhooks are asked about (docs/design/api-decisioning.md 8).
 */
export function createRehearsals(
  ports: () => DecidePorts,
  asker: WebhookAsker,
  submit: (tenantId: string, job: DecideJob) => void,
): Rehearsals {
  const asking = new Set<Promise<void>>();

  async function rehearse(catalogue: TenantCatalogue, prepared: Prepared): Promise<void> {
    const { tenantId } = catalogue;
    const { job, flow, request } = prepared;
    // As a dry run: nothing is locked, and what is missing is not made.
    const unlocked = [{ ...prepared, request: { ...request, dryRun: true } }];
    const facts = await ports().hot.run(
      tenantId,
      async (tx) => {
        const read = await readBatch(ports(), catalogue, tx, unlocked, { wait: false, isFresh: true });
        return inputFacts(ports(), catalogue, read, 0, prepared, read.customers.get(request.customerId) ?? null);
      },
      job.until - performance.now(),
    );
    const { requestId, customerId } = request;
    const asked = { tenantId, plan: flow.plan, requestId, customerId, until: job.until };
    const answers = await asker.ask(asked, (external, ask) => {
      decide(flow.plan, seeded(tenantId, { ...facts, external }), { ask });
    });
    const times = (job.asked?.times ?? 0) + 1;
    submit(tenantId, { ...job, asked: { planHash: flow.hash, answers, times }, queuedAt: performance.now() });
  }

  return {
    begin(catalogue, prepared) {
      if (asking.size >= mostAsking) {
        prepared.job.reject(new AppError('overloaded', { retryAfterSeconds: 1 }));
        return;
      }
      const work = rehearse(catalogue, prepared)
        .catch((error: unknown) => prepared.job.reject(error))
        .finally(() => asking.delete(work));
      asking.add(work);
    },
    async idle() {
      while (asking.size > 0) await Promise.all(asking);
    },
  };
}
