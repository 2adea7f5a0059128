import {
  type Contacts,
  type DecideOptions,
  type Decision,
  type DecisionInput,
  decide,
  foldContacts,
  foldOutcomes,
  type Plan,
  type Suppression,
  u,
} from '@arbiter/engine';
import { newId } from '../../platform/ids.ts';
import { isZone } from '../../platform/zones.ts';
import type { BatchCustomer, KeptSuppression } from '../customer-states/index.ts';
import type { LiveFlow, TenantCatalogue } from '../plans/index.ts';
import { type ItemTexts, itemId, itemTexts, newDecisionId } from '../sealed-records/index.ts';
import { nobody } from '../segments/index.ts';
import type { AnswerFacts } from './answer.ts';
import { answerText } from './answer-text.ts';
import type { DecideJob, Prepared } from './decide-job.ts';
import type { DecidePorts } from './decide-ports.ts';
import { noteModels, openBreakers } from './model-inputs.ts';
import type { Profile } from './profile-reads.ts';
import type { BatchRead } from './read-batch.ts';
import { seeded } from './seeded-input.ts';

/** A decision with its answer; nothing of it is stored yet. */
export interface MadeDecision {
  /** Null for a dry run, which is not stored. */
  readonly id: string | null;
  /** One for each item; none for a dry run. */
  readonly interactionIds: readonly string[];
  /** Null when no trace is to be stored. */
  readonly traceId: string | null;
  readonly job: DecideJob;
  readonly flow: LiveFlow;
  readonly input: DecisionInput;
  /** Segments that the record keeps; the input has those that the plan can use. */
  readonly segments: readonly string[];
  readonly decision: Decision;
  readonly texts: readonly ItemTexts[];
  /** Time in the engine, microseconds. Beside the decision: the same inputs take another time when they are run again. */
  readonly engineUs: number;
  /** The answer as it is sent. */
  readonly answer: string;
  readonly facts: AnswerFacts;
  /** Epoch ms. */
  readonly reservationExpiresAt: number;
}

/** A decision that is to be stored. */
export interface StoredDecision extends MadeDecision {
  readonly id: string;
}

export const isStored = (made: MadeDecision): made is StoredDecision => made.id !== null;

/**
 * Makes one decision from what was read of the question at `at`, and words its answer. Reads and writes nothing else, but
 * for new ids and the stage clock. `customer` holds the contacts so far, those of the batch's earlier decisions among them; null for a
 * customer without any.
 */
export function decideOne(
  ports: DecidePorts,
  catalogue: TenantCatalogue,
  read: BatchRead,
  at: number,
  { job, flow, request }: Prepared,
  customer: Pick<BatchCustomer, 'row' | 'state'> | null,
): MadeDecision {
  const { tenantId, settings } = catalogue;
  const { now, quota } = read;
  const { plan } = flow;
  const { dryRun } = request;
  const profile = read.profiles[at]!;
  const membership = read.memberships[at] ?? nobody;
  const input = seeded(tenantId, inputFacts(ports, catalogue, read, at, { job, flow, request }, customer));
  const sampled =
    !dryRun && settings.decisionTraceEnabled && u(`trace:${request.requestId}`) < settings.decisionTraceSampleRate;
  const trace = sampled || job.call.debug;
  const stages = ports.stages.begin(trace);
  const startedAt = performance.now();
  const decision = decide(plan, input, stages === null ? untraced : { trace, observe: stages.observe });
  const engineUs = Math.round((performance.now() - startedAt) * 1000);
  ports.stages.end(stages);
  noteModels(ports, tenantId, decision);
  const texts = itemTexts(decision);

  // A request id that the server made is the decision's id: it tells the partition, and needs no row of its own.
  const id = dryRun ? null : job.call.clientRequestId ? newDecisionId() : request.requestId;
  const interactionIds = id === null ? noIds : decision.items.map((item) => itemId(id, item.rank));
  const traceId = sampled ? newId() : null;
  const reservationExpiresAt = now + settings.reservationTtlSeconds * 1000;
  const facts: AnswerFacts = {
    requestId: request.requestId,
    recommendationId: id,
    interactionIds: id === null ? null : interactionIds,
    customerId: request.customerId,
    anonymous: job.call.anonymous,
    known: profile.known,
    asked: job.call.request,
    now,
    configVersion: catalogue.version,
    configAgeMs: read.configAgeMs,
    evidenceAgeMs: read.evidenceAgeMs,
    profileAgeMs: 0,
    durationMs: Math.max(0, Math.round(performance.now() - job.startedAt)),
    traceId,
    stages,
    reservationExpiresAt: () => new Date(reservationExpiresAt).toISOString(),
    dryRun,
    debug: job.call.debug,
    quota: quota?.facts(dryRun ? 0 : decision.items.length, decision.withheldByQuota > 0) ?? null,
  };
  const answer = answerText(plan, decision, facts, texts);
  return {
    id,
    interactionIds,
    traceId,
    job,
    flow,
    input,
    segments: membership.kept,
    decision,
    texts,
    engineUs,
    answer,
    facts,
    reservationExpiresAt,
  };
}

