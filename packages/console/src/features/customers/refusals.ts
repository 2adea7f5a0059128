/** A contact policy, and how many offers it kept from an answer. */
export interface Refusal {
  readonly policyId: string;
  readonly offers: number;
}

/**
 * Which contact policies kept offers from an answer, the most first, as `meta` of a simulation tells it; its form is left open
 * by the contract, and what is no such drop is left out. Drops of later stages are too: there it is the offers before one in
 * the same answer that leave it no room.
 */
export function refusalsOf(meta: unknown): readonly Refusal[] {
  const found = new Map<string, number>();
  for (const id of policiesOf(meta)) found.set(id, (found.get(id) ?? 0) + 1);
  return [...found]
    .map(([policyId, offers]) => ({ policyId, offers }))
    .toSorted((one, other) => other.offers - one.offers || (one.policyId < other.policyId ? -1 : 1));
}

function policiesOf(meta: unknown): readonly string[] {
  const rows: unknown = isObject(meta) ? meta.dropped : null;
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) =>
    isObject(row) && row.stage === 'contact_policy' && typeof row.policyId === 'string' ? [row.policyId] : [],
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
