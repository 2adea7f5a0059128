import {
  CamelCasePlugin,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Tables } from '../rows.ts';

/** Runs one statement on the transaction's connection. */
export type RunStatement = (
  text: string,
  values: readonly unknown[],
) => Promise<{ rows: unknown[]; rowCount: number | null; command: string }>;

/**
 * Returns Kysely over one open transaction. It builds and maps statements; we keep control of the transaction.
 * camelCase in the types is snake_case in the database; keys inside JSON values aren't changed.
 */
export function kyselyOver(run: RunStatement): Kysely<Tables> {
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const result = await run(query.sql, query.parameters);
      const changes = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(result.command);
      return {
        // The caller vouches for the row type of its own table, as everywhere in Kysely.
        rows: result.rows as Row[],
        ...(changes ? { numAffectedRows: BigInt(result.rowCount ?? 0) } : {}),
      };
    },
    streamQuery() {
      throw new Error("streaming isn't supported inside a transaction of db/");
    },
  };
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driverOf(connection),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
}

function driverOf(connection: DatabaseConnection): Driver {
  const refuse = async () => {
    throw new Error("the transaction belongs to withTenant or withSystem; kysely can't open one inside it");
  };
  const nothing = async () => {};
  return {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: nothing,
    destroy: nothing,
  };
}
