/**
 * The order in which fields that read each other by name can be evaluated: a field after those that it reads, otherwise
 * in the order given. Fields in or behind a circle are in `cyclic` and in no order (docs/design/api-catalogue.md 4).
 * `reads`: for each field the bare names of its formula; names that are not fields are ignored.
 */
export function dependencyOrder(reads: ReadonlyMap<string, readonly string[]>): {
  readonly order: readonly string[];
  readonly cyclic: readonly string[];
} {
  const order: string[] = [];
  const done = new Set<string>();
  let waiting = [...reads.keys()];
  for (;;) {
    const before = waiting.length;
    waiting = waiting.filter((field) => {
      const ready = (reads.get(field) ?? []).every((name) => done.has(name) || !reads.has(name));
      if (ready) {
        done.add(field);
        order.push(field);
      }
      return !ready;
    });
    if (waiting.length === 0 || waiting.length === before) return { order, cyclic: waiting };
  }
}
