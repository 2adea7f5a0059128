import { type TenantSettingsAnswer, tenantSettingsOperations } from '@arbiter/contract/identity/tenant-settings';
import type { ReactNode } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { Loaded } from '../../forms/loaded.tsx';
import { settingsTexts as t } from '../../messages/settings.ts';
import { Button } from '../../ui/button.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { DescribedField } from './described-fields.tsx';
import { SampleData } from './sample-data.tsx';
import { NumberField, RegionField, SwitchField, ThemeField } from './setting-fields.tsx';
import { SettingLinks } from './setting-links.tsx';
import { featureSettings, governanceSettings, numberSettings, textSettings } from './settings-changes.ts';
import { type SettingsForm, useSettingsForm } from './use-settings-form.ts';

/** General and feature settings of the tenant. */
export function SettingsPage() {
  const stored = useOperation(tenantSettingsOperations.get, {});
  return (
    <Page title={t.title} lead={t.lead} width="prose">
      <SettingLinks />
      <Loaded answer={stored} operation={tenantSettingsOperations.get}>
        {(settings) => <Form stored={settings} />}
      </Loaded>
      <SampleData />
    </Page>
  );
}

function Form({ stored }: { stored: TenantSettingsAnswer }) {
  const form = useSettingsForm(stored);
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void form.save();
      }}
    >
      {form.isReadOnly ? <p className="text-soft">{t.forAdmins}</p> : null}
      <Section title={t.general}>
        <Columns>
          {textSettings.map((name) => (
            <RegionField key={name} form={form} name={name} />
          ))}
          <ThemeField form={form} />
        </Columns>
      </Section>
      <Section title={t.decisions}>
        <div className="flex flex-col gap-4">
          <Columns>
            {numberSettings.map((name) => (
              <NumberField key={name} form={form} name={name} step={name === 'holdoutPercentage' ? 'any' : '1'} />
            ))}
          </Columns>
          <DescribedField form={form} path="/defaultArbitrationProfileId" />
          <SwitchField form={form} name="decisionTraceEnabled" />
          {form.values.decisionTraceEnabled ? (
            <Columns>
              <NumberField form={form} name="decisionTraceSampleRate" step="any" />
            </Columns>
          ) : null}
        </div>
      </Section>
      <Section title={t.governance}>
        <div className="flex flex-col gap-2">
          {governanceSettings.map((name) => (
            <SwitchField key={name} form={form} name={name} />
          ))}
        </div>
      </Section>
      <Records form={form} />
      <Section title={t.features}>
        <p className="mb-3 text-soft">{t.featuresHelp}</p>
        <Columns>
          {featureSettings.map((name) => (
            <SwitchField key={name} form={form} name={name} />
          ))}
        </Columns>
      </Section>
      {form.changeCount === 0 ? null : <SaveBar form={form} />}
    </form>
  );
}

/** What records contain, and how decisions are explained. */
function Records({ form }: { readonly form: SettingsForm }) {
  return (
    <>
      <Section title={t.records}>
        <div className="flex flex-col gap-4">
          <p className="text-soft">{t.recordsHelp}</p>
          {['/neverStore', '/recordReads/customer', '/recordReads/segments'].map((path) => (
            <DescribedField key={path} form={form} path={path} />
          ))}
        </div>
      </Section>
      <Section title={t.explanations}>
        <DescribedField form={form} path="/aiAnalyzerSettings/llmExplanationsEnabled" />
      </Section>
    </>
  );
}

function SaveBar({ form: { failure, changeCount, busy, discard } }: { readonly form: SettingsForm }) {
  return (
    <div className="sticky bottom-3 flex flex-wrap items-center justify-end gap-3 rounded-card border border-line bg-raised px-4 py-3 shadow-overlay">
      {failure === null ? null : (
        <div className="w-full">
          <FailurePanel failure={failure} operation={tenantSettingsOperations.update} retry="submit" />
        </div>
      )}
      <span className="me-auto text-soft">{t.changed(changeCount)}</span>
      <Button onClick={discard}>{t.discard}</Button>
      <Button kind="primary" submit busy={busy}>
        {t.save}
      </Button>
    </div>
  );
}

const Columns = ({ children }: { children: ReactNode }) => (
  <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">{children}</div>
);
