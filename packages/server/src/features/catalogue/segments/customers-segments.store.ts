import type { Tx } from '../../../db/tx.ts';
import { membershipReader, readActiveSegments } from './membership.ts';

/** An active segment with those of some customers that belong to it. */
export interface MembersAmong {
  readonly id: string;
  readonly name: string;
  readonly members: ReadonlySet<string>;
}

/** The active segments, oldest first, and which of these customers belong to each. */
export async function segmentsAmong(tx: Tx, customerIds: readonly string[]): Promise<MembersAmong[]> {
  const active = await readActiveSegments(tx);
  const words = new Map<string, Set<string>>();
  const reader = membershipReader(active, { segments: active.map(({ id }) => id), interests: [] }, []);
  if (reader !== null) {
    const found = [];
    for (const statement of reader.statements) {
      const { text, values } = statement.ask(customerIds);
      found.push(statement.parse(await tx.query(text, values)));
    }
    for (const customerId of customerIds) {
      for (const id of reader.of(found, customerId, []).used)
        words.set(id, (words.get(id) ?? new Set()).add(customerId));
    }
  }
  return active.map(({ id, name }) => ({ id, name, members: words.get(id) ?? new Set() }));
}

/** IDs and names of the active segments that each of these customers belongs to. */
export async function segmentsOfCustomers(
  tx: Tx,
  customerIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map(customerIds.map((customerId) => [customerId, new Set<string>()]));
  for (const { id, name, members } of await segmentsAmong(tx, customerIds)) {
    for (const customerId of members) found.get(customerId)?.add(id).add(name);
  }
  return found;
}
