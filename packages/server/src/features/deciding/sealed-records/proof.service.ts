import { hash } from 'node:crypto';
import { canonicalJson, type Proof } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { readStateBodies } from '../../catalogue/models/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { evidenceToJson, rebuildEvidence } from '../evidence/index.ts';
import { readCounts } from '../objectives/index.ts';
import { readPlanTexts } from '../plans/index.ts';
import { seedOf } from './decision-ids.ts';
import { openRecord, planOf, type RecordPorts } from './sealed-records.service.ts';

/**
 * Returns everything that a replay of a decision reads, for a proof file (docs/adr/0104). Audited. Throws 404, 409
 * `inputs_unavailable` after erasure, `record_corrupt`.
 */
export async function proveDecision(tx: Tx, ports: RecordPorts, id: string): Promise<Proof> {
  const { record, body } = await openRecord(tx, ports, id);
  if (body === null) throw new AppError('inputs_unavailable', { detail: 'The inputs were erased with the customer.' });
  const { plan } = await planOf(tx, record, body);
  const evidence = evidenceToJson(await rebuildEvidence(tx, Number(record.evidenceNumber)));
  const counts = record.countsNumber === null ? null : await readCounts(tx, Number(record.countsNumber));
  const states = await readStateBodies(tx, [...new Set(Object.values(body.i.m ?? {}))]);
  const inputs = JSON.stringify(body.i);
  await recordAudit(tx, {
    action: 'download_proof',
    entityType: 'decision',
    entityId: record.id,
    entityName: plan.flow.key,
  });
  return {
    format: 1,
    decision: {
      recommendationId: record.id,
      requestId: record.requestId,
      customerId: record.customerId,
      decidedAt: record.decidedAt.toISOString(),
      flow: { key: plan.flow.key, version: record.flowVersion },
      engineVersion: record.engineVersion,
    },
    planHash: record.planHash.toString('hex'),
    inputsHash: hash('sha256', inputs, 'hex'),
    resultHash: record.resultHash.toString('hex'),
    plan: await readPlanTexts(tx, record.planHash),
    inputs,
    result: JSON.stringify(body.r),
    seed: seedOf(tx.tenantId, record.requestId),
    evidence: { global: evidence.global, offers: evidence.offers, categories: evidence.categories },
    objectiveCounts: counts === null ? null : { number: counts.number, offers: [...counts.offers] },
    modelStates: Object.fromEntries([...states].map(([name, state]) => [name, canonicalJson(state)])),
    withheld: [...(body.i.w ?? []), ...(body.i.u ?? [])].sort(),
  };
}
