import type { FieldSpec } from './field-spec.ts';
import type { RecordForm } from './use-record-form.ts';

/** The part of a form that a field needs. */
export type FieldForm = Pick<RecordForm, 'valueAt' | 'set' | 'errors' | 'setInputError'>;

export interface FieldInputProps {
  readonly field: FieldSpec;
  readonly form: FieldForm;
  /** Labels of choices; others are shown as the API has them. */
  readonly optionLabels?: Readonly<Record<string, string>>;
  readonly unit?: string;
  readonly className?: string;
}
