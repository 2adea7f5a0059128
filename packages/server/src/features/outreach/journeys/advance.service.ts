import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { Logger } from '../../../platform/logger.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { claimDue, tenantsWithDue } from './enrollments.store.ts';
import type { DecideForJourney } from './journey-ports.ts';
import { failStep, type MadeDecision, type StepOutcome, type StepPorts, takeStep } from './steps.service.ts';

export interface AdvancePorts extends StepPorts {
  readonly decideForJourney: DecideForJourney;
}

/** Runs work in a transaction of the tenant. */
type InTransaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/**
 * Takes an enrollment's steps until it waits, ends or is held. Each is a transaction of its own; decisions are made
 * between them, under the step's key, so that a repetition makes no new decision. A step that can't succeed fails the
 * enrollment; any other error is thrown, and the job tries again.
 */
export async function advance(
  ports: AdvancePorts,
  inTransaction: InTransaction,
  enrollmentId: string,
  signal: AbortSignal,
): Promise<void> {
  let currentDecision: MadeDecision | null = null;
  for (;;) {
    if (signal.aborted) throw new Error('the process stopped between two steps');
    try {
      const decision: MadeDecision | null = currentDecision;
      const outcome: StepOutcome = await inTransaction((tx) => takeStep(tx, ports, enrollmentId, decision));
      if (outcome.kind === 'rest') return;
      currentDecision =
        outcome.kind === 'decide'
          ? { visit: outcome.visit, decision: await ports.decideForJourney(outcome.call) }
          : null;
    } catch (error) {
      // 429 and 5xx may pass.
      if (!(error instanceof AppError) || error.status >= 500 || error.code === 'rate_limited') throw error;
      await inTransaction((tx) => failStep(tx, ports, enrollmentId, error.code));
      return;
    }
  }
}

const actor = systemActor('journey');

/** Enrollments of a tenant that one tick enqueues. The rest follow in the next one. */
const maxAtOnce = 5_000;

/**
 * Enqueues the due enrollments of all tenants. Part of the tick: whoever calls it, and however often, an enrollment is
 * handed to one job.
 */
export async function resumeDueEnrollments(
  { database, logger }: { readonly database: Database; readonly logger: Logger },
  now: Date,
  enqueue: (tx: Tx, enrollmentId: string) => Promise<void>,
): Promise<{ readonly tenantId: string; readonly error: string }[]> {
  const errors: { tenantId: string; error: string }[] = [];
  for (const tenantId of await database.withSystem('journey', (tx) => tenantsWithDue(tx, now))) {
    try {
      await database.withTenant(tenantId, actor, async (tx) => {
        const { enableJourneys } = await readSettings(tx);
        for (const id of await claimDue(tx, now, enableJourneys, maxAtOnce)) await enqueue(tx, id);
      });
    } catch (err) {
      const error = 'waiting enrollments could not be resumed';
      logger.warn({ err, tenantId }, error);
      errors.push({ tenantId, error });
    }
  }
  return errors;
}
