import { type AuditLog, auditActions, auditLogOperations } from '@arbiter/contract/identity/audit-logs';
import { useMemo } from 'react';
import Type from 'typebox';
import { can } from '../../data/can.ts';
import { useList } from '../../data/use-operation.ts';
import { ListTable } from '../../forms/list-table.tsx';
import { ListTools, ViewLinks } from '../../forms/list-tools.tsx';
import { NeedsRole } from '../../forms/needs-role.tsx';
import { peekGrid } from '../../forms/peek.ts';
import { useListLook } from '../../forms/use-list-look.ts';
import { auditKind, auditTexts as t } from '../../messages/audit.ts';
import { addresses } from '../../route/addresses.ts';
import { endAfter, lastDayBefore } from '../../route/days.ts';
import { useSearch } from '../../route/use-address.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { auditColumns } from './audit-columns.tsx';
import { AuditDetail } from './audit-detail.tsx';
import { canHash, useRowChecks } from './use-row-checks.ts';
import { Verification } from './verification.tsx';

const { cursor: _cursor, limit: _limit, ...filters } = auditLogOperations.list.query.properties;
/** Filters and the open row. */
const AuditSearch = Type.Object({ ...filters, row: Type.Optional(Type.String()) });
const filterNames = ['action', 'entityType', 'entityId', 'userId', 'from', 'to'] as const;

/** Every governed change, newest first, with its hash recomputed in the browser. */
export function AuditPage() {
  const [search, change] = useSearch(AuditSearch);
  const { row: open, ...query } = search;
  const permission = can(auditLogOperations.list);
  const list = useList(auditLogOperations.list, { query: { ...query, limit: 100 } }, { enabled: permission.allowed });
  const checks = useRowChecks(list.rows);
  const columns = useMemo(() => auditColumns(checks), [checks]);
  const look = useListLook(auditLogOperations.list.id, columns);
  const found = [...checks.values()];
  const wrong = found.filter(({ hashIsRight, linkIsRight }) => !hashIsRight || linkIsRight === false).length;
  const people = useMemo(() => peopleOf(list.rows, search.userId), [list.rows, search.userId]);
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
  const text = (name: 'entityId' | 'from' | 'to', label: string, width: string, type = 'text') => (
    <TextField
      className={`${width} max-sm:min-w-34 max-sm:flex-1`}
      label={label}
      type={type}
      value={name === 'to' ? lastDayBefore(search.to ?? '') : (search[name] ?? '')}
      onChange={({ target }) => {
        const value = name === 'to' ? endAfter(target.value) : target.value;
        change({ [name]: value === '' ? undefined : value });
      }}
    />
  );
  return (
    <Page title={t.title} lead={t.lead}>
      <Verification />
      <div className="flex flex-wrap items-end gap-3">
        <SelectField
          className="w-36 max-sm:min-w-34 max-sm:flex-1"
          data-filter
          label={t.action}
          placeholder={t.anyAction}
          value={search.action ?? ''}
          options={auditActions.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
          onChange={({ target }) => change({ action: auditActions.find((each) => each === target.value) })}
        />
        <SelectField
          className="w-36 max-sm:min-w-34 max-sm:flex-1"
          label={t.who}
          placeholder={t.anybody}
          value={search.userId ?? ''}
          options={people}
          onChange={({ target }) => change({ userId: target.value === '' ? undefined : target.value })}
        />
        <SelectField
          className="w-36 max-sm:min-w-34 max-sm:flex-1"
          label={t.entityType}
          placeholder={t.anyKind}
          value={search.entityType ?? ''}
          options={kindsOf(list.rows, search.entityType)}
          onChange={({ target }) => change({ entityType: target.value === '' ? undefined : target.value })}
        />
        {text('entityId', t.entityId, 'w-40')}
        {text('from', t.from, 'w-36', 'date')}
        {text('to', t.to, 'w-36', 'date')}
        {filtered ? <Button onClick={clear}>{t.clear}</Button> : null}
        <ListTools look={look} title={t.rows} list={list} further={{ id: ({ id }) => id }} />
      </div>
      <ViewLinks look={look} />
      <div className={peekGrid}>
        <ListTable
          list={list}
          operation={auditLogOperations.list}
          label={t.rows}
          columns={look.columns}
          sort={look.sort}
          onSort={look.onSort}
          density={look.usualDensity}
          rowKey={({ id }) => id}
          rowTo={({ id }) => addresses.audit({ ...query, row: id })}
          onPeek={({ id }) => change({ row: id })}
          filtered={filtered}
          maxHeight="max(24rem, calc(100dvh - 22rem))"
          foot={
            <span className="flex flex-wrap items-center gap-3">
              {canHash() ? (
                found.length > 0 && (
                  <Badge tone={wrong === 0 ? 'pass' : 'block'}>{t.summary(found.length - wrong, wrong)}</Badge>
                )
              ) : (
                <span className="text-caption text-soft">{t.browserUnavailableText}</span>
              )}
            </span>
          }
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

/** Record types in the loaded rows, and the one in the address. */
function kindsOf(rows: readonly AuditLog[], chosen: string | undefined) {
  const kinds = new Set(rows.map(({ entityType }) => entityType));
  if (chosen !== undefined) kinds.add(chosen);
  return [...kinds]
    .map((value) => ({ value, label: auditKind(value) }))
    .toSorted((a, b) => (a.label < b.label ? -1 : 1));
}

/** Users in the loaded rows, and the one in the address. */
function peopleOf(rows: readonly AuditLog[], chosen: string | undefined) {
  const names = new Map(rows.map(({ userId, userName }) => [userId, userName]));
  if (chosen !== undefined && !names.has(chosen)) names.set(chosen, chosen);
  return [...names].map(([value, label]) => ({ value, label })).toSorted((a, b) => (a.label < b.label ? -1 : 1));
}
