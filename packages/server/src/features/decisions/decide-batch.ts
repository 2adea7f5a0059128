import { hash, type KeyObject } from 'node:crypto';
import type { RecommendAnswer } from '@arbiter/contract';
import {
  type Contacts,
  canonicalJson,
  type Decision,
  type DecisionInput,
  type DecisionRequest,
  decide,
  engineVersion,
  foldContacts,
  resolveTarget,
  resultOf,
  u,
  type ZoneClock,
} from '@arbiter/engine';
import { DatabaseError, type HotPath, type HotStatement, type HotTransaction } from '../../db/index.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { firstIdAt, newId } from '../../platform/ids.ts';
import { shapeAnswer } from './answer.ts';
import type { CustomerKeys } from './customer-keys.ts';
import { addContact, type CustomerState, laneOf, prune } from './customer-state.ts';
import { decodeState, encodeState } from './customer-state-codec.ts';
import {
  contactsSince,
  type ItemRow,
  insertItems,
  insertOutbox,
  insertPlan,
  insertRecords,
  insertRequest,
  insertTrace,
  lockStates,
  makeStates,
  newestVersions,
  type RecordRow,
  readStates,
  type StateRow,
  saveStates,
  stateRow,
} from './decisions.store.ts';
import { evidenceView } from './evidence.ts';
import type { EvidenceKeeper } from './evidence-keeper.ts';
import { packResult } from './packed-result.ts';
import { type ProfileReads, planProfileReads } from './profile-reads.ts';
import { type RecommendCall, targetProblem } from './recommend.rules.ts';
import { packInput, reduceRequest } from './record.ts';
import { seal } from './sealing.ts';
import type { CompiledFlow, TenantCatalogue } from './tenant-catalogue.ts';
import { traceBody } from './trace.ts';

/** One recommend request on its way through a batch. */
export interface DecideJob {
  readonly call: RecommendCall;
  /** Hash of the canonical body when the client made the requestId, else null. */
  readonly payloadHash: Buffer | null;
  /** Monotonic ms at which the request came in. */
  readonly startedAt: number;
  readonly resolve: (answer: RecommendAnswer) => void;
  readonly reject: (error: unknown) => void;
}

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
  readonly observe: (outcome: { batchSize: number; decisions: readonly Decision[] }) => void;
}

/** The catalogue turned out to be older than the database's: the batch is done again with the new one. */
class StaleCatalogue extends Error {
  readonly version: number;
  constructor(version: number) {
    super('the catalogue has changed');
    this.version = version;
  }
}

interface Prepared {
  readonly job: DecideJob;
  readonly flow: CompiledFlow;
  readonly request: DecisionRequest;
}

const retainedLogMs = 35 * 86_400_000;
const lateEventMs = 86_400_000;

/** Decides a batch of one tenant and settles every job. A batch that fails is done again one by one. */
export async function runBatch(ports: DecidePorts, tenantId: string, jobs: readonly DecideJob[]): Promise<void> {
  const unsettled = new Set(jobs);
  try {
    await attempt(ports, tenantId, jobs, unsettled, false);
  } catch (error) {
    if (unsettled.size === 1 || isAway(error)) {
      for (const job of unsettled) job.reject(error);
      return;
    }
    for (const job of [...unsettled]) {
      try {
        await attempt(ports, tenantId, [job], unsettled, true);
      } catch (own) {
        job.reject(own);
      }
    }
  }
}

const isAway = (error: unknown): boolean => error instanceof AppError && error.code === 'unavailable';

async function attempt(
  ports: DecidePorts,
  tenantId: string,
  jobs: readonly DecideJob[],
  unsettled: Set<DecideJob>,
  wait: boolean,
): Promise<void> {
  let catalogue = await ports.catalogues.get(tenantId);
  for (let tries = 0; ; tries++) {
    if (catalogue.flowFor(null) === null && jobs.some((job) => job.call.flow === null)) {
      catalogue = await ports.catalogues.makeBaseFlow(tenantId);
    }
    const { prepared, refused } = prepare(catalogue, jobs, unsettled);
    try {
      // What is refused may be so by an old catalogue only: a flow published a moment ago on another node.
      if (refused.length > 0) await assertNewest(ports, catalogue);
      for (const { job, error } of refused) if (unsettled.delete(job)) job.reject(error);
      if (prepared.length === 0) return;
      const left = await ports.hot.run(tenantId, (tx) => decideAll(ports, catalogue, tx, prepared, unsettled, wait));
      // Customers whose row another transaction holds wait for it in a transaction of their own.
      await Promise.all(
        [...left.values()].map((own) =>
          attempt(ports, tenantId, own, unsettled, true).catch((error: unknown) => {
            for (const job of own) if (unsettled.delete(job)) job.reject(error);
          }),
        ),
      );
      return;
    } catch (error) {
      if (tries >= 5) throw error;
      catalogue = await ports.catalogues.refresh(tenantId, await versionBehind(ports, catalogue, error));
    }
  }
}

