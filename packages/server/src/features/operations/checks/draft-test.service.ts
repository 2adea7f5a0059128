import type { DecisionTestDraft } from '@arbiter/contract';
import { decide } from '@arbiter/engine';
import { testOfDecision } from '@arbiter/lab';
import type { Tx } from '../../../db/index.ts';
import { readNames } from '../../catalogue/catalogue-records/index.ts';
import { decisionNamed } from '../../deciding/decisions/index.ts';
import { type RecordPorts, recordedQuestion } from '../../deciding/sealed-records/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';

/** What opens records. */
export interface DraftPorts {
  readonly decisions: Pick<RecordPorts, 'keys' | 'archive'>;
}

/**
 * Returns the body of a test that expects a recorded decision again. The access to its inputs is audited. Throws 404, 409
 * `inputs_unavailable`, `record_corrupt`.
 */
export async function draftTest(
  tx: Tx,
  { decisions: { keys, archive } }: DraftPorts,
  id: string,
  { copiesValues }: { readonly copiesValues: boolean },
): Promise<DecisionTestDraft> {
  const recorded = await recordedQuestion(tx, { keys, archive, decisionNamed }, id, null);
  const { flow, input } = recorded;
  const { plan, refs } = flow;
  const names = new Map([
    ...[refs.snapshot.offers, refs.snapshot.channels].flat().map(({ id: own, name }) => [own, name] as const),
    ...(await namesNow(tx)),
  ]);
  const { given, expect, leftOut } = testOfDecision(
    { plan, input, decision: decide(plan, input), nameOf: (own) => names.get(own) ?? null },
    copiesValues,
  );
  await recordAudit(tx, {
    action: 'read_decision_inputs',
    entityType: 'decision',
    entityId: recorded.id,
    entityName: plan.flow.key,
  });
  const name = `Decision of ${given.now}`;
  return {
    test: { decisionFlowId: plan.flow.id, name, given, expect } as DecisionTestDraft['test'],
    leftOut: [...leftOut],
  };
}

/** Names that tests use now, by id. */
async function namesNow(tx: Tx): Promise<(readonly [string, string])[]> {
  const kinds = ['offer', 'channel', 'segment', 'category', 'subCategory'] as const;
  const lists = [];
  for (const kind of kinds) lists.push(await readNames(tx, kind));
  return lists.flat().map(({ id, name }) => [id, name] as const);
}
