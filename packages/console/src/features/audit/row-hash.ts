import type { AuditLog } from '@arbiter/contract/identity/audit-logs';

/**
 * Serializes JSON by RFC 8785: members sorted by UTF-16 code units, no whitespace, numbers and strings as JSON.stringify
 * writes them. The third implementation in this repository on purpose: a check that shares no code with what it checks
 * (docs/design/quality.md, R14).
 */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

/** Returns the hex SHA-256 that a row should have: of its canonical form without the hash itself. */
async function hashOfRow(row: AuditLog): Promise<string> {
  const { integrityHash: _hash, ...content } = row;
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical(content)));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The browser's verdict on a row: its hash, and its link to the previous row if that is loaded. */
export interface RowCheck {
  readonly hashIsRight: boolean;
  /** Null if the previous row isn't loaded. */
  readonly linkIsRight: boolean | null;
}

/** Checks rows of one tenant, in any order, by ID. */
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
