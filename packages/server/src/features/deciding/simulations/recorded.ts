import type { SimulatedAnswer, SimulateRequest } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { decideTrial, decisionNamed, seedFrom, shapeAnswer } from '../decisions/index.ts';
import { recordedQuestion } from '../sealed-records/index.ts';
import { notSetBy, withChanges } from './edits.rules.ts';
import type { SimulationCaller, SimulationPorts } from './simulations.service.ts';

/**
 * Repeats a customer's recorded decision with the requested changes. Without changes it is the same decision, with its
 * trace, whether or not one was stored. Throws 404, also for another customer's decision; 409 `inputs_unavailable`,
 * `record_corrupt`.
 */
export async function simulateRecorded(
  { database, decisions }: SimulationPorts,
  { tenantId, until }: Pick<SimulationCaller, 'tenantId' | 'until'>,
  customerId: string,
  decisionId: string,
  body: Pick<SimulateRequest, 'profile' | 'attributes' | 'segments' | 'limit' | 'seed'>,
): Promise<SimulatedAnswer> {
  const startedAt = performance.now();
  const records = { keys: decisions.keys, archive: decisions.archive, decisionNamed };
  const recorded = await database.withTenant(
    tenantId,
    systemActor('simulate'),
    (tx) => recordedQuestion(tx, records, decisionId, customerId),
    { until },
  );
  const { plan } = recorded.flow;
  const changed = withChanges(plan, recorded.input, body);
  const input = {
    ...changed,
    request: { ...changed.request, limit: body.limit ?? changed.request.limit },
    seed: body.seed === undefined ? changed.seed : seedFrom(tenantId, body.seed),
  };
  const { decision, stages } = decideTrial({ flow: recorded.flow, input });
  const answer = shapeAnswer(plan, decision, {
    requestId: input.request.requestId,
    recommendationId: null,
    interactionIds: null,
    customerId,
    anonymous: false,
    known: input.known,
    asked: input.request,
    now: input.now,
    configVersion: recorded.configVersion,
    configAgeMs: 0,
    evidenceAgeMs: 0,
    profileAgeMs: 0,
    durationMs: Math.max(0, Math.round(performance.now() - startedAt)),
    traceId: null,
    stages,
    reservationExpiresAt: () => new Date(input.now).toISOString(),
    dryRun: true,
    debug: true,
    schemaWarnings: [],
    quota: null,
  });
  return { ...answer, simulated: true, recordedDecisionId: recorded.id, notSet: notSetBy(plan, input, body.profile) };
}
