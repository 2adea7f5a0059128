import { simulationOperations } from '@arbiter/contract/deciding/simulations';
import { useEffect, useRef, useState } from 'react';
import { type Failure, failureOf } from '../../../data/failure.ts';
import { callsLeft } from '../../../data/pace.ts';
import { type Ask, useAsk } from '../../../data/use-ask.ts';
import type { FlowConfig } from '../../../flow-canvas/editing/flow-config.ts';
import { readRun } from '../run.ts';
import { useRested } from './use-flow-check.ts';

/** Pinned customers that a draft runs for. */
export const maxPinned = 10;
/** Milliseconds without changes before the draft runs. */
const restMs = 1_500;
/** With fewer simulations left in the minute, the draft runs only on demand. */
const fewLeft = 60;

export interface FirstOffer {
  readonly offerId: string;
  readonly name: string;
}

/** What a customer gets first; null: no offer. */
export interface PinnedRun {
  readonly draft: FirstOffer | null;
  /** Undefined: the flow isn't live. */
  readonly live: FirstOffer | null | undefined;
  readonly failure: Failure | null;
}

interface Runs {
  readonly config: FlowConfig;
  readonly byCustomer: ReadonlyMap<string, PinnedRun>;
}

/** Runs the unsaved draft and the live version for pinned customers, one after the other. */
export function usePinnedRuns(
  flow: { readonly id: string; readonly isLive: boolean },
  config: FlowConfig,
  customers: readonly string[],
  { isSound, channel }: { readonly isSound: boolean; readonly channel: string | undefined },
) {
  const ask = useAsk();
  const rested = useRested(config, restMs);
  const [runs, setRuns] = useState<Runs | null>(null);
  const [isRunning, setRunning] = useState(false);
  const turn = useRef(0);
  const runNow = async () => {
    turn.current += 1;
    const own = turn.current;
    setRunning(true);
    const byCustomer = new Map<string, PinnedRun>();
    for (const customer of customers) {
      const result = await runFor(ask, flow, rested, { customer, channel });
      // A newer run has started.
      if (own !== turn.current) return;
      byCustomer.set(customer, result);
      setRuns({ config: rested, byCustomer: new Map(byCustomer) });
    }
    setRunning(false);
  };
  const remainingCalls = callsLeft(simulationOperations.run);
  const isManual = remainingCalls !== null && remainingCalls < fewLeft;
  const isCurrent = runs?.config === rested && customers.every((customer) => runs.byCustomer.has(customer));
  const isDue = isSound && !isManual && !isCurrent && rested === config && customers.length > 0;
  const latest = useRef(runNow);
  latest.current = runNow;
  const names = customers.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of customers or config starts again
  useEffect(() => {
    if (isDue) void latest.current();
  }, [isDue, names, rested]);
  return {
    byCustomer: runs?.byCustomer ?? none,
    isRunning,
    isOld: !isCurrent,
    isManual: isManual && !isCurrent,
    runNow: () => void runNow(),
  };
}

const none: Runs['byCustomer'] = new Map();

/** What a customer gets first from the draft, and from the live version if there is one. */
async function runFor(
  ask: Ask,
  flow: { readonly id: string; readonly isLive: boolean },
  draftConfig: FlowConfig,
  { customer, channel }: { readonly customer: string; readonly channel: string | undefined },
): Promise<PinnedRun> {
  const firstOf = async (version: object): Promise<FirstOffer | null> => {
    const place = channel === undefined ? {} : { channelId: channel };
    const body = { customerId: customer, flowId: flow.id, ...version, ...place };
    const answer = await ask(simulationOperations.run, { body });
    if (answer === null || !('decisions' in answer)) return null;
    const [first] = readRun(answer).shown;
    return first === undefined ? null : { offerId: first.offerId, name: first.name };
  };
  try {
    const draft = await firstOf({ draftConfig });
    const live = flow.isLive ? await firstOf({ version: 'published' }) : undefined;
    return { draft, live, failure: null };
  } catch (error) {
    return { draft: null, live: undefined, failure: failureOf(error) };
  }
}
