import { simulationOperations } from '@arbiter/contract/deciding/simulations';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useMutate } from '../../../data/use-operation.ts';
import type { FlowConfig } from '../../../flow-canvas/editing/flow-config.ts';
import { useSimulation } from '../../../forms/impact/use-simulation.ts';
import type { FlowChange } from '../flow-search.ts';
import { populationOf } from '../population.ts';
import { useRested } from './use-flow-check.ts';

/** Customers counted at the nodes. */
const sampleSize = 200;
/** Milliseconds without changes before a draft is counted. */
const restMs = 1_000;
/** Minimum milliseconds between two automatic counts: a tenant has 20 segment simulations per minute. */
const minGapMs = 6_000;

interface Started {
  readonly id: string;
  readonly config: FlowConfig;
  readonly segment: string;
}

/** Counts the customers of a segment at each node of the unsaved draft, after each change. */
export function usePopulation(
  flowId: string,
  config: FlowConfig,
  { segment, channel }: Pick<FlowChange, 'segment' | 'channel'>,
  isSound: boolean,
) {
  const rested = useRested(config, restMs);
  const [started, setStarted] = useState<Started | null>(null);
  const last = useRef(0);
  const { run, busy, failure } = useMutate(simulationOperations.run);
  const answer = useSimulation(started?.id ?? null);
  const { data } = answer;
  const isRunning = busy || (started !== null && (data === undefined || data.status === 'running'));
  const isCurrent = started !== null && started.config === rested && started.segment === segment;
  const isDue = segment !== undefined && isSound && rested === config && !isRunning && !isCurrent && failure === null;
  const start = async () => {
    if (segment === undefined) return;
    last.current = Date.now();
    const place = channel === undefined ? {} : { channelId: channel };
    const body = {
      segmentId: segment,
      flowId,
      draftConfig: rested,
      sampleSize,
      nodeCounts: true,
      async: true,
      ...place,
    };
    const startedRun = await run({ body });
    if (startedRun !== null && 'id' in startedRun) setStarted({ id: startedRun.id, config: rested, segment });
  };
  const latest = useRef(start);
  latest.current = start;
  useEffect(() => {
    if (!isDue) return;
    const wait = setTimeout(() => void latest.current(), Math.max(0, last.current + minGapMs - Date.now()));
    return () => clearTimeout(wait);
  }, [isDue]);
  const shown = useLastCount(data);
  return {
    run: useMemo(() => (segment === undefined || shown === null ? null : populationOf(shown)), [segment, shown]),
    simulation: segment === undefined ? null : shown,
    failure: failure ?? answer.failure,
    /** True: the last count ended without a result. */
    hasFailed: isCurrent && data?.status === 'failed',
    isRunning,
    /** True: the counts are of an earlier draft. */
    isOld: !isCurrent || isRunning,
    /** Counts now, even after a failure. */
    countNow: () => void start(),
  };
}

type Answer = NonNullable<ReturnType<typeof useSimulation>['data']>;

/** The last finished simulation: its counts stay until new ones arrive. */
function useLastCount(data: Answer | undefined): Answer | null {
  const [shown, setShown] = useState<Answer | null>(null);
  if (data !== undefined && data.status === 'completed' && data !== shown) setShown(data);
  return shown;
}
