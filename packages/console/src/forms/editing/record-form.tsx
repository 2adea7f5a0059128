import type { Operation, Role } from '@arbiter/contract/core/operation';
import { type FormEvent, type ReactNode, useRef } from 'react';
import { can } from '../../data/can.ts';
import type { Failure } from '../../data/failure.ts';
import { editingTexts as t } from '../../messages/lists/editing.ts';
import { useKeys } from '../../route/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import type { Values } from './changes.ts';
import type { FieldSpec } from './field-spec.ts';
import { FormProblems } from './form-problems.tsx';
import { MergePanel } from './merge-panel.tsx';
import type { RecordForm } from './use-record-form.ts';

export interface RecordFormProps {
  readonly form: RecordForm;
  readonly fields: readonly FieldSpec[];
  readonly operation: Operation;
  readonly failure: Failure | null;
  readonly busy: boolean;
  /** Label of the button: "Save", "Create offer". */
  readonly act: string;
  /** True: can be saved without changes, as a new record with its defaults can. */
  readonly isNew: boolean;
  readonly onSave: (changes: Values) => void;
  readonly onCancel: () => void;
  /** The save requests an approval, which the role may do where it can't save. */
  readonly isRequest?: boolean;
  /** More buttons before the one that saves. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

const whoMay = (needs: Role): string => t.needsRole(needs);

/** A form around a record: what's wrong, what others changed, the fields, and a bar with what a save would change. */
export function RecordFormFrame(props: RecordFormProps) {
  const {
    form,
    fields,
    operation,
    failure,
    busy,
    act,
    isNew,
    isRequest = false,
    onSave,
    onCancel,
    actions,
    children,
  } = props;
  const element = useRef<HTMLFormElement>(null);
  useKeys([{ keys: 'mod+s', title: act, run: () => element.current?.requestSubmit() }]);
  const permission = can(operation);
  const changed = Object.keys(form.changes);
  const labels = changed.map((name) => fields.find((field) => field.name === name)?.label ?? name);
  const isIdle = changed.length === 0 && !isNew;
  const reason = permission.allowed || isRequest ? (isIdle ? t.noChanges : null) : whoMay(permission.needs);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason !== null || busy || form.conflicts.length > 0) return;
    if (form.hasInputErrors) {
      element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
      return;
    }
    onSave(form.changes);
  };
  return (
    <form ref={element} noValidate onSubmit={submit} className="flex flex-col gap-4">
      {form.isRestored && changed.length > 0 ? (
        <ProblemPanel
          tone="info"
          title={t.restored}
          actions={
            <Button size="small" onClick={form.discard}>
              {t.discard}
            </Button>
          }
        >
          {t.restoredText}
        </ProblemPanel>
      ) : null}
      {form.rebased.length === 0 ? null : (
        <ProblemPanel
          tone="info"
          title={t.rebased(form.rebased.map((name) => fields.find((one) => one.name === name)?.label ?? name))}
        />
      )}
      {form.conflicts.length === 0 ? (
        <FormProblems {...{ failure, operation, fields }} errors={form.errors} />
      ) : (
        <MergePanel conflicts={form.conflicts} fields={fields} onSettle={form.settle} />
      )}
      {children}
      <div
        data-save-bar
        className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-canvas px-4 py-3 md:-mx-6 md:px-6"
      >
        <p role="status" className="min-w-0 grow text-dense text-soft">
          {permission.allowed || isRequest
            ? changed.length === 0
              ? t.noChanges
              : t.changes(labels)
            : whoMay(permission.needs)}
          {isRequest ? <span className="block">{t.requestNext}</span> : null}
        </p>
        <div className="flex flex-wrap justify-end gap-2">
          <Button kind="quiet" onClick={onCancel}>
            {t.cancel}
          </Button>
          {changed.length === 0 ? null : (
            <Button kind="quiet" onClick={form.discard}>
              {t.discard}
            </Button>
          )}
          {actions}
          <Button kind="primary" submit busy={busy} disabledReason={reason}>
            {act}
          </Button>
        </div>
      </div>
    </form>
  );
}
