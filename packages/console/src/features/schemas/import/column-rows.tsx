import { fileImportTexts as t } from '../../../messages/catalogue/schemas/file-import.ts';
import { CheckField, SelectField, TextField } from '../../../ui/field.tsx';
import { type ColumnType, type ImportPlan, type PlannedColumn, withColumn } from './import-plan.ts';

export interface ColumnRowsProps {
  readonly plan: ImportPlan;
  /** What's wrong with a column, by its name. */
  readonly errors: ReadonlyMap<string, string>;
  readonly onChange: (plan: ImportPlan) => void;
}

const grid =
  'grid gap-x-4 gap-y-2 lg:grid-cols-[minmax(0,3fr)_minmax(0,3fr)_minmax(0,3fr)_minmax(0,3fr)_13rem] lg:items-start';

/** Lists the columns of a file: first values, name, type and privacy. */
export function ColumnRows({ plan, errors, onChange }: ColumnRowsProps) {
  return (
    <div>
      <div aria-hidden className={`${grid} border-b border-line px-4 py-2 text-caption text-soft max-lg:hidden`}>
        {[t.column, t.values, t.label, t.type, t.privacy].map((head) => (
          <span key={head}>{head}</span>
        ))}
      </div>
      <ul className="divide-y divide-line">
        {plan.columns.map((column) => (
          <li key={column.name} aria-label={column.header} className={`${grid} px-4 py-2`}>
            <ColumnRow
              column={column}
              isKey={column.name === plan.key}
              error={errors.get(column.name)}
              onChange={(change) => onChange(withColumn(plan, column.name, change))}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ColumnRowProps {
  readonly column: PlannedColumn;
  readonly isKey: boolean;
  readonly error: string | undefined;
  readonly onChange: (change: Partial<PlannedColumn>) => void;
}

function ColumnRow({ column, isKey, error, onChange }: ColumnRowProps) {
  const { name, header, label, isUsed, isSensitive, neverStore, values } = column;
  const isLoaded = isUsed || isKey;
  return (
    <>
      <div className="min-w-0">
        <CheckField
          label={<span className="min-w-0 break-all font-medium">{header === '' ? name : header}</span>}
          aria-label={t.use(name)}
          checked={isLoaded}
          disabledReason={isKey ? t.keyHelp : null}
          onChange={({ target }) => onChange({ isUsed: target.checked })}
        />
        {name === header.toLowerCase() ? null : (
          <code className="ms-6 block text-caption break-all text-soft">{name}</code>
        )}
      </div>
      <p dir="auto" className="min-w-0 text-dense break-words text-soft lg:pt-1">
        {values.map((value) => (value === '' ? t.noValue : value)).join(' · ')}
      </p>
      {isLoaded ? (
        <>
          <TextField
            label={t.labelOf(name)}
            labelHidden
            maxLength={255}
            value={label}
            onChange={({ target }) => onChange({ label: target.value })}
          />
          <TypeSelect column={column} error={error} onChange={onChange} />
          <div className="flex flex-wrap gap-x-4">
            <CheckField
              label={t.sensitive}
              aria-label={t.sensitiveOf(name)}
              checked={isSensitive}
              onChange={({ target }) => onChange({ isSensitive: target.checked })}
            />
            <CheckField
              label={t.neverStore}
              aria-label={t.neverStoreOf(name)}
              checked={neverStore}
              onChange={({ target }) => onChange({ neverStore: target.checked })}
            />
          </div>
        </>
      ) : null}
    </>
  );
}

const types = Object.keys(t.types) as (keyof typeof t.types)[];

function TypeSelect({ column, error, onChange }: Omit<ColumnRowProps, 'isKey'>) {
  const { name, type, length } = column;
  const limited = length === null ? [] : [{ value: 'varchar', label: t.textUpTo(length) }];
  return (
    <SelectField
      label={t.typeOf(name)}
      labelHidden
      error={error}
      options={[...types.map((value) => ({ value, label: t.types[value] })), ...limited]}
      value={type}
      onChange={({ target }) => onChange({ type: target.value as ColumnType })}
    />
  );
}
