import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { useMemo } from 'react';
import { useOperation } from '../../data/use-operation.ts';

/** The flows of the tenant, and their names by ID. */
export function useFlowNames() {
  const flows = useOperation(decisionFlowOperations.list, { query: { limit: 100 } }).data?.data;
  const names = useMemo(() => new Map(flows?.map(({ id, name }) => [id, name])), [flows]);
  return { flows: flows ?? [], names };
}
