import { type TenantSettingsAnswer, tenantSettingsOperations } from '@arbiter/contract/identity/tenant-settings';
import type { ReactNode } from 'react';
import { boot, setBoot } from '../../data/boot.ts';
import { can } from '../../data/can.ts';
import { useDraft } from '../../data/use-draft.ts';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { Loaded } from '../../forms/loaded.tsx';
import { settingsTexts as t } from '../../messages/settings.ts';
import { titles } from '../../messages/titles.ts';
import { addresses } from '../../route/addresses.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { PickField } from '../../ui/pick-field.tsx';
import { toast } from '../../ui/toast.tsx';
import { findRegions, regionText } from './regions.ts';
import { SampleData } from './sample-data.tsx';
import {
  type Changes,
  featureSettings,
  governanceSettings,
  numberSettings,
  patchOf,
  type SettingName,
  textSettings,
  validChanges,
} from './settings-form.ts';

/** General and feature settings of the tenant. */
export function SettingsPage() {
  const stored = useOperation(tenantSettingsOperations.get, {});
  return (
    <Page
      title={t.title}
      lead={t.lead}
      width="prose"
      actions={
        <>
          <ButtonLink to={addresses.account()}>{t.account}</ButtonLink>
          <ButtonLink to={addresses.apiKeys()}>{t.keys}</ButtonLink>
          <ButtonLink to={addresses.people()}>{titles.people}</ButtonLink>
        </>
      }
    >
      <Loaded answer={stored} operation={tenantSettingsOperations.get}>
        {(settings) => <Form stored={settings} />}
      </Loaded>
      <SampleData />
    </Page>
  );
}

const helpOf = (name: SettingName): string | undefined => (name in t.helps ? Reflect.get(t.helps, name) : undefined);

const finders = {
  timezone: async (text: string) => findRegions('timezone', text),
  locale: async (text: string) => findRegions('locale', text),
  currency: async (text: string) => findRegions('currency', text),
} as const;

function Form({ stored }: { stored: TenantSettingsAnswer }) {
  // Whoever goes to another page finds the changes when they come back.
  const [changes, setChanges] = useDraft('settings', (draft) => validChanges(draft, stored));
  const { run, busy, failure, clear } = useMutate(tenantSettingsOperations.update);
  const permission = can(tenantSettingsOperations.update);
  const readOnly = !permission.allowed;
  const values = { ...stored, ...changes };
  const patch = patchOf(stored, changes);
  const count = Object.keys(patch).length;
  const put = (change: Changes) => setChanges({ ...changes, ...change });
  const errorOf = (name: SettingName): string | undefined =>
    failure?.kind === 'refused'
      ? failure.problem.errors.find(({ path }) => path === `/${name}` || path.startsWith(`/${name}/`))?.message
      : undefined;
  const save = async () => {
    const answer = await run({ body: patch });
    if (answer === null) return;
    setChanges({});
    const block = boot();
    if (block.authenticated) setBoot({ ...block, settings: answer });
    toast({ text: t.saved });
  };
  const check = (
    name: (typeof governanceSettings)[number] | (typeof featureSettings)[number] | 'decisionTraceEnabled',
  ) => (
    <CheckField
      key={name}
      label={t.labels[name]}
      help={helpOf(name)}
      checked={values[name]}
      disabledReason={readOnly ? t.needsAdmin : null}
      onChange={({ target }) => put({ [name]: target.checked })}
    />
  );
  const number = (name: (typeof numberSettings)[number] | 'decisionTraceSampleRate', step: string) => (
    <TextField
      key={name}
      type="number"
      step={step}
      label={t.labels[name]}
      help={helpOf(name)}
      error={errorOf(name)}
      unit={name === 'decisionTraceSampleRate' ? undefined : t.units[name]}
      value={Number.isNaN(values[name]) ? '' : values[name]}
      readOnly={readOnly}
      onChange={({ target }) => put({ [name]: target.valueAsNumber })}
    />
  );
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {readOnly ? <p className="text-soft">{t.forAdmins}</p> : null}
      <Section title={t.general}>
        <Columns>
          {textSettings.map((name) =>
            readOnly ? (
              <TextField key={name} label={t.labels[name]} value={regionText(name, values[name])} readOnly />
            ) : (
              <PickField
                key={name}
                label={t.labels[name]}
                help={t.helps[name]}
                error={errorOf(name)}
                required
                shown={regionText(name, values[name])}
                find={finders[name]}
                onPick={(pick) => {
                  if (pick !== null) put({ [name]: pick.value });
                }}
              />
            ),
          )}
          {readOnly ? (
            <TextField label={t.labels.theme} value={t.themes[values.theme]} readOnly />
          ) : (
            <SelectField
              label={t.labels.theme}
              value={values.theme}
              options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: t.themes[value] }))}
              onChange={({ target }) => {
                const theme = (['system', 'light', 'dark'] as const).find((each) => each === target.value);
                if (theme !== undefined) put({ theme });
              }}
            />
          )}
        </Columns>
      </Section>
      <Section title={t.decisions}>
        <div className="flex flex-col gap-4">
          <Columns>{numberSettings.map((name) => number(name, name === 'holdoutPercentage' ? 'any' : '1'))}</Columns>
          {check('decisionTraceEnabled')}
          {values.decisionTraceEnabled ? <Columns>{number('decisionTraceSampleRate', 'any')}</Columns> : null}
        </div>
      </Section>
      <Section title={t.governance}>
        <div className="flex flex-col gap-2">{governanceSettings.map(check)}</div>
      </Section>
      <Section title={t.features}>
        <p className="mb-3 text-soft">{t.featuresHelp}</p>
        <Columns>{featureSettings.map(check)}</Columns>
      </Section>
      {count === 0 ? null : (
        <div className="sticky bottom-3 flex flex-wrap items-center justify-end gap-3 rounded-card border border-line bg-raised px-4 py-3 shadow-overlay">
          {failure === null ? null : (
            <div className="w-full">
              <FailurePanel failure={failure} operation={tenantSettingsOperations.update} retry="submit" />
            </div>
          )}
          <span className="me-auto text-soft">{t.changed(count)}</span>
          <Button
            onClick={() => {
              setChanges({});
              clear();
            }}
          >
            {t.discard}
          </Button>
          <Button kind="primary" submit busy={busy}>
            {t.save}
          </Button>
        </div>
      )}
    </form>
  );
}

const Columns = ({ children }: { children: ReactNode }) => (
  <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">{children}</div>
);
