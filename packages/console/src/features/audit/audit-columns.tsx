import type { AuditLog } from '@arbiter/contract/identity/audit-logs';
import { auditKind, auditTexts as t } from '../../messages/audit.ts';
import { Badge } from '../../ui/badge.tsx';
import { middleCut } from '../../ui/format.ts';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table-column.ts';
import type { RowCheck } from './row-hash.ts';
import { canHash } from './use-row-checks.ts';

function When({ at }: { at: string }) {
  return <time dateTime={at}>{useFormat().instant(at)}</time>;
}

/** Returns the browser's verdict on a row, as text. */
function verdictText(check: RowCheck | undefined): string {
  if (!canHash()) return t.browserUnavailable;
  if (check === undefined) return t.browserChecking;
  if (!check.hashIsRight) return t.browserWrong;
  return check.linkIsRight === false ? t.gap : t.browserRight;
}

/** Badge with the browser's verdict on a row. */
export function RowVerdict({ check }: { check: RowCheck | undefined }) {
  if (!canHash()) return <Badge tone="neutral">{t.browserUnavailable}</Badge>;
  if (check === undefined) return <span className="text-caption text-faint">{t.browserChecking}</span>;
  if (!check.hashIsRight) return <Badge tone="block">{t.browserWrong}</Badge>;
  if (check.linkIsRight === false) return <Badge tone="block">{t.gap}</Badge>;
  return <Badge tone="pass">{t.browserRight}</Badge>;
}

export const auditColumns = (checks: ReadonlyMap<string, RowCheck>): readonly Column<AuditLog>[] => [
  {
    key: 'sequence',
    header: t.number,
    width: 72,
    grow: 0,
    align: 'end',
    cell: ({ sequence }) => sequence,
    text: ({ sequence }) => sequence,
  },
  {
    key: 'action',
    header: t.action,
    width: 156,
    cell: ({ action }) => action.replaceAll('_', ' '),
    text: ({ action }) => action,
  },
  {
    key: 'record',
    header: t.record,
    width: 224,
    grow: 2,
    cell: ({ entityType, entityName, entityId }) => (
      <span className="truncate">
        <span className="text-soft">{auditKind(entityType)}</span> {entityName ?? middleCut(entityId)}
      </span>
    ),
    text: ({ entityType, entityName, entityId }) => `${auditKind(entityType)} ${entityName ?? entityId}`,
  },
  {
    key: 'when',
    header: t.when,
    width: 208,
    grow: 0,
    cell: ({ timestamp }) => <When at={timestamp} />,
    text: ({ timestamp }) => timestamp,
  },
  { key: 'who', header: t.who, width: 130, cell: ({ userName }) => userName, text: ({ userName }) => userName },
  {
    key: 'changes',
    header: t.changes,
    width: 90,
    grow: 0,
    align: 'end',
    cell: ({ changes }) => {
      const count = Object.keys(changes).length;
      return count === 0 ? '' : t.changed(count);
    },
    text: ({ changes }) => Object.keys(changes).length,
  },
  {
    key: 'hash',
    header: t.hash,
    width: 130,
    grow: 0,
    cell: ({ integrityHash }) => <span className="font-mono text-caption text-soft">{middleCut(integrityHash)}</span>,
    text: ({ integrityHash }) => integrityHash,
  },
  {
    key: 'check',
    header: t.browser,
    corner: true,
    width: 140,
    grow: 0,
    cell: ({ id }) => <RowVerdict check={checks.get(id)} />,
    text: ({ id }) => verdictText(checks.get(id)),
  },
];