/** Resolves each job's flow and target; what cannot run is refused here, before anything is read or locked. */
function prepare(
  catalogue: TenantCatalogue,
  jobs: readonly DecideJob[],
  unsettled: ReadonlySet<DecideJob>,
): { readonly prepared: Prepared[]; readonly refused: { readonly job: DecideJob; readonly error: unknown }[] } {
  const prepared: Prepared[] = [];
  const refused: { job: DecideJob; error: unknown }[] = [];
  for (const job of jobs) {
    if (!unsettled.has(job)) continue;
    try {
      const flow = catalogue.flowFor(job.call.flow);
      if (flow === null) throw new Error('the tenant has no runnable flow');
      const target = resolveTarget(flow.plan, job.call.request);
      if (target.problem !== null) throw targetProblem(target.problem);
      prepared.push({ job, flow, request: reduceRequest(job.call.request, flow.plan) });
    } catch (error) {
      refused.push({ job, error });
    }
  }
  return { prepared, refused };
}

/**
 * The newer version that explains the error: it was found, or a statement named a table or column that a newer catalogue
 * does not have any more. Throws the error when nothing newer explains it.
 */
async function versionBehind(ports: DecidePorts, catalogue: TenantCatalogue, error: unknown): Promise<number> {
  if (error instanceof StaleCatalogue) return error.version;
  if (!(error instanceof DatabaseError) || error.kind !== 'undefined_object') throw error;
  try {
    await assertNewest(ports, catalogue);
  } catch (newer) {
    if (newer instanceof StaleCatalogue) return newer.version;
    throw newer;
  }
  throw error;
}

/** Throws StaleCatalogue when the database has a newer one. */
async function assertNewest(ports: DecidePorts, catalogue: TenantCatalogue): Promise<void> {
  const [rows] = await ports.hot.run(catalogue.tenantId, (tx) => tx.send([newestVersions(catalogue.tenantId)]));
  const version = Number(rows![0]!.version);
  if (version > catalogue.version) throw new StaleCatalogue(version);
}

interface Customer {
  readonly row: StateRow;
  readonly state: CustomerState;
  key: KeyObject | null;
  changed: boolean;
}

interface Decided {
  readonly job: DecideJob;
  readonly answer: RecommendAnswer;
}

