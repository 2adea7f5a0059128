import { type Contacts, type DecideOptions, decide, foldContacts, type Plan, u, type ZoneClock } from '@arbiter/engine';
import type { HotPath, HotStatement, HotTransaction } from '../../db/index.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import {
  type BatchCustomers,
  type CustomerKeys,
  fillLog,
  isLogShort,
  lockStates,
  makeMissing,
  readStates,
  takeCustomers,
} from '../customer-states/index.ts';
import { type EvidenceKeeper, evidenceView } from '../evidence/index.ts';
import { assertNewest, newestVersions, StaleCatalogue, type TenantCatalogue, versionBehind } from '../plans/index.ts';
import { itemId, itemTexts, newDecisionId } from '../sealed-records/index.ts';
import type { AnswerFacts } from './answer.ts';
import { answerText } from './answer-text.ts';
import { newWrites, noteDecision, writeStatements } from './batch-writes.ts';
import type { SetApart } from './batcher.ts';
import type { DecideJob, Prepared } from './decide-job.ts';
import { type DecisionCounts, newDecisionCounts } from './decision-counts.ts';
import { inTime } from './patience.ts';
import { openQuota, quotaExceeded } from './playground-quota.ts';
import { prepare } from './prepare-batch.ts';
import { type ProfileReads, planProfileReads } from './profile-reads.ts';
import { seeded } from './seeded-input.ts';
import type { StageWatch } from './stage-clock.ts';
import type { WaitingRoom } from './waiting-room.ts';

export interface DecidePorts {
  readonly hot: HotPath;
  readonly catalogues: {
    get(tenantId: string): Promise<TenantCatalogue>;
    /** Reads the catalogue again when it is older than `version`. */
    refresh(tenantId: string, version: number): Promise<TenantCatalogue>;
    /** ms since this process last knew the version to be the newest. */
    ageMs(tenantId: string): number;
    confirmed(tenantId: string): void;
    /** Makes and publishes the base flow for a tenant without a runnable one. */
    makeBaseFlow(tenantId: string): Promise<TenantCatalogue>;
  };
  readonly evidence: EvidenceKeeper;
  readonly keys: CustomerKeys;
  readonly clock: Clock;
  readonly zoneClock: (zone: string, now: number) => ZoneClock;
  /** Where work waits for customers that somebody else holds. */
  readonly waitingRoom: WaitingRoom;
  readonly observe: (batchSize: number, counts: DecisionCounts, configAgeMs: number) => void;
  readonly stages: StageWatch;
  /** Seconds that a batch spent on `load` or `commit`. */
  readonly batchStage: (stage: 'load' | 'commit', seconds: number) => void;
}

/** The log of contacts is kept at least this long: relevance looks 30 days back. */
const retainedLogMs = 35 * 86_400_000;

/**
 * Decides a batch of one tenant and settles every job. A batch that fails is done again one by one. Customers whose row
 * another transaction holds leave the batch and wait for it in transactions of their own; nobody else waits for them.
 */
export async function runBatch(
  ports: DecidePorts,
  tenantId: string,
  jobs: readonly DecideJob[],
  setApart: SetApart,
): Promise<void> {
  const unsettled = new Set(jobs);
  try {
    const left = await attempt(ports, tenantId, jobs, unsettled, false);
    for (const [customerId, own] of left) {
      const waiting = ports.waitingRoom(() => waitAndDecide(ports, tenantId, own, unsettled));
      const settled = waiting.catch((error: unknown) => {
        for (const job of own) if (unsettled.delete(job)) job.reject(error);
      });
      setApart(customerId, settled);
    }
  } catch (error) {
    if (unsettled.size === 1 || isAway(error)) {
      for (const job of unsettled) job.reject(error);
      return;
    }
    for (const job of [...unsettled]) {
      try {
        await waitAndDecide(ports, tenantId, [job], unsettled);
      } catch (own) {
        job.reject(own);
      }
    }
  }
}

const isAway = (error: unknown): boolean => error instanceof AppError && error.code === 'unavailable';

/** Decides the jobs of one customer, however often somebody else takes the row between two looks at it. */
async function waitAndDecide(
  ports: DecidePorts,
  tenantId: string,
  jobs: readonly DecideJob[],
  unsettled: Set<DecideJob>,
): Promise<void> {
  for (;;) {
    const left = await attempt(ports, tenantId, jobs, unsettled, true);
    if (left.size === 0) return;
  }
}

const nobody: ReadonlyMap<string, readonly DecideJob[]> = new Map();

