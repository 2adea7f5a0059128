/** A contact policy and the number of offers it blocked. */
export interface Refusal {
  readonly policyId: string;
  readonly offers: number;
}

/**
 * Returns the contact policies that blocked offers, most first, from `meta` of a simulation. The contract leaves its shape
 * open, so other entries are skipped. Also skips drops of later stages, caused by other offers in the same result.
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
