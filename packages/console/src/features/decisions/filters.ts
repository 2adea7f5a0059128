import { decisionListOperations, traceFilters } from '@arbiter/contract/decision-lists';
import type { decisionOperations } from '@arbiter/contract/decisions';
import Type, { type Static } from 'typebox';

/**
 * What the address of the list of decisions says: the filters of both lists of the API, in their words. Filters over what
 * became of single offers are known to traces alone.
 */
export const DecisionSearch = Type.Object({
  ...decisionListOperations.list.query.properties,
  ...traceFilters,
  requestId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** The row that is looked at beside the list. */
  peek: Type.Optional(Type.String()),
  /** True: new decisions appear by themselves. */
  live: Type.Optional(Type.Boolean()),
});
export type DecisionSearch = Partial<Static<typeof DecisionSearch>>;

/** Filters in the order in which their chips stand. */
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

/** Filters that only traces can answer. */
const traceOnly: readonly FilterName[] = ['fate', 'stage', 'reason', 'ruleId', 'policyId', 'requestId'];

export interface Chip {
  readonly name: FilterName;
  readonly value: string;
}

/** The filters that are set, in their order. */
export function chipsOf(search: DecisionSearch): readonly Chip[] {
  return filterNames.flatMap((name) => {
    const value = search[name];
    return value === undefined || value === '' ? [] : [{ name, value: String(value) }];
  });
}

/** True when the list of traces must answer: it alone knows of single offers. */
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

/** The query of `GET /decision-traces`. Whole traces are large, so a page of them is small. */
export function traceQuery(search: DecisionSearch, offset: number): TraceListQuery {
  return { ...picked(search, filterNames), limit: tracesPerPage, offset } as TraceListQuery;
}

export const tracesPerPage = 25;

function picked(search: DecisionSearch, names: readonly FilterName[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])));
}

/** What is typed into the field for ids: a customer, or the id of a decision, its request or its trace. */
export const isDecisionId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text.trim());
