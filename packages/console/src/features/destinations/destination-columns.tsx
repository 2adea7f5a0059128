import { type NotificationProvider, notificationOperations } from '@arbiter/contract/operations/notifications';
import { can } from '../../data/can.ts';
import { destinationTexts as t } from '../../messages/access/destinations.ts';
import { editingTexts } from '../../messages/lists/editing.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { useFormat } from '../../ui/provider.tsx';
import type { Column } from '../../ui/table/table-column.ts';

function Last({ result }: { result: NotificationProvider['lastResult'] }) {
  const format = useFormat();
  if (result === null) return <span className="text-faint">{t.lastNone}</span>;
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5" title={result.error ?? undefined}>
      <Badge tone={result.ok ? 'pass' : 'block'}>{result.ok ? t.lastOk : t.lastFailed}</Badge>
      <time dateTime={result.at} title={format.instant(result.at)} className="truncate text-soft">
        {format.moment(result.at)}
      </time>
    </span>
  );
}

export interface DestinationActs {
  readonly onTest: (destination: NotificationProvider) => void;
  /** ID of the destination that is being tested. */
  readonly testing: string | null;
}

/** Columns of the list of destinations. */
export function destinationColumns({ onTest, testing }: DestinationActs): readonly Column<NotificationProvider>[] {
  const permission = can(notificationOperations.test);
  const reason = permission.allowed ? null : editingTexts.needsRole(permission.needs);
  return [
    {
      key: 'name',
      header: t.name,
      width: 180,
      grow: 2,
      cell: ({ name }) => (
        <span dir="auto" className="truncate font-medium">
          {name}
        </span>
      ),
      text: ({ name }) => name,
      sortBy: ({ name }) => name,
    },
    { key: 'kind', header: t.kind, width: 140, cell: ({ kind }) => t.kinds[kind], text: ({ kind }) => kind },
    {
      key: 'target',
      header: t.target,
      width: 200,
      grow: 2,
      cell: ({ configSummary }) => <span className="truncate">{configSummary}</span>,
      text: ({ configSummary }) => configSummary,
    },
    {
      key: 'status',
      header: t.status,
      width: 110,
      cell: ({ enabled }) => <Badge tone={enabled ? 'pass' : 'neutral'}>{enabled ? t.on : t.off}</Badge>,
      text: ({ enabled }) => (enabled ? t.on : t.off),
    },
    {
      key: 'last',
      header: t.last,
      width: 210,
      cell: ({ lastResult }) => <Last result={lastResult} />,
      text: ({ lastResult }) =>
        lastResult === null ? t.lastNone : `${lastResult.ok ? t.lastOk : t.lastFailed} ${lastResult.at}`,
    },
    {
      key: 'acts',
      header: '',
      width: 110,
      grow: 0,
      align: 'end',
      cell: (row) => (
        <Button
          size="small"
          busy={testing === row.id}
          disabledReason={reason}
          aria-label={t.testOf(row.name)}
          onClick={() => onTest(row)}
        >
          {t.test}
        </Button>
      ),
      text: null,
    },
  ];
}