/** What the question at `at` is decided by, but for its seed. */
export function inputFacts(
  ports: Pick<DecidePorts, 'modelBreaker' | 'zoneClock'>,
  catalogue: TenantCatalogue,
  read: BatchRead,
  at: number,
  { job, flow: { plan }, request }: Prepared,
  customer: Pick<BatchCustomer, 'row' | 'state'> | null,
): Omit<DecisionInput, 'seed'> {
  const { now, quota } = read;
  const profile = read.profiles[at]!;
  const membership = read.memberships[at] ?? nobody;
  const shared = read.zonesOf(plan);
  const clock = shared[plan.timezone]!;
  const zones = plan.zoneFields.length === 0 ? shared : withOwnZones(ports, plan, shared, profile, now);
  return {
    now,
    zones,
    request,
    known: profile.known,
    profile: profile.values,
    enriched: profile.enriched,
    segments: membership.used,
    contacts: foldContacts(customer?.state ?? noContacts, plan.windows, now, clock, plan.longestCooldownMs),
    outcomes: outcomesOf(plan, customer, now),
    soldOut: plan.tracksStock ? read.soldOut : undefined,
    volumes: read.volumes?.near(plan),
    suppressions: suppressionsAt(catalogue, customer, now),
    evidence: read.evidence,
    modelStates: read.modelStates === null ? undefined : read.modelStates(plan),
    openBreakers: openBreakers(ports, catalogue.tenantId, plan),
    objectiveCounts: plan.reads.objectiveCounts ? (read.objectiveCounts ?? undefined) : undefined,
    joinTruncated: profile.isTruncated ? true : undefined,
    external: job.asked?.answers,
    quotaLeft: request.dryRun ? undefined : quota?.left(),
  };
}

const untraced: DecideOptions = {};
const noIds: readonly string[] = [];
const noSuppressions: readonly KeptSuppression[] = [];

/** The clocks with those of zones that the customer's profile names. */
function withOwnZones(
  { zoneClock }: Pick<DecidePorts, 'zoneClock'>,
  plan: Plan,
  shared: DecisionInput['zones'],
  profile: Profile,
  now: number,
): DecisionInput['zones'] {
  const zones = { ...shared };
  for (const value of valuesOf(plan, profile)) {
    if (typeof value !== 'string' || Object.hasOwn(zones, value) || !isZone(value)) continue;
    zones[value] = zoneClock(value, now);
  }
  return zones;
}

/** What auto-enrichment and each enrich node give for the fields that may name a zone; the engine takes one of them. */
function* valuesOf({ zoneFields, enrichSources }: Plan, { values, enriched }: Profile): Generator<unknown> {
  for (const field of zoneFields) {
    if (Object.hasOwn(values, field)) yield values[field];
    for (const { nodeId, position, prefix } of enrichSources) {
      const column = field.startsWith(prefix) ? field.slice(prefix.length) : null;
      const row = enriched[nodeId]?.[position];
      if (column !== null && row != null && Object.hasOwn(row, column)) yield row[column];
    }
  }
}

/** The customer's outcomes as far as policies of the plan look at them. */
function outcomesOf({ outcomeReads }: Plan, customer: Pick<BatchCustomer, 'state'> | null, now: number) {
  if (outcomeReads === null) return undefined;
  return customer === null
    ? noOutcomes
    : foldOutcomes(customer.state.lanes, customer.state.outcomes, outcomeReads, now);
}

const noOutcomes: DecisionInput['outcomes'] = [];

/** Those that have not expired, and that their policy would write as it is now. */
function suppressionsAt(
  { policyMarks }: TenantCatalogue,
  customer: Pick<BatchCustomer, 'row'> | null,
  now: number,
): DecisionInput['suppressions'] {
  const rows = customer?.row.suppressions ?? noSuppressions;
  if (rows.length === 0) return noSuppressions;
  const inForce: Suppression[] = [];
  for (const { mark, ...row } of rows) {
    if (row.expiresAt > now && (row.policyId === null || policyMarks.get(row.policyId) === mark)) inForce.push(row);
  }
  return inForce;
}

const noContacts: Contacts = { lanes: [], totals: [], lastAt: [], log: [], keptFrom: 0, reservations: [] };