/** Decides the jobs in one transaction; answers with those of customers that somebody else holds, by customer. */
async function attempt(
  ports: DecidePorts,
  tenantId: string,
  asked: readonly DecideJob[],
  unsettled: Set<DecideJob>,
  wait: boolean,
): Promise<ReadonlyMap<string, readonly DecideJob[]>> {
  const { jobs, late, patienceMs } = inTime(asked.filter((job) => unsettled.has(job)));
  for (const job of late) unsettled.delete(job);
  if (jobs.length === 0) return nobody;
  const until = performance.now() + patienceMs;
  let catalogue = await ports.catalogues.get(tenantId);
  for (let tries = 0; ; tries++) {
    if (jobs.some((job) => job.call.flow === null) && !catalogue.hasFlow()) {
      catalogue = await ports.catalogues.makeBaseFlow(tenantId);
    }
    const { prepared, refused } = await prepare(catalogue, jobs, unsettled);
    // Read again since the requests came in, it holds every change that was committed before them. To insist on more
    // would let a steady stream of changes keep decisions from being made.
    const isFresh = tries > 0;
    try {
      // What is refused may be so by an old catalogue only: a flow published a moment ago on another node.
      if (refused.length > 0 && !isFresh) await assertNewest(ports.hot, catalogue);
      for (const { job, error } of refused) if (unsettled.delete(job)) job.reject(error);
      if (prepared.length === 0) return nobody;
      return await ports.hot.run(
        tenantId,
        (tx) => decideAll(ports, catalogue, tx, prepared, unsettled, { wait, isFresh }),
        until - performance.now(),
      );
    } catch (error) {
      if (tries >= 5) throw error;
      catalogue = await ports.catalogues.refresh(tenantId, await versionBehind(ports.hot, catalogue, error));
    }
  }
}

interface Decided {
  readonly job: DecideJob;
  readonly answer: string;
  /** Playgrounds only. */
  readonly quotaLeft: number | null;
}

