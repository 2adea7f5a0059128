import { inTurns } from '../../../platform/turns.ts';

/**
 * Sorts items after the ones they need, otherwise in the given order. In a cycle, one comes too early. `needs`: names of
 * items; unknown names are ignored. Yields to other work.
 */
export function inOrder<Item>(
  items: ReadonlyMap<string, Item>,
  needs: (item: Item, name: string) => readonly string[],
): Promise<Item[]> {
  return inTurns(order(items, needs));
}

function* order<Item>(
  items: ReadonlyMap<string, Item>,
  needs: (item: Item, name: string) => readonly string[],
): Generator<void, Item[]> {
  const ordered: Item[] = [];
  const seen = new Set<string>();
  for (const root of items.keys()) {
    // Without recursion, because a chain may be as long as the list.
    const path: { readonly name: string; readonly left: string[] }[] = [];
    const enter = (name: string): void => {
      const item = items.get(name);
      if (item === undefined || seen.has(name)) return;
      seen.add(name);
      path.push({ name, left: [...needs(item, name)].reverse() });
    };
    enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.left.pop();
      if (next !== undefined) {
        enter(next);
        continue;
      }
      path.pop();
      ordered.push(items.get(top.name)!);
      yield;
    }
  }
  return ordered;
}
