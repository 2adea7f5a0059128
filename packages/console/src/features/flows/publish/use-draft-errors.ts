import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { useMemo } from 'react';
import { useOperation } from '../../../data/use-operation.ts';

/** Problems that keep the draft from being published; undefined until the server has checked it. */
export function useDraftErrors(flow: DecisionFlow) {
  const input = useMemo(() => ({ body: { id: flow.id, draftConfig: flow.draftConfig } }), [flow]);
  return useOperation(decisionFlowOperations.validate, input).data?.errors;
}
