import { editingTexts as t } from '../../../messages/lists/editing.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { TextField } from '../../../ui/field.tsx';
import { fieldId } from '../field-id.ts';
import type { FieldInputProps } from '../field-props.ts';
import { secretBullets } from './secret-bullets.ts';

/** A secret: it can be replaced or removed, and is never shown. */
export function SecretInput({ field, form, className }: FieldInputProps) {
  const { path, label, help, isRequired } = field;
  const value = form.valueAt(path);
  const isStored = value === secretBullets;
  const isSet = value !== undefined && value !== null && value !== '';
  return (
    <div className="flex items-end gap-1.5">
      <TextField
        {...{ label, isRequired }}
        className={cx('min-w-0 grow', className)}
        id={fieldId(path)}
        type="password"
        autoComplete="new-password"
        help={isStored ? t.secretStored : help === '' ? undefined : help}
        error={form.errors.get(path)}
        placeholder={isStored ? secretBullets : undefined}
        value={isStored || typeof value !== 'string' ? '' : value}
        onChange={({ target }) => form.set(path, target.value === '' ? undefined : target.value)}
      />
      {isSet ? (
        <Button className="mb-5" aria-label={t.remove(label)} onClick={() => form.set(path, undefined)}>
          {t.removeOne}
        </Button>
      ) : null}
    </div>
  );
}
