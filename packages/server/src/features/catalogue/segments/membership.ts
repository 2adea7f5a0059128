import { type PlanReads, usesSegment } from '@arbiter/engine';
import type { HotRow, HotStatement, Tx } from '../../../db/index.ts';
import { readConditionSchemas } from './condition-schemas.ts';
import { metricsFor, openDefinition, schemaIdsOf } from './definitions.ts';
import type { Definition } from './membership-sql.store.ts';
import { type MembershipStatement, membershipStatement } from './membership-statement.store.ts';
import { selectActiveSegments } from './segments.store.ts';

/** An active segment, as decisions ask it. */
export interface ActiveSegment {
  readonly id: string;
  readonly name: string;
  readonly definition: Definition;
}

/** The tenant's active segments, oldest first. */
export async function readActiveSegments(tx: Tx): Promise<ActiveSegment[]> {
  const rows = await selectActiveSegments(tx);
  if (rows.length === 0) return [];
  const schemas = await readConditionSchemas(tx, rows.flatMap(schemaIdsOf));
  const metrics = await metricsFor(
    tx,
    rows.map(({ filters }) => filters),
  );
  return rows.map((row) => ({ id: row.id, name: row.name, definition: openDefinition(row, schemas, metrics) }));
}

/** Segments of a customer, by the words that name them. */
export interface Membership {
  /** What the record stores: everything that any of the tenant's configuration may be judged by. */
  readonly kept: readonly string[];
  /** Those of them that the plan can use, passed to the engine. */
  readonly used: readonly string[];
}

/** Reads the membership of many customers: one statement per base schema, sent together with other reads. */
export interface MembershipReader {
  readonly statements: readonly MembershipStatement[];
  /**
   * Returns a customer's membership, given the statements' rows by customer. `asked`: what the request names; a segment
   * that it names by id also counts by name, and vice versa.
   */
  of(
    found: readonly ReadonlyMap<string, readonly boolean[]>[],
    customerId: string,
    asked: readonly string[],
  ): Membership;
}

type UsedNames = Pick<PlanReads, 'segments' | 'interests'>;

/** For a customer in no segment, and for decisions that read none. */
export const nobody: Membership = { kept: [], used: [] };

/**
 * Returns the reader of the active segments that a plan's decisions read: those that the plan can use, and `kept` by id
 * or name for the record. Null when there are none, and then nothing is read.
 */
export function membershipReader(
  active: readonly ActiveSegment[],
  plan: UsedNames,
  kept: readonly string[],
): MembershipReader | null {
  const isUsed = usesSegment(plan);
  const isKept = usesSegment({ segments: kept, interests: plan.interests });
  const read = active
    .map(({ id, name, definition }) => {
      const words = [id, name].filter((word) => isUsed(word) || isKept(word));
      return { id, name, words, used: words.filter(isUsed), definition };
    })
    .filter(({ words }) => words.length > 0);
  if (read.length === 0) return null;
  const byBase = [...Map.groupBy(read, ({ definition }) => definition.base.id).values()];
  return {
    statements: byBase.map((segments) => membershipStatement(segments.map(({ definition }) => definition))),
    of(found, customerId, asked) {
      let membership = nobody;
      for (const [at, segments] of byBase.entries()) {
        const belongs = found[at]?.get(customerId);
        if (belongs === undefined && asked.length === 0) continue;
        const mine = segments.filter(
          ({ id, name }, place) => belongs?.[place] === true || asked.includes(id) || asked.includes(name),
        );
        if (mine.length === 0) continue;
        membership = {
          kept: [...membership.kept, ...mine.flatMap(({ words }) => words)],
          used: [...membership.used, ...mine.flatMap(({ used }) => used)],
        };
      }
      return membership;
    },
  };
}

/** What decisions of some plans read together. */
export interface MembershipReads {
  readonly statements: readonly HotStatement[];
  /** Returns one membership per question, in order, from the results of `statements`. */
  resolve(answers: readonly (readonly HotRow[])[]): readonly Membership[];
}

interface MembershipRequest {
  readonly flow: { readonly membership: MembershipReader | null };
  readonly request: { readonly customerId: string; readonly segments: readonly string[] };
}

const none: MembershipReads = { statements: [], resolve: () => [] };

/** Plans the reads of a batch. If no question has a reader, reads nothing. */
export function planMembership(questions: readonly MembershipRequest[]): MembershipReads {
  if (!questions.some(({ flow }) => flow.membership !== null)) return none;
  const customersOf = new Map<MembershipReader, string[]>();
  for (const { flow, request } of questions) {
    const { membership: reader } = flow;
    const { customerId } = request;
    if (reader === null) continue;
    const customers = customersOf.get(reader);
    if (customers === undefined) customersOf.set(reader, [customerId]);
    else customers.push(customerId);
  }
  const queries = [...customersOf].flatMap(([reader, customers]) =>
    reader.statements.map((statement) => ({ reader, statement, hot: statement.ask(customers) })),
  );
  return {
    statements: queries.map(({ hot }) => hot),
    resolve(answers) {
      const found = new Map<MembershipReader, ReadonlyMap<string, readonly boolean[]>[]>();
      for (const [at, { reader, statement }] of queries.entries()) {
        const rows = statement.parse(answers[at] ?? []);
        found.set(reader, [...(found.get(reader) ?? []), rows]);
      }
      return questions.map(({ flow: { membership }, request }) =>
        membership === null ? nobody : membership.of(found.get(membership) ?? [], request.customerId, request.segments),
      );
    },
  };
}
