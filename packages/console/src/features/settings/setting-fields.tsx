import { findRegions, regionText } from '../../forms/editing/inputs/regions.ts';
import { settingsTexts as t } from '../../messages/settings.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { PickField } from '../../ui/pick-field.tsx';
import type {
  featureSettings,
  governanceSettings,
  numberSettings,
  SettingName,
  textSettings,
} from './settings-changes.ts';
import type { SettingsForm } from './use-settings-form.ts';

const helpOf = (name: SettingName): string | undefined => (name in t.helps ? Reflect.get(t.helps, name) : undefined);

interface SettingFieldProps<Name extends SettingName> {
  readonly form: SettingsForm;
  readonly name: Name;
}

const finders = {
  timezone: async (text: string) => findRegions('timezone', text),
  locale: async (text: string) => findRegions('locale', text),
  currency: async (text: string) => findRegions('currency', text),
} as const;

/** Time zone, language or currency. */
export function RegionField({ form, name }: SettingFieldProps<(typeof textSettings)[number]>) {
  const shown = regionText(name, form.values[name]);
  if (form.isReadOnly) return <TextField label={t.labels[name]} value={shown} readOnly />;
  return (
    <PickField
      label={t.labels[name]}
      help={t.helps[name]}
      error={form.errorOf(name)}
      required
      shown={shown}
      find={finders[name]}
      onPick={(pick) => {
        if (pick !== null) form.set({ [name]: pick.value });
      }}
    />
  );
}

const themes = ['system', 'light', 'dark'] as const;

export function ThemeField({ form }: { readonly form: SettingsForm }) {
  const { theme } = form.values;
  if (form.isReadOnly) return <TextField label={t.labels.theme} value={t.themes[theme]} readOnly />;
  return (
    <SelectField
      label={t.labels.theme}
      value={theme}
      options={themes.map((value) => ({ value, label: t.themes[value] }))}
      onChange={({ target }) => {
        const selected = themes.find((each) => each === target.value);
        if (selected !== undefined) form.set({ theme: selected });
      }}
    />
  );
}

export function NumberField({
  form,
  name,
  step,
}: SettingFieldProps<(typeof numberSettings)[number] | 'decisionTraceSampleRate'> & { readonly step: '1' | 'any' }) {
  const value = form.values[name];
  return (
    <TextField
      type="number"
      step={step}
      label={t.labels[name]}
      help={helpOf(name)}
      error={form.errorOf(name)}
      unit={name === 'decisionTraceSampleRate' ? undefined : t.units[name]}
      value={Number.isNaN(value) ? '' : value}
      readOnly={form.isReadOnly}
      onChange={({ target }) => form.set({ [name]: target.valueAsNumber })}
    />
  );
}

type SwitchName = (typeof governanceSettings)[number] | (typeof featureSettings)[number] | 'decisionTraceEnabled';

export function SwitchField({ form, name }: SettingFieldProps<SwitchName>) {
  return (
    <CheckField
      label={t.labels[name]}
      help={helpOf(name)}
      checked={form.values[name]}
      disabledReason={form.isReadOnly ? t.needsAdmin : null}
      onChange={({ target }) => form.set({ [name]: target.checked })}
    />
  );
}
