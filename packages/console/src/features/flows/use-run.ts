import { type DecisionFlow, decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { simulationOperations } from '@arbiter/contract/deciding/simulations';
import { useMemo } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import type { NodeProblem } from '../../flow-canvas/index.ts';
import type { FlowSearch } from './flow-search.ts';
import { readRun } from './run.ts';

/** Simulates the decision for the selected customer with the shown version, or replays a recorded one on its record. */
export function useRun(
  flow: DecisionFlow,
  version: 'draft' | number,
  { customer, channel, decision }: FlowSearch,
  problems: readonly NodeProblem[] | null,
) {
  // A draft with errors can't decide, and the page lists its errors.
  const isSound = problems?.every(({ severity }) => severity !== 'error') ?? false;
  const canRun = decision !== undefined || version !== 'draft' || isSound;
  const simulation = useOperation(
    simulationOperations.run,
    {
      body:
        decision === undefined
          ? {
              customerId: customer ?? '',
              flowId: flow.id,
              version,
              ...(channel === undefined ? {} : { channelId: channel }),
            }
          : { customerId: customer ?? '', decisionId: decision },
    },
    { enabled: customer !== undefined && flow.deletedAt === null && canRun, keepPrevious: false },
  );
  const { data } = simulation;
  const run = useMemo(() => (data !== undefined && 'decisions' in data ? readRun(data) : null), [data]);
  return { run: customer === undefined ? null : run, simulation };
}

/** Validates a draft; null until the response, and for published versions, which were validated before publishing. */
export function useProblems(flow: DecisionFlow, version: 'draft' | number): readonly NodeProblem[] | null {
  const input = useMemo(() => ({ body: { id: flow.id, draftConfig: flow.draftConfig } }), [flow]);
  const check = useOperation(decisionFlowOperations.validate, input, {
    enabled: version === 'draft' && flow.deletedAt === null,
  });
  const { data } = check;
  return useMemo(
    () =>
      version === 'draft' && data !== undefined
        ? [
            ...data.errors.map(({ nodeId, message }) => ({ nodeId, message, severity: 'error' as const })),
            ...data.warnings.map(({ nodeId, message }) => ({ nodeId, message, severity: 'warning' as const })),
          ]
        : null,
    [version, data],
  );
}
