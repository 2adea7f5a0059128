import type { RespondAnswer } from '@arbiter/contract';
import { type Database, systemActor } from '../../db/index.ts';
import { AppError } from '../../platform/app-error.ts';
import type { CatalogueCache } from './catalogue-cache.ts';
import type { CustomerKeys } from './customer-keys.ts';
import { appendChanges } from './evidence.store.ts';
import type { EvidenceChange } from './evidence.ts';
import type { EvidenceKeeper } from './evidence-keeper.ts';
import { appendEvents } from './interactions.store.ts';
import type { RespondCall } from './respond.rules.ts';
import { type Responded, respondOne } from './respond.service.ts';

/** One respond request on its way through a batch. */
export interface RespondJob {
  readonly call: RespondCall;
  readonly credentialId: string;
  readonly resolve: (answer: RespondAnswer) => void;
  readonly reject: (error: unknown) => void;
}

export interface RespondPorts {
  readonly database: Database;
  readonly catalogues: CatalogueCache;
  readonly evidence: EvidenceKeeper;
  readonly keys: CustomerKeys;
}

/**
 * Records a batch of one tenant in one transaction and settles every job. What a response is refused for is found before
 * its first write; any other failure rolls the batch back, and it is done again one by one.
 */
export async function runRespondBatch(
  ports: RespondPorts,
  tenantId: string,
  jobs: readonly RespondJob[],
): Promise<void> {
  try {
    await attempt(ports, tenantId, jobs);
  } catch (error) {
    if (jobs.length === 1 || (error instanceof AppError && error.code === 'unavailable')) {
      for (const job of jobs) job.reject(error);
      return;
    }
    for (const job of jobs) await attempt(ports, tenantId, [job]).catch(job.reject);
  }
}

async function attempt(ports: RespondPorts, tenantId: string, jobs: readonly RespondJob[]): Promise<void> {
  const known = await ports.catalogues.get(tenantId);
  const settled: { readonly job: RespondJob; readonly answer: RespondAnswer | null; readonly error: unknown }[] = [];
  const numbered = await ports.database.withTenant(tenantId, systemActor('respond'), async (tx) => {
    const [newest] = await tx.query<{ version: number }>(
      'select version from catalogue_versions where tenant_id = $1',
      [tenantId],
    );
    const version = Number(newest?.version ?? 0);
    const { outcomes } = version > known.version ? await ports.catalogues.refresh(tenantId, version) : known;
    const done: Responded[] = [];
    // In one order over all batches of all processes: two batches that share customers cannot lock each other out.
    for (const job of inLockOrder(jobs)) {
      try {
        const responded = await respondOne(tx, ports.keys, outcomes, job.call, job.credentialId);
        done.push(responded);
        settled.push({ job, answer: responded.answer, error: null });
      } catch (error) {
        if (!(error instanceof AppError) || error.status >= 500 || error.code === 'concurrent_modification')
          throw error;
        settled.push({ job, answer: null, error });
      }
    }
    await appendEvents(
      tx,
      done.flatMap((d) => d.events),
    );
    return appendChanges(
      tx,
      done.flatMap((d) => (d.change === null ? [] : [d.change])),
    );
  });
  finish(ports, tenantId, numbered);
  for (const { job, answer, error } of settled) {
    if (answer === null) job.reject(error);
    else job.resolve(answer);
  }
}

function finish(ports: RespondPorts, tenantId: string, numbered: readonly EvidenceChange[]): void {
  if (numbered.length > 0) ports.evidence.committed(tenantId, numbered);
}

const inLockOrder = (jobs: readonly RespondJob[]): RespondJob[] =>
  [...jobs].sort((a, b) => compare(a.call.customerId ?? '', b.call.customerId ?? ''));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
