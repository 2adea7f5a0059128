import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { editingTexts as t } from '../../../messages/lists/editing.ts';
import { Button } from '../../../ui/button.tsx';
import { fieldId } from '../field-id.ts';
import type { FieldInputProps } from '../field-props.ts';
import { atRow, type FieldSpec } from '../field-spec.ts';
import { FieldInput } from './field-input.tsx';

export interface RowsInputProps extends FieldInputProps {
  /** The section around it has the same title. */
  readonly labelHidden?: boolean;
  /** A new row. */
  readonly start?: Readonly<Record<string, unknown>>;
  /** Label of a row; default: its number. */
  readonly rowLabel?: (row: Readonly<Record<string, unknown>>, position: number) => string;
  /** Fields of a row that make sense with its values; default: all. */
  readonly shown?: (row: Readonly<Record<string, unknown>>, fields: readonly FieldSpec[]) => readonly FieldSpec[];
  /** Another control for a field. */
  readonly control?: (field: FieldSpec, row: Readonly<Record<string, unknown>>) => ReactNode | undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** A list of objects: each row has its fields and can be moved out of the list. */
export function RowsInput(props: RowsInputProps) {
  const {
    field,
    form,
    optionLabels,
    start = {},
    rowLabel = (_, at) => t.row(at + 1),
    shown,
    control,
    labelHidden,
  } = props;
  const { path, label, help, fields = [], longest } = field;
  const value = form.valueAt(path);
  const rows = Array.isArray(value) ? value.filter(isObject) : [];
  const error = form.errors.get(path);
  const isFull = longest !== undefined && rows.length >= longest;
  return (
    <fieldset id={fieldId(path)} tabIndex={-1} className="flex min-w-0 flex-col gap-3">
      <legend className={labelHidden ? 'hidden-text' : 'pb-1 text-dense font-medium text-ink'}>{label}</legend>
      {help === '' ? null : <p className="text-caption text-soft">{help}</p>}
      {error === undefined ? null : <p className="text-caption text-block first-letter:uppercase">{error}</p>}
      {rows.map((row, position) => (
        // Rows have no identity of their own.
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity of their own
        <div key={position} className="flex flex-col gap-2 rounded-control border border-line p-3">
          <div className="flex items-center justify-between gap-2">
            <h3 className="min-w-0 text-dense font-medium break-words">{rowLabel(row, position)}</h3>
            <Button
              kind="quiet"
              size="small"
              icon={<Trash2 aria-hidden className="size-4" />}
              aria-label={t.remove(rowLabel(row, position))}
              onClick={() =>
                form.set(
                  path,
                  rows.filter((_, at) => at !== position),
                )
              }
            />
          </div>
          <div className="grid gap-3 sm:grid-cols-2">
            {(shown?.(row, fields) ?? fields).map((each) => {
              const own = atRow(each, path, position);
              return (
                <div key={own.path} className="min-w-0">
                  {control?.(own, row) ?? (
                    <FieldInput form={form} field={own} {...(optionLabels === undefined ? {} : { optionLabels })} />
                  )}
                </div>
              );
            })}
          </div>
        </div>
      ))}
      <Button
        size="small"
        className="w-fit"
        aria-label={t.add(label)}
        icon={<Plus aria-hidden className="size-4" />}
        disabledReason={isFull ? t.full(longest) : null}
        onClick={() => form.set(path, [...rows, start])}
      >
        {t.addShort}
      </Button>
    </fieldset>
  );
}
