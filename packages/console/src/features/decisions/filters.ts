import { decisionListOperations, traceFilters } from '@arbiter/contract/deciding/decision-lists';
import type { decisionOperations } from '@arbiter/contract/deciding/decisions';
import Type, { type Static } from 'typebox';

/** Address state of the decision list: the filters of both API lists. Only traces know the results of single offers. */
export const DecisionSearch = Type.Object({
  ...decisionListOperations.list.query.properties,
  ...traceFilters,
  requestId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** The previewed row. */
  peek: Type.Optional(Type.String()),
  /** True: new decisions appear automatically. */
  live: Type.Optional(Type.Boolean()),
});
export type DecisionSearch = Partial<Static<typeof DecisionSearch>>;

/** Filters in chip order. */
export const filterNames = [
  'customerId',
  'decisionFlowKey',
  'version',
  'channelId',
  'source',
  'offerId',
  'fate',
  'stage',
  'reason',
  'ruleId',
  'policyId',
  'emptyReason',
  'explored',
  'from',
  'to',
  'requestId',
] as const;
export type FilterName = (typeof filterNames)[number];

/** Filters that need traces. */
const traceOnly: readonly FilterName[] = ['fate', 'stage', 'reason', 'ruleId', 'policyId', 'requestId'];

export interface Chip {
  readonly name: FilterName;
  readonly value: string;
}

/** Returns the active filters, in order. */
export function chipsOf(search: DecisionSearch): readonly Chip[] {
  return filterNames.flatMap((name) => {
    const value = search[name];
    return value === undefined || value === '' ? [] : [{ name, value: String(value) }];
  });
}

/** Whether filters need the trace list, which alone knows about single offers. */
export const asksTraces = (search: DecisionSearch): boolean => traceOnly.some((name) => search[name] !== undefined);

export type DecisionListQuery = Static<typeof decisionListOperations.list.query>;
export type TraceListQuery = Static<typeof decisionOperations.listTraces.query>;

/** The query of `GET /decisions`. */
export function decisionQuery(search: DecisionSearch): DecisionListQuery {
  return picked(
    search,
    filterNames.filter((name) => !traceOnly.includes(name)),
  ) as DecisionListQuery;
}

/** The query of `GET /decision-traces`. Traces are large, so pages are small. */
export function traceQuery(search: DecisionSearch, offset: number): TraceListQuery {
  return { ...picked(search, filterNames), limit: tracesPerPage, offset } as TraceListQuery;
}

export const tracesPerPage = 25;

function picked(search: DecisionSearch, names: readonly FilterName[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])));
}

/** Interprets the ID field: a customer, or the ID of a decision, request or trace. */
export const isDecisionId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text.trim());
