import type { HotTransaction } from '../../../../db/index.ts';
import { takeTurns } from '../../../../platform/turns.ts';
import type { TenantCatalogue } from '../../plans/index.ts';
import { type DecisionCounts, newDecisionCounts } from '../minutes/decision-counts.ts';
import { figuresOf, type TimedDecision } from '../minutes/decision-minutes.ts';
import { type ReadOptions, readBatch } from '../reads/read-batch.ts';
import { type BatchCompany, CustomersHeld, decideInCompany } from './batch-company.ts';
import type { DecideJob, PreparedJob } from './decide-job.ts';
import { decideOne, isStored } from './decide-one.ts';
import type { DecidePorts } from './decide-ports.ts';
import { newWrites, noteDecision, type Writes } from './note-decision.ts';
import { failed, type JobOutcome } from './outcome.ts';
import { quotaExceeded } from './playground-quota.ts';
import { writeBatch } from './write-batch.ts';

/** Jobs that wait for a customer whom another transaction holds, by customer id. */
export type HeldJobs = ReadonlyMap<string, readonly DecideJob[]>;

export interface DecidedBatch {
  readonly outcomes: readonly JobOutcome[];
  readonly held: HeldJobs;
  readonly counts: DecisionCounts;
  /** The stored ones. */
  readonly made: readonly TimedDecision[];
  /** ms since this process last knew the catalogue to be the newest. */
  readonly configAgeMs: number;
}

export interface DecideOptions extends ReadOptions {
  /** Work that the batch is a part of; absent: its jobs are calls. */
  readonly company?: BatchCompany;
}

/** Reads, decides, records and writes a batch. The outcomes are certain: what they describe is committed. */
export async function decideAll(
  ports: DecidePorts,
  catalogue: TenantCatalogue,
  tx: HotTransaction,
  all: readonly PreparedJob[],
  { company, ...options }: DecideOptions,
): Promise<DecidedBatch> {
  const { tenantId } = catalogue;
  const erased = await company?.open(tx);
  const prepared = erased === undefined ? all : all.filter(({ request }) => !erased.has(request.customerId));
  const read = await readBatch(ports, catalogue, tx, prepared, options);
  const { customers, stored, quota } = read;

  const outcomes: JobOutcome[] = [];
  const lockedElsewhere = new Map<string, DecideJob[]>();
  const counts = newDecisionCounts();
  const timed: TimedDecision[] = [];
  /** By instant. Mostly one, because customers differ only after a step of the database's clock. */
  const writes = new Map<number, Writes>();
  const writesAt = (at: number): Writes => {
    let some = writes.get(at);
    if (some === undefined) {
      some = newWrites(tenantId, new Date(at), catalogue.version, ports.seal);
      writes.set(at, some);
    }
    return some;
  };
  const holdsShared = quota !== null || read.volumes !== null;
  if (company !== undefined) {
    if (prepared.some(({ request }) => !customers.has(request.customerId))) throw new CustomersHeld();
    await company.beforeDeciding(holdsShared);
  }
  const turns = takeTurns();
  // From here to the commit nobody else changes these customers: each decision counts the contacts of those before it.
  for (let at = 0; at < prepared.length; at++) {
    // With thousands of offers a decision takes milliseconds, and a batch of them must not block others.
    const pause = turns();
    if (pause !== undefined) await pause;
    const each = prepared[at]!;
    const { job, request } = each;
    const customer = customers.get(request.customerId);
    // A dry run alongside a decision of the same customer waits with it: without the row it would decide on no
    // contacts.
    if (!customer && stored.has(request.customerId)) {
      const jobs = lockedElsewhere.get(request.customerId);
      if (jobs) jobs.push(job);
      else lockedElsewhere.set(request.customerId, [job]);
      continue;
    }
    if (quota !== null && !request.dryRun && quota.left() === 0) {
      outcomes.push(failed(job, quotaExceeded()));
      continue;
    }
    const decided =
      company === undefined
        ? decideOne(ports, catalogue, read, at, each, customer ?? null)
        : decideInCompany(company, read, each, (own, narrowed) =>
            decideOne(ports, catalogue, own, at, narrowed, customer ?? null),
          );
    if (decided === null) continue;
    counts.add(decided.decision, request.dryRun, decided.input);
    if (isStored(decided) && customer) {
      quota?.take(decided.decision.items.length);
      customer.key ??= ports.keys.open(tenantId, customer.row.dataKey);
      noteDecision(writesAt(decided.input.now), customer, customer.key, decided);
      read.volumes?.take(decided.flow.plan, decided.decision, decided.interactionIds, decided.reservationExpiresAt);
      company?.decided(decided);
      timed.push({ flow: decided.flow.plan.flow, figures: figuresOf(decided.decision), startedAt: job.startedAt });
    }
    outcomes.push({ job, answer: decided.answer, quotaLeft: quota?.left() ?? null });
  }
  await company?.beforeWriting(tx, holdsShared);
  await writeBatch(ports, catalogue, tx, [...writes.values()], read, company?.statements());
  return { outcomes, held: lockedElsewhere, counts, made: timed, configAgeMs: read.configAgeMs };
}