/** Reads, decides and commits; answers with the jobs of customers that somebody else holds, by customer. */
async function decideAll(
  ports: DecidePorts,
  catalogue: TenantCatalogue,
  tx: HotTransaction,
  prepared: readonly Prepared[],
  unsettled: Set<DecideJob>,
  { wait, isFresh }: { readonly wait: boolean; readonly isFresh: boolean },
): Promise<Map<string, DecideJob[]>> {
  const { tenantId } = catalogue;
  const startedAt = performance.now();
  const stored = customersOf(prepared.filter((p) => !p.request.dryRun));
  const dry = customersOf(prepared.filter((p) => p.request.dryRun)).filter((id) => !stored.includes(id));
  const reads: ProfileReads = planProfileReads(catalogue, prepared);
  const statements: HotStatement[] = [];
  if (stored.length > 0) statements.push(lockStates(tenantId, stored, wait));
  if (dry.length > 0) statements.push(readStates(tenantId, dry));
  // After the lock: what was changed while this waited for it counts.
  statements.push(newestVersions(tenantId));
  const head = statements.length;
  const loaded = await tx.send([...statements, ...reads.statements]);

  const newest = loaded[head - 1]![0]!;
  if (Number(newest.version) === catalogue.version) ports.catalogues.confirmed(tenantId);
  else if (!isFresh) throw new StaleCatalogue(Number(newest.version));
  ports.evidence.newestIs(tenantId, Number(newest.evidence));
  const evidence = await ports.evidence.get(tenantId);

  const customers: BatchCustomers = new Map();
  if (stored.length > 0) takeCustomers(customers, loaded[0]!, true);
  if (dry.length > 0) takeCustomers(customers, loaded[head - 2]!, false);
  await makeMissing(tx, tenantId, customers, stored, ports.keys);
  const profiles = await reads.resolve(loaded.slice(head), tx);
  const quota = catalogue.isPlayground ? await openQuota(tx, tenantId, stored.length > 0) : null;
  ports.batchStage('load', (performance.now() - startedAt) / 1000);

  const now = ports.clock.now();
  const configAgeMs = ports.catalogues.ageMs(tenantId);
  const left = new Map<string, DecideJob[]>();
  const held = new Set(stored);
  const decided: Decided[] = [];
  const exhausted: DecideJob[] = [];
  const counts = newDecisionCounts();
  const zonesOf = zonesAt(ports, now);
  const writes = newWrites(tenantId, new Date(now), catalogue.version);
  const horizonFrom = now - Math.max(catalogue.logHorizonMs(), retainedLogMs);
  const view = evidenceView(evidence);

  for (const [position, { job, flow, request }] of prepared.entries()) {
    const customer = customers.get(request.customerId);
    // A dry run beside a decision of the same customer waits with it: without the row it would decide on no contacts.
    if (!customer && (!request.dryRun || held.has(request.customerId))) {
      const jobs = left.get(request.customerId);
      if (jobs) jobs.push(job);
      else left.set(request.customerId, [job]);
      continue;
    }
    if (quota !== null && !request.dryRun && quota.left() === 0) {
      exhausted.push(job);
      continue;
    }
    const { plan } = flow;
    if (customer && isLogShort(customer, now - plan.logHorizonMs)) {
      await fillLog(tx, tenantId, customer, now - plan.logHorizonMs);
    }
    const zones = zonesOf(plan);
    const profile = profiles[position]!;
    const input = seeded(tenantId, {
      now,
      zones,
      request,
      known: profile.known,
      profile: profile.values,
      enriched: profile.enriched,
      segments: [],
      contacts: foldContacts(
        customer?.state ?? noContacts,
        plan.windows,
        now,
        zones[plan.timezone]!,
        plan.longestCooldownMs,
      ),
      suppressions: [],
      evidence: view,
      quotaLeft: request.dryRun ? undefined : quota?.left(),
    });
    const { settings } = catalogue;
    const sampled =
      !request.dryRun &&
      settings.decisionTraceEnabled &&
      u(`trace:${request.requestId}`) < settings.decisionTraceSampleRate;
    const trace = sampled || job.call.debug;
    const stages = ports.stages.begin(trace);
    const decision = decide(plan, input, stages === null ? untraced : { trace, observe: stages.observe });
    ports.stages.end(stages);
    counts.add(decision, request.dryRun);
    if (!request.dryRun) quota?.take(decision.items.length);
    const texts = itemTexts(decision);

    // A request id that the server made is the decision's id: it tells the partition, and needs no row of its own.
    const decisionId = request.dryRun ? null : job.call.clientRequestId ? newDecisionId() : request.requestId;
    const interactionIds = decisionId === null ? null : decision.items.map((item) => itemId(decisionId, item.rank));
    const traceId = sampled ? newId() : null;
    const expiresAt = now + settings.reservationTtlSeconds * 1000;
    const facts: AnswerFacts = {
      requestId: request.requestId,
      recommendationId: decisionId,
      interactionIds,
      customerId: request.customerId,
      anonymous: job.call.anonymous,
      known: profile.known,
      asked: job.call.request,
      now,
      configVersion: catalogue.version,
      configAgeMs: ports.catalogues.ageMs(tenantId),
      profileAgeMs: 0,
      durationMs: Math.max(0, Math.round(performance.now() - job.startedAt)),
      traceId,
      stages,
      reservationExpiresAt: () => new Date(expiresAt).toISOString(),
      dryRun: request.dryRun,
      debug: job.call.debug,
      quota: quota?.facts(decision.withheldByQuota > 0) ?? null,
    };
    const answer = answerText(plan, decision, facts, texts);
    decided.push({ job, answer, quotaLeft: quota?.left() ?? null });
    if (decisionId === null || !customer) continue;

    customer.key ??= ports.keys.open(tenantId, customer.row.dataKey);
    noteDecision(writes, customer, customer.key, {
      id: decisionId,
      interactionIds: interactionIds ?? [],
      traceId,
      flow,
      input,
      decision,
      texts,
      answer,
      facts,
      call: job.call,
      payloadHash: job.payloadHash,
      reservationExpiresAt: expiresAt,
    });
  }

  if (writes.records.size > 0) {
    const raised = quota?.statement() ?? null;
    const statements = writeStatements(writes, customers, horizonFrom, now);
    const committing = performance.now();
    await tx.commit(raised === null ? statements : [raised, ...statements]);
    ports.batchStage('commit', (performance.now() - committing) / 1000);
  }
  for (const { job, answer, quotaLeft } of decided) if (unsettled.delete(job)) job.resolve(answer, quotaLeft);
  for (const job of exhausted) if (unsettled.delete(job)) job.reject(quotaExceeded());
  ports.observe(prepared.length, counts, configAgeMs);
  return left;
}

/** Clocks of a plan's zones at one instant; the decisions of a batch share them. */
function zonesAt(ports: DecidePorts, now: number): (plan: Plan) => Readonly<Record<string, ZoneClock>> {
  const byPlan = new Map<Plan, Readonly<Record<string, ZoneClock>>>();
  return (plan) => {
    let zones = byPlan.get(plan);
    if (zones === undefined) {
      zones = Object.fromEntries(plan.zones.map((zone) => [zone, ports.zoneClock(zone, now)]));
      byPlan.set(plan, zones);
    }
    return zones;
  };
}

const customersOf = (prepared: readonly Prepared[]): string[] => [
  ...new Set(prepared.map((p) => p.request.customerId)),
];

const untraced: DecideOptions = {};
const noContacts: Contacts = { lanes: [], totals: [], lastAt: [], log: [], keptFrom: 0, reservations: [] };
