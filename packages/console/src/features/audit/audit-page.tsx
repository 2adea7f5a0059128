import { type AuditLog, auditLogOperations } from '@arbiter/contract/identity/audit-logs';
import { useMemo } from 'react';
import { can } from '../../data/can.ts';
import { useList } from '../../data/use-operation.ts';
import { ListTable } from '../../forms/list-table.tsx';
import { ListTools, ViewLinks } from '../../forms/list-tools.tsx';
import { NeedsRole } from '../../forms/needs-role.tsx';
import { peekGrid } from '../../forms/peek.ts';
import { useListLook } from '../../forms/use-list-look.ts';
import { auditTexts as t } from '../../messages/audit.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { auditColumns } from './audit-columns.tsx';
import { AuditDetail } from './audit-detail.tsx';
import { AuditFilterRow } from './audit-filters.tsx';
import { AuditSearch, filterNames } from './audit-search.ts';
import { canHash, useRowChecks } from './use-row-checks.ts';
import { Verification } from './verification.tsx';

/** Every governed change, newest first, with its hash recomputed in the browser. */
export function AuditPage() {
  const [search, change] = useSearch(AuditSearch);
  const { row: open, ...query } = search;
  const permission = can(auditLogOperations.list);
  const list = useList(auditLogOperations.list, { query: { ...query, limit: 100 } }, { enabled: permission.allowed });
  const checks = useRowChecks(list.rows);
  const columns = useMemo(() => auditColumns(checks), [checks]);
  const look = useListLook(auditLogOperations.list.id, columns);
  const filtered = filterNames.some((name) => search[name] !== undefined);
  const clear = () => change(Object.fromEntries(filterNames.map((name) => [name, undefined])), { push: true });
  if (!permission.allowed) {
    return (
      <Page title={t.title}>
        <NeedsRole title={t.forAdmins} needs={permission.needs} />
      </Page>
    );
  }
  const shown: AuditLog | undefined = list.rows.find(({ id }) => id === open);
  return (
    <Page title={t.title} lead={t.lead}>
      <Verification />
      <AuditFilterRow rows={list.rows} search={search} onChange={change}>
        {filtered ? <Button onClick={clear}>{t.clear}</Button> : null}
        <ListTools look={look} title={t.rows} list={list} further={{ id: ({ id }) => id }} />
      </AuditFilterRow>
      <ViewLinks look={look} />
      <div className={peekGrid}>
        <ListTable
          list={list}
          operation={auditLogOperations.list}
          label={t.rows}
          columns={look.columns}
          sort={look.sort}
          onSort={look.onSort}
          density={look.defaultDensity}
          rowKey={({ id }) => id}
          rowTo={({ id }) => addresses.audit({ ...query, row: id })}
          onPeek={({ id }) => change({ row: id })}
          filtered={filtered}
          maxHeight="max(24rem, calc(100dvh - 22rem))"
          foot={<HashSummary checks={checks} />}
          empty={<Empty title={t.none}>{t.noneText}</Empty>}
          filteredEmpty={<Empty title={t.noneFiltered} actions={<Button onClick={clear}>{t.clear}</Button>} />}
        />
        {shown === undefined ? null : (
          <AuditDetail row={shown} check={checks.get(shown.id)} onClose={() => change({ row: undefined })} />
        )}
      </div>
    </Page>
  );
}

/** Number of loaded rows whose hash and link are right, and of those that are wrong. */
function HashSummary({ checks }: { readonly checks: ReturnType<typeof useRowChecks> }) {
  if (!canHash()) return <span className="text-caption text-soft">{t.browserUnavailableText}</span>;
  if (checks.size === 0) return null;
  const wrong = [...checks.values()].filter(({ hashIsRight, linkIsRight }) => !hashIsRight || linkIsRight === false);
  return (
    <Badge tone={wrong.length === 0 ? 'pass' : 'block'}>{t.summary(checks.size - wrong.length, wrong.length)}</Badge>
  );
}