/** Reads, decides and commits; answers with the jobs of customers that somebody else holds, by customer. */
async function decideAll(
  ports: DecidePorts,
  catalogue: TenantCatalogue,
  tx: HotTransaction,
  prepared: readonly Prepared[],
  unsettled: Set<DecideJob>,
  wait: boolean,
): Promise<Map<string, DecideJob[]>> {
  const { tenantId } = catalogue;
  const stored = customersOf(prepared.filter((p) => !p.request.dryRun));
  const dry = customersOf(prepared.filter((p) => p.request.dryRun)).filter((id) => !stored.includes(id));
  const reads: ProfileReads = planProfileReads(catalogue, prepared);
  const statements: HotStatement[] = [newestVersions(tenantId)];
  if (stored.length > 0) statements.push(lockStates(tenantId, stored, wait));
  if (dry.length > 0) statements.push(readStates(tenantId, dry));
  const head = statements.length;
  const loaded = await tx.send([...statements, ...reads.statements]);

  const newest = loaded[0]![0]!;
  if (Number(newest.version) > catalogue.version) throw new StaleCatalogue(Number(newest.version));
  ports.catalogues.confirmed(tenantId);
  ports.evidence.newestIs(tenantId, Number(newest.evidence));
  const evidence = await ports.evidence.get(tenantId);

  const customers = new Map<string, Customer>();
  const take = (row: StateRow) =>
    customers.set(row.customerId, { row, state: decodeState(row.state), key: null, changed: false });
  for (const rows of loaded.slice(1, head)) for (const row of rows) take(stateRow(row));
  const missing = stored.filter((id) => !customers.has(id));
  if (missing.length > 0) {
    const fresh = missing.map((customerId) => ({ customerId, ref: newId(), wrappedKey: ports.keys.create(tenantId) }));
    const [made] = await tx.send([makeStates(tenantId, fresh)]);
    for (const row of made!) take(stateRow(row));
  }
  const profiles = await reads.resolve(loaded.slice(head), tx);

  const now = ports.clock.now();
  const left = new Map<string, DecideJob[]>();
  const decided: Decided[] = [];
  const decisions: Decision[] = [];
  const writes: Writes = {
    at: new Date(now),
    configVersion: catalogue.version,
    records: [],
    items: [],
    events: [],
    extra: [],
    plans: new Map(),
  };
  const horizonFrom = now - Math.max(catalogue.logHorizonMs(), retainedLogMs);
  const view = evidenceView(evidence);

  for (const [position, { job, flow, request }] of prepared.entries()) {
    const customer = customers.get(request.customerId);
    if (!customer && !request.dryRun) {
      const jobs = left.get(request.customerId);
      if (jobs) jobs.push(job);
      else left.set(request.customerId, [job]);
      continue;
    }
    const { plan } = flow;
    if (customer) await fillLog(tx, tenantId, customer, now - plan.logHorizonMs);
    const zones: Record<string, ZoneClock> = {};
    for (const zone of plan.zones) zones[zone] = ports.zoneClock(zone, now);
    const seed = seedOf(tenantId, request.requestId);
    const profile = profiles[position]!;
    const input: DecisionInput = {
      now,
      seed,
      zones,
      request,
      known: profile.known,
      profile: profile.values,
      enriched: profile.enriched,
      segments: [],
      contacts: foldContacts(customer?.state ?? noContacts, plan.windows, now, zones[plan.timezone]!),
      suppressions: [],
      evidence: view,
    };
    const { settings } = catalogue;
    const sampled =
      !request.dryRun &&
      settings.decisionTraceEnabled &&
      u(`trace:${request.requestId}`) < settings.decisionTraceSampleRate;
    const decision = decide(plan, input, { trace: sampled || job.call.debug });
    decisions.push(decision);

    // A request id that the server made is the decision's id: it tells the partition, and needs no row of its own.
    const decisionId = request.dryRun ? null : job.call.clientRequestId ? newDecisionId() : request.requestId;
    const interactionIds = decisionId === null ? null : decision.items.map((item) => itemId(decisionId, item.rank));
    const traceId = sampled ? newId() : null;
    const expiresAt = now + settings.reservationTtlSeconds * 1000;
    const answer = shapeAnswer(plan, decision, {
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
      reservationExpiresAt: new Date(expiresAt).toISOString(),
      dryRun: request.dryRun,
      debug: job.call.debug,
    });
    decided.push({ job, answer });
    if (decisionId === null || !customer) continue;

    // From here on: effects of a decision that is stored.
    const key = customer.key ?? ports.keys.open(tenantId, customer.row.wrappedKey);
    customer.key = key;
    const resultText = canonicalJson(resultOf(decision));
    const packed = packInput(input, flow.neverStore, flow.refs);
    const result = packResult(decision, flow.refs);
    writes.records.push({
      id: decisionId,
      requestId: job.call.clientRequestId ? request.requestId : null,
      customerRef: customer.row.ref,
      flowId: plan.flow.id,
      flowVersion: plan.flow.version,
      planHash: flow.hash,
      evidenceNumber: view.number,
      itemCount: decision.items.length,
      traceId,
      resultHash: hash('sha256', resultText, 'buffer'),
      body: seal(key, recordContext(tenantId, decisionId), JSON.stringify({ i: packed, r: result })),
    });
    const context = Object.keys(job.call.request.context).length > 0 ? JSON.stringify(job.call.request.context) : null;
    const { state } = customer;
    for (const [i, item] of decision.items.entries()) {
      const lane = laneOf(state, {
        offerId: item.offerId,
        creativeId: item.creativeId,
        channelId: item.channelId,
        campaignId: null,
      });
      const id = interactionIds![i]!;
      const reserved = item.effect === 'reserve';
      if (reserved) state.reservations.push({ id, lane, at: now, expiresAt });
      else addContact(state, lane, now);
      customer.changed = true;
      writes.items.push({
        id,
        customerId: request.customerId,
        reserved,
        offerId: item.offerId,
        creativeId: item.creativeId,
        channelId: item.channelId,
        placementId: item.placementId,
        categoryId: plan.names.offer(item.offerId)?.categoryId ?? null,
        recommendationId: decisionId,
        rank: item.rank,
        context,
        reservationExpiresAt: reserved ? new Date(expiresAt) : null,
      });
    }
    writes.events.push(decisionEvent(tenantId, catalogue.version, plan.flow.key, now, job.call, decisionId, decision));
    if (!flow.stored) writes.plans.set(flow.hash.toString('hex'), flow);
    if (traceId !== null) {
      writes.extra.push(
        insertTrace(tenantId, {
          id: traceId,
          decisionId,
          requestId: request.requestId,
          customerId: request.customerId,
          flowKey: plan.flow.key,
          body: JSON.stringify(traceBody(plan, input, decision, answer, flow.hash)),
          at: writes.at,
        }),
      );
    }
    if (job.payloadHash !== null) {
      writes.extra.push(
        insertRequest(tenantId, {
          requestId: request.requestId,
          decisionId,
          customerRef: customer.row.ref,
          payloadHash: job.payloadHash,
          answer: seal(key, requestContext(tenantId, request.requestId), JSON.stringify(answer)),
          at: writes.at,
        }),
      );
    }
  }

  if (writes.records.length > 0) {
    await tx.commit(writeStatements(tenantId, writes, customers, horizonFrom, now));
    for (const flow of writes.plans.values()) flow.stored = true;
  }
  for (const { job, answer } of decided) if (unsettled.delete(job)) job.resolve(answer);
  ports.observe({ batchSize: prepared.length, decisions });
  return left;
}

