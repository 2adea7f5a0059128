/**
 * Returns the text of a tenant's statement for a Citus cluster, so that one worker can run all of it. Returns other texts
 * unchanged.
 *
 * - For `insert ... select $1, ... from unnest(...)` or a subquery, Citus doesn't see that the rows belong to one tenant. It would
 *   run the query on the coordinator and COPY the rows to the worker, which row-level security forbids. Joined with the tenant's
 *   own row, it runs on the worker.
 * - Citus crashes when it evaluates a subscript of an array in an update.
 * - A tenant's data table has only rows of that tenant, which Citus can't know without a condition.
 */
export function onOneWorker(text: string): string {
  const known = rewritten.get(text);
  if (known !== undefined) return known;
  const changed = text
    .replace(
      insertOfParameters,
      (_, insert: string, tenant: string, middle: string) =>
        `${insert}home.home_id${middle}from (select id as home_id from arbiter.tenants where id = ${tenant}::uuid) home cross join `,
    )
    .replace(
      dataTable,
      (_, keyword: string, table: string, schema: string, name: string, alias: string = `"${name}"`) =>
        `${keyword} (select * from ${table} where tenant_id = '${schema}'::uuid) ${alias}`,
    )
    .replace(arraySubscript, 'arbiter.array_item($1, $2)');
  // Statements with values in their text (segments, metrics) would fill the cache.
  if (rewritten.size < maxTexts) rewritten.set(text, changed);
  return changed;
}

/**
 * Runs what must happen where the tenant's rows are on the worker that has them: advisory locks, so that every node of
 * the cluster uses the same ones, and functions that delete as the owner. `tenant` is SQL of type text.
 */
export function atHome(text: string, tenant: string): string {
  const home = `arbiter.tenants home where home.id = (${tenant})::uuid`;
  if (advisoryLock.test(text) || ownersCall.test(text)) return `${text} from ${home}`;
  return ownersRows.test(text) ? `${text} cross join ${home}` : text;
}

/** A statement with its name on the connection. */
interface NamedStatement {
  readonly name: string | null;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Returns a hot-path statement for the worker that has the tenant's rows, past Citus: on the shards, or unchanged if it only
 * locks. Null for statements that need Citus, because they name another table or aren't prepared. Only for a transaction that
 * checks that the tenant is still there before it commits (docs/adr/0105).
 */
export function onShards(statement: NamedStatement, shards: ReadonlyMap<string, string>): NamedStatement | null {
  const { name, text, values } = statement;
  if (advisoryLock.test(text)) return statement;
  if (name === null) return null;
  let texts = textsOnShards.get(shards);
  if (texts === undefined) {
    texts = new Map();
    textsOnShards.set(shards, texts);
  }
  let placed = texts.get(text);
  if (placed === undefined) {
    placed = placeOnShards(text, shards);
    texts.set(text, placed);
  }
  // A name of its own for each group of shards, because it is prepared.
  return placed === null ? null : { name: `${name}@${[...shards.values()][0]}`, text: placed, values };
}

function placeOnShards(text: string, shards: ReadonlyMap<string, string>): string | null {
  const named = [...text.matchAll(namedTable)].map(([, , table = '']) => table);
  const isKnown = named.length > 0 && named.every((table) => shards.has(table) && !text.includes(`${table}.`));
  if (!isKnown || unreadable.test(text)) return null;
  return text.replace(
    namedTable,
    (_, before: string, table: string) => `${before}arbiter.${table}_${shards.get(table)}`,
  );
}

const textsOnShards = new WeakMap<ReadonlyMap<string, string>, Map<string, string | null>>();

/** A table that a statement reads or writes, in our way of writing them. Not a function, and not `for update`. */
const namedTable = /((?<!\bfor\s+)\b(?:from|join|update|into)\s+)([a-z_]\w*)\b(?:(?<=\binto\s+\w+)|(?!\s*\())/g;
/** What this doesn't read: a list of tables, and names in quotes. */
const unreadable = /"|\bfrom\s+\w+(?:\s+(?:as\s+)?\w+)?\s*,/;

/** True for a statement that writes. After one through Citus, the tenant's shards stay where they are until the transaction ends. */
export const isWrite = (text: string): boolean => /^\s*(?:insert|update|delete)\b/.test(text);

/** An insert that takes few locks and costs Citus little. */
export const isOutbox = (text: string): boolean => /^\s*insert into outbox /.test(text);

/** A statement that only locks. */
const advisoryLock =
  /^\s*select\s+(?:set_config\('\w+', '\w+', true\),\s*)?pg_(?:try_)?advisory_xact_lock(?:_shared)?\((?:(?!\bfrom\b)[\s\S])*$/i;

/** A statement that only calls a function of the owner (cluster.sql), and one that reads what such a function returns. */
const ownersCall = /^\s*select\s+arbiter\.empty_history\([^)]*\)\s*$/i;
const ownersRows = /\bfrom\s+arbiter\.cut_audit_logs\([^)]*\)\s*$/i;

const rewritten = new Map<string, string>();
const maxTexts = 2_000;

/** `insert into t (tenant_id, ...) select $1, ... from`, where what follows isn't a table. */
const insertOfParameters =
  /(\binsert\s+into\s+[\w."]+(?:\s+as\s+\w+)?\s*\(\s*tenant_id\b[^)]*\)\s*(?:overriding\s+system\s+value\s+)?select\s+)(\$\d+)(?:::uuid)?(\s*,(?:(?!\bfrom\b)[\s\S])*?)\bfrom\s+(?=unnest\s*\(|jsonb?_to_recordset\s*\(|jsonb_array_elements\s*\(|generate_series\s*\(|\()/gi;

/** A data table that is read, and its alias. */
const dataTable =
  /(?<!\bdelete\s+)\b(from|join)\s+("t_([0-9a-f]{32})"\."(ds_\w+)")(?:\s+(?:as\s+)?((?!(?:where|order|limit|offset|join|left|right|full|inner|cross|natural|on|using|group|having|window|for|union|tablesample|fetch)\b)[a-z_]\w*))?/gi;

/** `($3::text[])[array_position(...)]` */
const arraySubscript = /(\(\$\d+::\w+\[\]\))\[(array_position\([^()]*\))\]/gi;
