import { simulationOperations } from '@arbiter/contract/deciding/simulations';
import { useMemo, useState } from 'react';
import { callsLeft } from '../../../data/pace.ts';
import { useOperation } from '../../../data/use-operation.ts';
import type { FlowConfig } from '../../../flow-canvas/editing/flow-config.ts';
import type { FlowChange } from '../flow-search.ts';
import { readRun } from '../run.ts';
import { useRested } from './use-flow-check.ts';

/** Milliseconds without changes before a draft runs. */
const restMs = 700;
/** With fewer simulations left in the minute, the draft runs only on demand. */
const fewLeft = 60;

/** Runs the unsaved draft for the selected customer after each change. `isSound`: a draft with errors can't decide. */
export function useDraftRun(
  flowId: string,
  config: FlowConfig,
  { customer, channel }: Pick<FlowChange, 'customer' | 'channel'>,
  isSound: boolean,
) {
  const rested = useRested(config, restMs);
  const [requested, setRequested] = useState<FlowConfig | null>(null);
  const left = callsLeft(simulationOperations.run);
  const isManual = left !== null && left < fewLeft;
  const simulation = useOperation(
    simulationOperations.run,
    useMemo(
      () => ({
        body: {
          ...{ customerId: customer ?? '', flowId, draftConfig: rested },
          ...(channel === undefined ? {} : { channelId: channel }),
        },
      }),
      [customer, channel, flowId, rested],
    ),
    { enabled: customer !== undefined && isSound && rested === config && (!isManual || requested === rested) },
  );
  const { data, refresh } = simulation;
  const run = useMemo(() => (data !== undefined && 'decisions' in data ? readRun(data) : null), [data]);
  return {
    run: customer === undefined ? null : run,
    simulation,
    /** True: the shown counts are of an earlier draft. */
    isOld: run !== null && (rested !== config || simulation.old || (isManual && requested !== rested)),
    isManual: isManual && customer !== undefined && requested !== rested,
    runNow: () => {
      if (requested === rested) refresh();
      setRequested(rested);
    },
  };
}
