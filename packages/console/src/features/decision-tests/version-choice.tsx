import Type from 'typebox';
import { decisionTestTexts as t } from '../../messages/judging/decision-tests.ts';
import { useSearch } from '../../route/use-address.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { type TestedVersion, testedVersions } from './use-test-runs.ts';

const VersionSearch = Type.Object({ version: Type.Optional(Type.String({ enum: [...testedVersions] })) });

/** The version that tests run with: part of the address, the draft by default. */
export function useTestedVersion(): { readonly version: TestedVersion; readonly choice: React.ReactNode } {
  const [search, change] = useSearch(VersionSearch);
  const version = search.version === 'published' ? 'published' : 'draft';
  const options = testedVersions.map((key) => ({ key, label: t.versions[key] }));
  const onChange = (key: TestedVersion) => change({ version: key === 'draft' ? undefined : key });
  return { version, choice: <Segmented label={t.version} options={options} value={version} onChange={onChange} /> };
}
