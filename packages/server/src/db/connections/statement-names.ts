/** Returns the name under which connections prepare a statement; undefined if they don't prepare it. */
export type StatementNames = (text: string) => string | undefined;

/**
 * Statements whose plans don't last: of tenants' own tables, whose columns may change their types and which would use up
 * the names, and those that select all columns, which fail once a migration adds one.
 */
const unnamed = /"t_|\b(?:select|returning) \*|\.\*/i;

/** Each connection keeps its prepared statements, so texts beyond this number get no name. */
const maxNames = 200;

/** Creates names for the texts of statements, the same on all connections. */
export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= maxNames || unnamed.test(text)) return known;
    const name = `prepared.${names.size}`;
    names.set(text, name);
    return name;
  };
}

/** For sessions that end with their transaction. */
export const noNames: StatementNames = () => undefined;
