import { type AuditLog, auditActions } from '@arbiter/contract/identity/audit-logs';
import { type ReactNode, useMemo } from 'react';
import { auditKind, auditTexts as t } from '../../messages/audit.ts';
import { endAfter, lastDayBefore } from '../../route/days.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import type { AuditFilters } from './audit-search.ts';

export interface AuditFilterRowProps {
  readonly rows: readonly AuditLog[];
  readonly search: AuditFilters;
  readonly onChange: (change: AuditFilters) => void;
  /** Shown after the filters. */
  readonly children: ReactNode;
}

const selectClass = 'w-40 max-sm:min-w-34 max-sm:flex-1';

/** Filters of the audit log. Users and record types are those of the loaded rows. */
export function AuditFilterRow({ rows, search, onChange, children }: AuditFilterRowProps) {
  const people = useMemo(() => peopleOf(rows, search.userId), [rows, search.userId]);
  const text = (name: 'entityId' | 'from' | 'to', label: string, width: string, type = 'text') => (
    <TextField
      className={`${width} max-sm:min-w-34 max-sm:flex-1`}
      label={label}
      type={type}
      value={name === 'to' ? lastDayBefore(search.to ?? '') : (search[name] ?? '')}
      onChange={({ target }) => {
        const value = name === 'to' ? endAfter(target.value) : target.value;
        onChange({ [name]: value === '' ? undefined : value });
      }}
    />
  );
  return (
    <div className="flex flex-wrap items-end gap-3">
      <SelectField
        className={selectClass}
        data-filter
        label={t.action}
        placeholder={t.anyAction}
        value={search.action ?? ''}
        options={auditActions.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
        onChange={({ target }) => onChange({ action: auditActions.find((each) => each === target.value) })}
      />
      <SelectField
        className={selectClass}
        label={t.who}
        placeholder={t.anybody}
        value={search.userId ?? ''}
        options={people}
        onChange={({ target }) => onChange({ userId: target.value === '' ? undefined : target.value })}
      />
      <SelectField
        className={selectClass}
        label={t.entityType}
        placeholder={t.anyKind}
        value={search.entityType ?? ''}
        options={kindsOf(rows, search.entityType)}
        onChange={({ target }) => onChange({ entityType: target.value === '' ? undefined : target.value })}
      />
      {text('entityId', t.entityId, 'w-40')}
      {text('from', t.from, 'w-36', 'date')}
      {text('to', t.to, 'w-36', 'date')}
      {children}
    </div>
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
