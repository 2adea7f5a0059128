import type { FieldInputProps } from '../../forms/editing/field-props.ts';
import { ssoTexts as t } from '../../messages/access/single-sign-on.ts';
import { TextAreaField } from '../../ui/field.tsx';
import { bullets } from './sso-values.ts';

/** Edits the provider's certificates: multi-line, and hidden once stored. */
export function CertificateInput({ form, field: { path, label, help } }: FieldInputProps) {
  const value = form.valueAt(path);
  const isStored = value === bullets;
  return (
    <TextAreaField
      label={label}
      help={isStored ? t.certificateStored : help}
      error={form.errors.get(path)}
      mono
      rows={6}
      spellCheck={false}
      placeholder={isStored ? bullets : undefined}
      value={isStored || typeof value !== 'string' ? '' : value}
      onChange={({ target }) => form.set(path, target.value === '' ? undefined : target.value)}
    />
  );
}
