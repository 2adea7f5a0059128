import type { AuditLog } from '@arbiter/contract/audit-logs';
import { useEffect, useState } from 'react';
import { checkRows, type RowCheck } from './row-hash.ts';

/** Browsers keep it from pages that came over plain http from elsewhere. */
export const canHash = (): boolean => globalThis.isSecureContext && 'subtle' in crypto;

/** What this browser finds of the rows; empty until it has computed them. */
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
