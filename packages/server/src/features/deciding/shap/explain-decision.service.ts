import type { DecisionShap, OperationInput, shapOperations } from '@arbiter/contract';
import { type CaseExplanation, roundHalfAway, type SnapshotOffer } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { asJsonObject } from '../../../platform/json.ts';
import { snapshotOffersNamed } from '../../catalogue/offers/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { requireExplanations } from '../../identity/settings/index.ts';
import { decisionNamed, hasTrace } from '../decisions/index.ts';
import { isRecorded, type RecordPorts, recordedScope, traceNamedBy } from '../sealed-records/index.ts';
import { type BoostedModel, findModel, openBoosted } from './boosted-model.ts';

type Question = OperationInput<typeof shapOperations.decision>['body'];

const defaultDecimals = 6;

/**
 * Explains a score of a decision. Throws 403 `explanations_not_enabled`, 404 for a decision, model
 * or offer that the tenant doesn't have, 400 `model_unsupported`, 409 `inputs_unavailable`. Audited.
 */
export async function explainDecision(
  tx: Tx,
  ports: RecordPorts,
  id: string,
  question: Question,
): Promise<DecisionShap> {
  await requireExplanations(tx);
  const decision = await findDecision(tx, id.toLowerCase());
  const row = await findModel(tx, question.modelId);
  const offer = await findOffer(tx, question.offerId ?? null);
  const model = await openBoosted(tx, row);
  const explanation = await explain(tx, ports, decision.id, model, question, offer);
  const decimals = question.round ?? defaultDecimals;
  const round = (value: number): number => (decimals === 0 ? value : roundHalfAway(value, decimals));
  const { shapValues, additivityResidual, coverSource } = explanation;
  const shown = {
    modelId: row.id,
    modelName: row.name,
    offerId: offer?.id ?? null,
    featureCount: shapValues.length,
    baseline: round(explanation.baseline),
    rawMargin: round(explanation.rawMargin),
    additivityResidual,
  };
  await recordAudit(tx, {
    action: 'compute_shap',
    entityType: 'decision_trace',
    entityId: decision.traceId ?? decision.id,
    entityName: row.name,
    after: shown,
  });
  return {
    decisionTraceId: decision.traceId,
    ...shown,
    shapValues: Object.fromEntries(shapValues.map(([feature, value]) => [feature, round(value)])),
    method: 'tree_path_dependent',
    coverSource,
    score: round(explanation.score),
  };
}

/** A decision is known by its record or, after that has expired, by its request or trace. */
async function findDecision(tx: Tx, id: string): Promise<{ readonly id: string; readonly traceId: string | null }> {
  const decisionId = !isUuid(id) ? null : (await isRecorded(tx, id)) ? id : await decisionNamed(tx, id);
  if (decisionId === null) throw new AppError('not_found', { detail: 'Decision not found.' });
  const traceId = (await traceNamedBy(tx, decisionId)) ?? id;
  return { id: decisionId, traceId: (await hasTrace(tx, traceId)) ? traceId : null };
}

async function findOffer(tx: Tx, id: string | null): Promise<SnapshotOffer | null> {
  if (id === null) return null;
  const [offer] = await snapshotOffersNamed(tx, [id]);
  if (offer === undefined) throw new AppError('not_found', { detail: 'Offer not found.' });
  return offer;
}

async function explain(
  tx: Tx,
  ports: RecordPorts,
  decisionId: string,
  { explainer }: BoostedModel,
  { attributes }: Question,
  offer: SnapshotOffer | null,
): Promise<CaseExplanation> {
  if (Object.keys(attributes).length > 0) return explainer.values(asJsonObject(attributes), offer);
  const scopeOf = await recordedScope(tx, ports, decisionId);
  return explainer.scope(scopeOf(offer));
}
