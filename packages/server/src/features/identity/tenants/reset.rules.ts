/** An order of the tables in which each comes before those that it refers to. Throws when they refer to each other in a circle. */
export function deletionOrder(
  tables: readonly string[],
  references: readonly { readonly from: string; readonly to: string }[],
): string[] {
  const order: string[] = [];
  let left = [...tables];
  while (left.length > 0) {
    const free = left.filter((table) => !references.some(({ from, to }) => to === table && left.includes(from)));
    if (free.length === 0) throw new Error(`these tables reference each other in a cycle: ${left.join(', ')}`);
    order.push(...free);
    left = left.filter((table) => !free.includes(table));
  }
  return order;
}
