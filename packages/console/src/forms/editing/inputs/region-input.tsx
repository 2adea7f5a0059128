import { useCallback } from 'react';
import { PickField } from '../../../ui/pick-field.tsx';
import { fieldId } from '../field-id.ts';
import type { FieldInputProps } from '../field-props.ts';
import { findRegions, type RegionKind, regionText } from './regions.ts';

export interface RegionInputProps extends FieldInputProps {
  readonly region: RegionKind;
  /** Shown while it's empty: the tenant's own. */
  readonly usual: string;
}

/** A time zone or currency by its name. */
export function RegionInput({ field, form, className, region, usual }: RegionInputProps) {
  const { path, label, help } = field;
  const value = form.valueAt(path);
  const find = useCallback(async (text: string) => findRegions(region, text), [region]);
  return (
    <PickField
      {...{ label, className, find }}
      id={fieldId(path)}
      help={help === '' ? undefined : help}
      error={form.errors.get(path)}
      placeholder={usual}
      shown={typeof value === 'string' && value !== '' ? regionText(region, value) : ''}
      onPick={(pick) => form.set(path, pick?.value ?? null)}
    />
  );
}
