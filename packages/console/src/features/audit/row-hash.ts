import type { AuditLog } from '@arbiter/contract/audit-logs';

/**
 * RFC 8785 form of a JSON value: members sorted by UTF-16 code units, no white space, numbers and texts as JSON.stringify writes
 * them. The third writing of it in this repository on purpose: a check that shares no code with what it checks
 * (docs/design/quality.md R14).
 */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

/** Hex SHA-256 that a row should carry: of its canonical form without the hash itself. */
async function hashOfRow(row: AuditLog): Promise<string> {
  const { integrityHash: _hash, ...content } = row;
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical(content)));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What the browser found of a row: its hash, and its link to the row before, where that is seen too. */
export interface RowCheck {
  readonly hashIsRight: boolean;
  /** Null: the row before is not among those that were read. */
  readonly linkIsRight: boolean | null;
}

/** Checks rows of one tenant, in any order; by id. */
export async function checkRows(rows: readonly AuditLog[]): Promise<ReadonlyMap<string, RowCheck>> {
  const bySequence = new Map(rows.map((row) => [row.sequence, row]));
  const checked = await Promise.all(
    rows.map(async (row): Promise<[string, RowCheck]> => {
      const before = bySequence.get(row.sequence - 1);
      const linkIsRight = before === undefined ? null : row.prevHash === before.integrityHash;
      return [row.id, { hashIsRight: (await hashOfRow(row)) === row.integrityHash, linkIsRight }];
    }),
  );
  return new Map(checked);
}
