import { contactPolicyOperations } from '@arbiter/contract/catalogue/contact-policies';
import { creativeOperations } from '@arbiter/contract/catalogue/creatives';
import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { offerOperations } from '@arbiter/contract/catalogue/offers';
import type { DataSchema } from '@arbiter/contract/catalogue/schemas';
import { schemaOperations } from '@arbiter/contract/catalogue/schemas';
import { useEffect, useRef } from 'react';
import { useOperation } from '../../../data/use-operation.ts';

/** The steps from an empty tenant to a decision, in order. */
export const startSteps = ['customers', 'offer', 'creative', 'limit', 'flow', 'decision'] as const;
export type StartStep = (typeof startSteps)[number];

interface Named {
  readonly id: string;
  readonly name: string;
}

/** What each step created in the tenant; null while it's pending. */
export interface StartState {
  readonly customers: Pick<DataSchema, 'id' | 'displayName' | 'autoEnrich'> | null;
  readonly offer: Named | null;
  readonly creative: Named | null;
  readonly limit: Named | null;
  readonly flow: Named | null;
  readonly decision: boolean;
}

/** Returns whether a step is done. */
export const isDone = (state: StartState, step: StartStep): boolean => state[step] !== null && state[step] !== false;

/** Returns the first pending step; null after the last. */
export const nextStep = (state: StartState): StartStep | null =>
  startSteps.find((step) => !isDone(state, step)) ?? null;

/** Whether decisions can be made: all steps are done except limits and the decision. */
export const canDecide = (state: StartState): boolean =>
  (['customers', 'offer', 'creative', 'flow'] as const).every((step) => isDone(state, step));

const active = { query: { status: 'active', limit: 1 } } as const;

/** Reads the state of the steps while enabled. Null until loaded. */
export function useStart(enabled: boolean, decision: boolean): StartState | null {
  const options = { enabled };
  const schemas = useOperation(schemaOperations.list, { query: { schemaType: 'customer', limit: 20 } }, options);
  const schema = schemas.data?.data.at(-1);
  const rows = useOperation(
    schemaOperations.listRows,
    { params: { id: schema?.id ?? '' }, query: { limit: 1 } },
    { enabled: enabled && schema !== undefined },
  );
  const offers = useOperation(offerOperations.list, active, options);
  const creatives = useOperation(creativeOperations.list, active, options);
  const policies = useOperation(contactPolicyOperations.list, active, options);
  const flows = useOperation(decisionFlowOperations.list, { query: { status: 'active', limit: 50 } }, options);
  const all = [schemas, offers, creatives, policies, flows, ...(schema === undefined ? [] : [rows])];
  // A part that fails counts as not done: its step says why.
  const isLoaded = enabled && all.every(({ data, failure }) => data !== undefined || failure !== null);
  const published = flows.data?.data.find(({ publishedVersions }) => publishedVersions.length > 0);
  const state: StartState = {
    customers: schema !== undefined && (rows.data?.total ?? 0) > 0 ? schema : null,
    offer: offers.data?.data[0] ?? null,
    creative: creatives.data?.data[0] ?? null,
    limit: policies.data?.data[0] ?? null,
    flow: published ?? null,
    decision,
  };
  // A finished step starts more calls. Until they respond, the last state stays.
  const last = useRef<StartState | null>(null);
  useEffect(() => {
    if (isLoaded) last.current = state;
  });
  return isLoaded ? state : last.current;
}
