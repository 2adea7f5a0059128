import {
  type DropReason,
  didYouMean,
  type EmptyReason,
  emptyReasons,
  joinedSources,
  type Plan,
  type Snapshot,
  told,
} from '@arbiter/engine';
import type { NamedRecord, TestNote } from './decision-test.ts';

/** Records that the snapshot lacks because no decision uses them now, and those that no snapshot has. */
export interface OtherRecords {
  readonly offers?: readonly NamedRecord[] | undefined;
  readonly rules?: readonly NamedRecord[] | undefined;
  readonly policies?: readonly NamedRecord[] | undefined;
  readonly segments?: readonly NamedRecord[] | undefined;
  /** By their keys, which the snapshot lacks. */
  readonly channels?: readonly NamedRecord[] | undefined;
  /** Keys of outcome types. */
  readonly outcomes?: readonly string[] | undefined;
}

export type ReportProblem = (note: TestNote) => void;

/** Everything that tests of a plan may name. Lookups report unknown names with the nearest one. */
export interface TestNames {
  readonly offers: ReadonlyMap<string, string>;
  readonly categories: ReadonlyMap<string, string>;
  readonly channels: ReadonlyMap<string, string>;
  readonly segments: ReadonlyMap<string, string>;
  readonly outcomes: ReadonlySet<string>;
  /** IDs of rules, policies and nodes, by name and, for nodes, by id. */
  readonly gates: ReadonlyMap<string, ReadonlySet<string>>;
  /** Columns of each schema, by its id. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  /** Names under `customer.` that some schema provides. */
  readonly customer: ReadonlySet<string>;
  readonly attributes: ReadonlySet<string>;
  /** Null: any. */
  readonly context: ReadonlySet<string> | null;
}

const reasonWords: Readonly<Record<DropReason, true>> = {
  schedule: true,
  excluded: true,
  emergency_excluded: true,
  stock: true,
  budget: true,
  offer_frequency_cap: true,
  no_creative: true,
  creative_constraint: true,
  placement_targeting: true,
  enrich: true,
  qualification: true,
  suppressed: true,
  contact_policy: true,
  filter: true,
  conditional: true,
  sub_flow_unavailable: true,
  call_flow: true,
  extension_point: true,
  min_propensity: true,
  min_score: true,
  mandatory_cap: true,
  coupling: true,
  quota: true,
  cut: true,
};

/** The reason of an offer that isn't active, or that the flow doesn't take in. */
export const notCandidate = 'not_a_candidate';

export const dropReasons: readonly string[] = [...Object.keys(reasonWords), notCandidate];

export const isEmptyReason = (word: string): word is EmptyReason => emptyReasons.some((each) => each === word);

export function namesOf(snapshot: Snapshot, plan: Plan, others: OtherRecords): TestNames {
  const byName = (...lists: (readonly NamedRecord[])[]) =>
    new Map(lists.flatMap((list) => list.map(({ id, name }) => [name, id] as const)));
  const gates = new Map<string, Set<string>>();
  const add = (name: string | undefined, id: string): void => {
    if (name === undefined || name === '') return;
    const known = gates.get(name);
    if (known === undefined) gates.set(name, new Set([id]));
    else known.add(id);
  };
  for (const list of [others.rules ?? [], others.policies ?? [], snapshot.rules, snapshot.policies]) {
    for (const { id, name } of list) add(name, id);
  }
  for (const { config } of [snapshot.flow, ...(snapshot.subFlows ?? [])]) {
    for (const { id, name } of config.nodes) {
      add(id, id);
      add(name, id);
    }
  }
  const columns = new Map(snapshot.schemas.map((schema) => [schema.id, schema.columns.map(({ name }) => name)]));
  return {
    // Active ones last, so that they win over an archived one of the same name.
    offers: byName(others.offers ?? [], snapshot.offers),
    categories: byName(snapshot.categories, snapshot.subCategories),
    channels: byName(snapshot.channels, others.channels ?? []),
    segments: new Map([
      ...[...plan.reads.segments, ...plan.reads.interests].map((name) => [name, name] as const),
      ...byName(others.segments ?? []),
    ]),
    outcomes: new Set([...(plan.outcomeReads?.keys ?? []), ...(others.outcomes ?? [])]),
    gates,
    columns,
    customer: customerNames(snapshot, plan, columns),
    attributes: new Set([...plan.reads.attributes, 'propensityScores']),
    context: plan.reads.context === null ? null : new Set(plan.reads.context),
  };
}

function customerNames(snapshot: Snapshot, plan: Plan, columnsOf: TestNames['columns']): ReadonlySet<string> {
  const automatic = snapshot.schemas.flatMap(({ id, autoEnrich }) => (autoEnrich ? (columnsOf.get(id) ?? []) : []));
  const enriched = plan.enrichSources.flatMap(({ schemaId, prefix }) =>
    (columnsOf.get(schemaId) ?? []).map((name) => prefix + name),
  );
  const joined = joinedSources(snapshot, null).flatMap(({ values }) => values.map(({ name }) => name));
  return new Set([...automatic, ...enriched, ...joined, 'metrics']);
}

/** Returns the id of a name; reports an unknown one and returns null. */
export function idNamed(
  known: ReadonlyMap<string, string>,
  name: string,
  what: string,
  path: string,
  tell: ReportProblem,
): string | null {
  const id = known.get(name);
  if (id !== undefined) return id;
  tell({ path, message: unknownName(what, name, known.keys()) });
  return null;
}

/** `is no offer: “Lon”; did you mean Loan?` */
export const unknownName = (what: string, name: string, known: Iterable<string>): string =>
  `refers to ${what} “${told(name)}”, which doesn’t exist${didYouMean(name, known)}`;
