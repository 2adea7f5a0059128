import type { AuditLog } from '@arbiter/contract/identity/audit-logs';
import { useEffect, useState } from 'react';
import { checkRows, type RowCheck } from './row-hash.ts';

/** Browsers don't offer it on pages from other hosts over plain HTTP. */
export const canHash = (): boolean => globalThis.isSecureContext && 'subtle' in crypto;

/** Returns the verdicts on the rows; empty until computed. */
export function useRowChecks(rows: readonly AuditLog[]): ReadonlyMap<string, RowCheck> {
  const [checks, setChecks] = useState<ReadonlyMap<string, RowCheck>>(new Map());
  useEffect(() => {
    if (!canHash()) return;
    let isCurrent = true;
    void checkRows(rows).then((found) => {
      if (isCurrent) setChecks(found);
    });
    return () => {
      isCurrent = false;
    };
  }, [rows]);
  return checks;
}
