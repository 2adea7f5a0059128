import { type TraceBody, traceRows } from '@arbiter/contract';
import type { DecisionTrace, Json, Plan } from '@arbiter/engine';
import { type Frozen, isObject } from '../../../../platform/json.ts';
import type { CompiledFlow } from '../../plans/index.ts';

type JsonObject = { readonly [name: string]: Json };

/** What of a trace is never stored. */
export interface Hidden {
  /** Names under `customer.` and `attributes.` whose values are never stored, those with an enrich prefix too. */
  readonly fields: ReadonlySet<string>;
  /** Paths of the values that rules compare with, by rule, where those are hidden. */
  readonly compared: ReadonlyMap<string, string>;
  /** Zones that the plan names itself, where a customer's own is never stored; else null. */
  readonly zones: ReadonlySet<string> | null;
}

export function hiddenValues(
  plan: Plan,
  neverStore: ReadonlySet<string>,
  comparedWith: ReadonlyMap<string, string>,
): Hidden {
  const prefixed = plan.enrichSources.flatMap(({ columns, prefix }) =>
    columns.filter((column) => neverStore.has(column)).map((column) => prefix + column),
  );
  const fields = new Set([...neverStore, ...prefixed]);
  const compared = [...comparedWith].filter(([, path]) => fields.has(fieldOf(path)));
  const zones = plan.zoneFields.some((field) => fields.has(field)) ? new Set(plan.zones) : null;
  return { fields, compared: new Map(compared), zones };
}

/** Takes the values that are never stored out of rows of a trace: for answers that are shown and not stored. */
export function hideValues({
  plan,
  neverStore,
  comparedWith,
}: Pick<CompiledFlow, 'plan' | 'neverStore' | 'comparedWith'>): (row: Json) => Json {
  const hidden = neverStore.size === 0 ? null : hiddenValues(plan, neverStore, comparedWith);
  return (row) => withhold(row, hidden);
}

/** Names under `customer.` whose values are never stored, those with an enrich prefix too. */
export const valuesNeverStored = ({
  plan,
  neverStore,
}: Pick<CompiledFlow, 'plan' | 'neverStore'>): ReadonlySet<string> => hiddenValues(plan, neverStore, noRules).fields;

type TraceRows = Frozen<
  Pick<TraceBody, 'scoringResults' | 'qualificationResults' | 'contactPolicyResults' | 'suppressionResults' | 'dropped'>
>;

/** The rows of a trace as answers show them; `hidden`: without the values that are never stored. */
export function shownRows(trace: DecisionTrace, hidden: Hidden | null): TraceRows {
  const perOffer = (rows: readonly Json[]) => rows.slice(0, traceRows.perOffer);
  const rows: Readonly<Record<keyof TraceRows, readonly Json[]>> = {
    scoringResults: perOffer(trace.scoringResults),
    qualificationResults: perOffer(trace.qualificationResults).map((row) => withhold(row, hidden)),
    contactPolicyResults: perOffer(trace.contactPolicyResults).map((row) => withhold(row, hidden)),
    suppressionResults: perOffer(trace.suppressionResults).map(withInstants),
    dropped: trace.dropped.slice(0, traceRows.dropped).map((row) => withhold(withInstants({ ...row }), hidden)),
  };
  // The engine leaves open what its rows hold; decision-schemas.test.ts checks them for every decision of the corpus.
  return rows as unknown as TraceRows;
}

const noRules: ReadonlyMap<string, string> = new Map();

/** The row without the value of a field that is never stored: neither in its detail nor in its text. */
function withhold(row: Json, hidden: Hidden | null): Json {
  if (hidden === null || !isObject(row) || !isObject(row.detail)) return row;
  const { attribute, timezone } = row.detail;
  if (typeof timezone === 'string' && hidden.zones?.has(timezone) === false) return withoutZone(row, row.detail);
  const actual = typeof attribute === 'string' && hidden.fields.has(fieldOf(attribute)) ? attribute : null;
  const expected = typeof row.ruleId === 'string' ? (hidden.compared.get(row.ruleId) ?? null) : null;
  if (actual === null && expected === null) return row;
  // An age would tell the date nearly as well.
  const found = 'actualDays' in row.detail ? { actualDays: null } : { actual: null };
  const mask = { ...(actual === null ? {} : found), ...(expected === null ? {} : { expected: null }) };
  const masked = { ...row, detail: { ...row.detail, ...mask } };
  return row.passed === false ? { ...masked, reason: `${actual ?? expected} is withheld` } : masked;
}

/** Hour and day would tell the zone nearly as well as its name. */
function withoutZone(row: JsonObject, detail: JsonObject): Json {
  const reason = 'outside time window: the zone is withheld';
  const shown = { ...detail, currentDay: null, currentHour: null, timezone: null };
  // A row of a policy has the text itself, a dropped candidate in its detail.
  return 'reason' in detail ? { ...row, detail: { ...shown, reason } } : { ...row, reason, detail: shown };
}

/** A row of a suppression with the end as an instant; the engine counts milliseconds. */
function withInstants(row: Json): Json {
  if (!isObject(row)) return row;
  const { detail, expiresAt, reason } = row;
  if (typeof expiresAt === 'number') return { ...row, expiresAt: new Date(expiresAt).toISOString() };
  return reason === 'suppressed' && isObject(detail) ? { ...row, detail: withInstants(detail) } : row;
}

/** `diagnosis` of `diagnosis`, `customer.diagnosis` and `attributes.diagnosis.code`. */
function fieldOf(path: string): string {
  const [first = '', second] = path.split('.');
  return second !== undefined && (first === 'customer' || first === 'attributes') ? second : first;
}
