import { editingTexts as t } from '../messages/lists/editing.ts';
import { Button } from '../ui/button.tsx';
import type { Values } from './editing/changes.ts';
import type { RecordForm } from './editing/use-record-form.ts';

export interface Preset {
  /** Shown on its button. */
  readonly label: string;
  /** Name of the new record, while the user hasn't typed another. */
  readonly name: string;
  readonly values: Values;
}

export interface PresetsProps {
  readonly form: RecordForm;
  readonly presets: readonly Preset[];
}

/** What a new record of a common kind starts with. */
export function Presets({ form, presets }: PresetsProps) {
  const { name } = form.values;
  const isPresetName = name === '' || presets.some((preset) => preset.name === name);
  return (
    <fieldset aria-label={t.preset} className="flex flex-wrap items-center gap-1.5">
      <span className="text-dense text-soft">{t.preset}</span>
      {presets.map((preset) => (
        <Button
          key={preset.label}
          size="small"
          onClick={() => form.patch({ ...preset.values, ...(isPresetName ? { name: preset.name } : {}) })}
        >
          {preset.label}
        </Button>
      ))}
    </fieldset>
  );
}
