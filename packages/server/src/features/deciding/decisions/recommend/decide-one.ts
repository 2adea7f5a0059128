import {
  type DecideOptions,
  type Decision,
  type DecisionInput,
  decide,
  type ItemTexts,
  itemTexts,
  u,
} from '@arbiter/engine';
import { newId } from '../../../../platform/ids.ts';
import { nobody } from '../../../catalogue/segments/index.ts';
import type { BatchCustomer } from '../../customer-states/index.ts';
import type { LiveFlow, TenantCatalogue } from '../../plans/index.ts';
import { itemId, newDecisionId } from '../../sealed-records/index.ts';
import { decisionInput } from '../reads/decision-input.ts';
import { noteModels } from '../reads/model-inputs.ts';
import type { BatchRead } from '../reads/read-batch.ts';
import type { AnswerFacts } from './answer.ts';
import { answerText } from './answer-text.ts';
import type { DecideJob, PreparedJob } from './decide-job.ts';
import type { DecidePorts } from './decide-ports.ts';

/** A decision with its answer; nothing of it is stored yet. */
export interface MadeDecision {
  /** Null for a dry run, which is not stored. */
  readonly id: string | null;
  /** One per item; none for a dry run. */
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
  /** Time in the engine in microseconds. Not part of the decision: it differs each time the same inputs run. */
  readonly engineUs: number;
  /** The answer as it is sent; empty when nobody reads it. */
  readonly answer: string;
  readonly facts: AnswerFacts;
  /** Epoch ms. */
  readonly reservationExpiresAt: number;
}

/** A decision to store. */
export interface StoredDecision extends MadeDecision {
  readonly id: string;
}

export const isStored = (made: MadeDecision): made is StoredDecision => made.id !== null;

/**
 * Makes one decision from what was read for the question at `at`, and shapes its answer. Reads and writes nothing else,
 * except for new ids and the stage clock. `customer` has the contacts so far, including those of the batch's earlier
 * decisions; null for a customer without any.
 */
export function decideOne(
  ports: DecidePorts,
  catalogue: TenantCatalogue,
  read: BatchRead,
  at: number,
  { job, flow, request }: PreparedJob,
  customer: Pick<BatchCustomer, 'row' | 'state'> | null,
): MadeDecision {
  const { settings } = catalogue;
  const { quota } = read;
  const { dryRun } = request;
  const profile = read.profiles[at]!;
  const input = decisionInput(ports, catalogue, read, at, { flow, request, external: job.asked?.answers }, customer);
  const sampled =
    !dryRun && settings.decisionTraceEnabled && u(`trace:${request.requestId}`) < settings.decisionTraceSampleRate;
  const trace = sampled || job.call.debug;
  const stages = ports.stages.begin(trace);
  const startedAt = performance.now();
  const decision = decide(flow.plan, input, stages === null ? untraced : { trace, observe: stages.observe });
  const engineUs = Math.round((performance.now() - startedAt) * 1000);
  ports.stages.end(stages);
  noteModels(ports, catalogue.tenantId, decision);
  const texts = itemTexts(decision);

  // A request id that the server created becomes the decision's id: it identifies the partition and needs no row of its
  // own.
  const id = dryRun ? null : job.call.clientRequestId ? newDecisionId() : request.requestId;
  const interactionIds = id === null ? noIds : decision.items.map((item) => itemId(id, item.rank));
  const traceId = sampled ? newId() : null;
  const reservationExpiresAt = input.now + settings.reservationTtlSeconds * 1000;
  const facts: AnswerFacts = {
    requestId: request.requestId,
    recommendationId: id,
    interactionIds: id === null ? null : interactionIds,
    customerId: request.customerId,
    anonymous: job.call.anonymous,
    known: profile.known,
    asked: job.call.request,
    now: input.now,
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
    schemaWarnings: read.unread.get(flow) ?? [],
    quota: quota?.facts(dryRun ? 0 : decision.items.length, decision.withheldByQuota > 0) ?? null,
  };
  const answer = job.isSilent === true ? '' : answerText(flow.plan, decision, facts, texts);
  return {
    id,
    interactionIds,
    traceId,
    job,
    flow,
    input,
    segments: (read.memberships[at] ?? nobody).kept,
    decision,
    texts,
    engineUs,
    answer,
    facts,
    reservationExpiresAt,
  };
}

const untraced: DecideOptions = {};
const noIds: readonly string[] = [];
