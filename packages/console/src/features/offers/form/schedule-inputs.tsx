import { fieldId } from '../../../forms/editing/field-id.ts';
import type { FieldInputProps } from '../../../forms/editing/field-props.ts';
import { offerFormTexts as t } from '../../../messages/catalogue/offer-form.ts';
import { CheckField, SelectField, TextField } from '../../../ui/field.tsx';

const isDay = (text: string): boolean => text === '' || /^\d{4}-\d{2}-\d{2}$/.test(text);

/** A day, or an instant that the API stored. */
export function DayInput({ field, form }: FieldInputProps) {
  const { path, label, help } = field;
  const value = form.valueAt(path);
  const text = typeof value === 'string' ? value : '';
  return (
    <TextField
      {...{ label, help }}
      id={fieldId(path)}
      error={form.errors.get(path)}
      type={isDay(text) ? 'date' : 'text'}
      value={text}
      onChange={({ target }) => form.set(path, target.value === '' ? null : target.value)}
    />
  );
}

/** Days of the week from Monday; the API counts from Sunday. */
const week = [1, 2, 3, 4, 5, 6, 0];

/** Days of the week. None means every day. */
export function WeekdaysInput({ field, form }: FieldInputProps) {
  const { path, label, help } = field;
  const value = form.valueAt(path);
  const days: readonly unknown[] = Array.isArray(value) ? value : [];
  const error = [...form.errors].find(([at]) => at === path || at.startsWith(`${path}/`))?.[1];
  return (
    <fieldset id={fieldId(path)} tabIndex={-1} className="flex min-w-0 flex-col gap-1">
      <legend className="pb-1 text-dense font-medium text-ink">{label}</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {week.map((day) => (
          <CheckField
            key={day}
            label={t.weekdays[day]}
            checked={days.includes(day)}
            onChange={({ target }) => {
              const next = week.filter((one) => (one === day ? target.checked : days.includes(one)));
              form.set(path, next.length === 0 ? null : next.toSorted((one, other) => one - other));
            }}
          />
        ))}
      </div>
      <p className={error === undefined ? 'text-caption text-soft' : 'text-caption text-block'}>{error ?? help}</p>
    </fieldset>
  );
}

const hours = Array.from({ length: 25 }, (_, hour) => hour);

/** A full hour of the day. */
export function HourInput({ field, form }: FieldInputProps) {
  const { path, label, help } = field;
  const value = form.valueAt(path);
  return (
    <SelectField
      {...{ label, help }}
      id={fieldId(path)}
      error={form.errors.get(path)}
      placeholder={t.anyHour}
      options={hours.map((hour) => ({ value: String(hour), label: `${String(hour).padStart(2, '0')}:00` }))}
      value={typeof value === 'number' ? String(value) : ''}
      onChange={({ target }) => form.set(path, target.value === '' ? null : Number(target.value))}
    />
  );
}
