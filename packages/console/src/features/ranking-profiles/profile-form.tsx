import { rankingProfileOperations } from '@arbiter/contract/catalogue/ranking-profiles';
import { FieldGroup, FieldGroups } from '../../forms/editing/field-group.tsx';
import { FieldInput } from '../../forms/editing/inputs/field-input.tsx';
import { type FormParts, RecordEditor } from '../../forms/editing/record-editor.tsx';
import { Presets } from '../../forms/presets.tsx';
import { profileTexts as t } from '../../messages/catalogue/ranking-profiles.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { later } from '../../ui/later.tsx';
import { WeightBars } from './weight-bars.tsx';

/** A separate chunk: it simulates. */
const ProfileTrial = later(() => import('./trial/profile-trial.tsx').then((module) => module.ProfileTrial));

const spec = { labels: t.labels, help: t.help };
const initial = { name: '', weights: { propensity: 1 } };

/** What a new profile of a common kind starts with. */
const presets = (
  [
    ['balanced', { propensity: 1, relevance: 1, impact: 1, emphasis: 1 }],
    ['revenue', { propensity: 0.5, revenue: 1, margin: 0.5 }],
    ['care', { relevance: 1, recency: 0.5, fatigue: 0.5 }],
  ] as const
).map(([key, weights]) => ({ label: t.presets[key], name: t.presets[key], values: { weights } }));

/** Creates a ranking profile, or changes one. */
export function ProfileForm() {
  return (
    <RecordEditor kind="rankingProfile" operations={rankingProfileOperations} spec={spec} initial={initial}>
      {(parts) => <Fields {...parts} />}
    </RecordEditor>
  );
}

function Fields({ form, field, record }: FormParts) {
  const input = (path: string) => <FieldInput key={path} form={form} field={field(path)} />;
  return (
    <FieldGroups>
      <div className="flex min-w-0 flex-col gap-4">
        <FieldGroup title={t.basics}>
          {record === null ? <Presets form={form} presets={presets} /> : null}
          {input('/name')}
          {record === null ? (
            input('/key')
          ) : (
            <div>
              <h3 className="text-dense font-medium">{listTexts.key}</h3>
              <code className="text-dense">{String(record.key)}</code>
              <p className="text-caption text-soft">{t.fixedKey}</p>
            </div>
          )}
          {input('/description')}
        </FieldGroup>
        <FieldGroup title={t.share}>
          <WeightBars weights={form.valueAt('/weights')} />
          <p className="text-caption text-soft">{t.sharesHelp}</p>
        </FieldGroup>
        <ProfileTrial weights={form.valueAt('/weights')} />
      </div>
      <FieldGroup title={t.weights}>
        <div className="grid gap-3 sm:grid-cols-2">
          {(field('/weights').fields ?? []).map(({ path }) => input(path))}
        </div>
      </FieldGroup>
    </FieldGroups>
  );
}
