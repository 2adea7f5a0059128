import {
  type Contacts,
  type DecisionInput,
  type DecisionRequest,
  foldContacts,
  foldOutcomes,
  type Plan,
  type Suppression,
} from '@arbiter/engine';
import { isZone } from '../../../../platform/time/zones.ts';
import { nobody } from '../../../catalogue/segments/index.ts';
import type { BatchCustomer, KeptSuppression } from '../../customer-states/index.ts';
import type { LiveFlow, TenantCatalogue } from '../../plans/index.ts';
import type { DecidePorts } from '../recommend/decide-ports.ts';
import { openBreakers } from './model-inputs.ts';
import type { Profile } from './profile-reads.ts';
import type { BatchRead } from './read-batch.ts';
import { seeded } from './seeded-input.ts';

/** A question to the engine, resolved. */
export interface Question {
  readonly flow: LiveFlow;
  readonly request: DecisionRequest;
  /** Answers of the flow's webhooks; left out when none was asked. */
  readonly external?: DecisionInput['external'];
}

/** Returns the engine's whole input for the question at `at`. See `inputFacts`. */
export const decisionInput = (
  ports: Pick<DecidePorts, 'modelBreaker' | 'zoneClock'>,
  catalogue: TenantCatalogue,
  read: BatchRead,
  at: number,
  question: Question,
  customer: Pick<BatchCustomer, 'row' | 'state'> | null,
): DecisionInput => seeded(catalogue.tenantId, inputFacts(ports, catalogue, read, at, question, customer));

/**
 * The same but for the seed. `customer` holds the contacts so far; null for a customer without any. Reads nothing else.
 */
export function inputFacts(
  ports: Pick<DecidePorts, 'modelBreaker' | 'zoneClock'>,
  catalogue: TenantCatalogue,
  read: BatchRead,
  at: number,
  { flow, request, external }: Question,
  customer: Pick<BatchCustomer, 'row' | 'state'> | null,
): Omit<DecisionInput, 'seed'> {
  const { quota } = read;
  const now = read.nowOf(customer);
  const { plan } = flow;
  const profile = read.profiles[at]!;
  const membership = read.memberships[at] ?? nobody;
  const shared = read.zonesOf(plan, now);
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
    contacts: foldContacts(customer?.state ?? noContacts, plan.windows, now, clock, {
      longestCooldownMs: plan.longestCooldownMs,
      isNamed: read.isNamed,
    }),
    outcomes: outcomesOf(plan, customer, now),
    soldOut: plan.tracksStock ? read.soldOut : undefined,
    volumes: read.volumes?.near(plan),
    suppressions: suppressionsAt(flow.policyMarks ?? catalogue.policyMarks, customer, now),
    evidence: read.evidence,
    modelStates: read.modelStates === null ? undefined : read.modelStates(plan),
    openBreakers: openBreakers(ports, catalogue.tenantId, plan),
    objectiveCounts: plan.reads.objectiveCounts ? (read.objectiveCounts ?? undefined) : undefined,
    experiments: read.assignments.of(plan, request.customerId, now),
    joinTruncated: profile.isTruncated ? true : undefined,
    external,
    quotaLeft: request.dryRun ? undefined : quota?.left(),
  };
}

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

/**
 * Yields what auto-enrichment and each enrich node provide for fields that may name a zone. The engine uses one of
 * them.
 */
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

/** Returns the customer's outcomes, as far as the plan's policies read them. */
function outcomesOf({ outcomeReads }: Plan, customer: Pick<BatchCustomer, 'state'> | null, now: number) {
  if (outcomeReads === null) return undefined;
  return customer === null
    ? noOutcomes
    : foldOutcomes(customer.state.lanes, customer.state.outcomes, outcomeReads, now);
}

const noOutcomes: DecisionInput['outcomes'] = [];

/** Returns suppressions that haven't expired and that their policy would still write. */
function suppressionsAt(
  policyMarks: TenantCatalogue['policyMarks'],
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