/** What a batch writes, gathered until the commit: one statement per table. */
interface Writes {
  readonly at: Date;
  readonly configVersion: number;
  readonly records: RecordRow[];
  readonly items: ItemRow[];
  readonly events: string[];
  readonly extra: HotStatement[];
  readonly plans: Map<string, CompiledFlow>;
}

function writeStatements(
  tenantId: string,
  writes: Writes,
  customers: ReadonlyMap<string, Customer>,
  horizonFrom: number,
  now: number,
): HotStatement[] {
  const ids: string[] = [];
  const states: Buffer[] = [];
  for (const [id, customer] of customers) {
    if (!customer.changed) continue;
    prune(customer.state, horizonFrom, now);
    ids.push(id);
    states.push(encodeState(customer.state));
  }
  const list: HotStatement[] = [];
  for (const flow of writes.plans.values()) list.push(insertPlan(tenantId, flow.hash, flow.body, writes.at));
  if (ids.length > 0) list.push(saveStates(tenantId, ids, states));
  const batch = { source: 'recommend', decidedAt: writes.at, configVersion: writes.configVersion, engineVersion };
  list.push(insertRecords(tenantId, batch, writes.records));
  if (writes.items.length > 0) list.push(insertItems(tenantId, writes.at, writes.items));
  list.push(...writes.extra, insertOutbox(tenantId, `[${writes.events.join(',')}]`, writes.at));
  return list;
}

/** A new window may look further back than the log was kept: history fills it, once, under the lock (decisioning.md 6). */
async function fillLog(tx: HotTransaction, tenantId: string, customer: Customer, from: number): Promise<void> {
  const { state } = customer;
  if (state.keptFrom <= from) return;
  const [rows] = await tx.send([
    contactsSince(tenantId, customer.row.customerId, new Date(from), firstIdAt(Math.max(0, from - lateEventMs))),
  ]);
  state.log = rows!.map((row) => ({
    lane: laneOf(state, {
      offerId: row.offer_id as string,
      creativeId: row.creative_id as string | null,
      channelId: row.channel_id as string | null,
      campaignId: row.campaign_id as string | null,
    }),
    at: (row.occurred_at as Date).getTime(),
  }));
  state.keptFrom = from;
  customer.changed = true;
}

function decisionEvent(
  tenantId: string,
  configVersion: number,
  flowKey: string,
  now: number,
  call: RecommendCall,
  recommendationId: string,
  decision: Decision,
): string {
  return JSON.stringify({
    id: newId(),
    type: 'decision.made.v1',
    tenantId,
    timestamp: new Date(now).toISOString(),
    payload: {
      requestId: call.request.requestId,
      recommendationId,
      customerId: call.request.customerId,
      decisionFlowKey: flowKey,
      configVersion,
      channel: call.request.channel,
      placement: call.request.placement,
      offersReturned: decision.items.length,
      items: decision.items.map((item) => ({
        offerId: item.offerId,
        rank: item.rank,
        score: item.score,
        selectionProbability: item.selection.probability,
        creativeId: item.creativeId,
        channelId: item.channelId,
        impression: item.effect === 'impress',
      })),
    },
  });
}

const customersOf = (prepared: readonly Prepared[]): string[] => [
  ...new Set(prepared.map((p) => p.request.customerId)),
];

const noContacts: Contacts = { lanes: [], totals: [], lastAt: [], log: [], keptFrom: 0, reservations: [] };

/** Seed of all chance in a decision (api-decisioning.md 1 no. 5). */
export function seedOf(tenantId: string, requestId: string): string {
  return hash('sha256', `arbiter-seed-1\0${tenantId}\0${requestId}`, 'hex').slice(0, 32);
}

/** Decision ids end in a zero byte, so that the ids of the items follow from them: id with the rank as last byte. */
export function newDecisionId(): string {
  return `${newId().slice(0, 34)}00`;
}

export function itemId(decisionId: string, rank: number): string {
  return decisionId.slice(0, 34) + rank.toString(16).padStart(2, '0');
}

export const recordContext = (tenantId: string, decisionId: string): string => `${tenantId}:${decisionId}:decision`;
export const requestContext = (tenantId: string, requestId: string): string => `${tenantId}:${requestId}:request`;
