import { Trash2, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { can } from '../../data/can.ts';
import { bulkTexts as t } from '../../messages/lists/bulk.ts';
import { editingTexts } from '../../messages/lists/editing.ts';
import { type RecordKind, recordKinds } from '../../records/record-kinds.ts';
import { Button } from '../../ui/button.tsx';
import { mayRequest } from '../editing/approval-need.ts';
import { type FieldSpec, fieldsOf } from '../editing/field-spec.ts';
import type { BulkTarget } from './bulk-change.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import type { BulkChanges } from './bulk-fields.ts';

export interface BulkBarProps {
  readonly kind: RecordKind;
  readonly changes: BulkChanges;
  /** The selected rows, as the list returned them. */
  readonly rows: readonly object[];
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

/** Action of the open dialog: sets a property, or deletes (null). */
interface Act {
  readonly field: FieldSpec | null;
  readonly optionLabels?: Readonly<Record<string, string>> | undefined;
  readonly rows: readonly BulkTarget[];
}

/** Changes the selected rows of a list. */
export function BulkBar({ kind, changes, rows, onSelect }: BulkBarProps) {
  const { operations, fields, spec } = changes;
  const [act, setAct] = useState<Act | null>(null);
  const specs = useMemo(() => {
    const all = fieldsOf(operations.updateById, operations.list.resource, spec);
    return fields.flatMap(({ name, optionLabels }) => {
      const field = all.find((each) => each.name === name);
      return field === undefined ? [] : [{ field: { ...field, isRequired: !field.isNullable }, optionLabels }];
    });
  }, [operations, fields, spec]);
  const change = can(operations.updateById);
  const removal = can(operations.deleteById);
  const isOpen = change.allowed || mayRequest(operations.list.resource?.entityType);
  const chosen = rows as readonly BulkTarget[];
  return (
    <fieldset
      aria-label={t.bar(recordKinds[kind].titles.many)}
      className="flex min-w-0 flex-wrap items-center gap-2 rounded-card border border-accent bg-accent-soft px-3 py-2"
    >
      <span className="pe-1 text-dense font-medium tabular-nums" role="status">
        {t.selected(rows.length)}
      </span>
      {specs.map(({ field, optionLabels }) => (
        <Button
          key={field.name}
          size="small"
          aria-haspopup="dialog"
          disabledReason={isOpen ? null : editingTexts.needsRole(change.needs)}
          onClick={() => setAct({ field, optionLabels, rows: chosen })}
        >
          {t.set(field.label)}
        </Button>
      ))}
      {operations.list.resource?.softDelete === true ? (
        <Button
          size="small"
          kind="danger"
          aria-haspopup="dialog"
          icon={<Trash2 aria-hidden className="size-4" />}
          disabledReason={removal.allowed ? null : editingTexts.needsRole(removal.needs)}
          onClick={() => setAct({ field: null, rows: chosen })}
        >
          {t.delete}
        </Button>
      ) : null}
      <Button size="small" kind="quiet" icon={<X aria-hidden className="size-4" />} onClick={() => onSelect(new Set())}>
        {t.clear}
      </Button>
      {act === null ? null : (
        <BulkDialog
          {...{ kind, operations, ...act }}
          onClose={(left) => {
            setAct(null);
            onSelect(new Set(left));
          }}
        />
      )}
    </fieldset>
  );
}
