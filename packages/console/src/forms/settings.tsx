import type { ReactNode } from 'react';
import { conditionTree, valueText } from '../messages/catalogue/conditions.ts';
import { humanKey } from '../messages/human-key.ts';
import { Facts } from '../ui/facts.tsx';
import { ConditionView } from './condition-view.tsx';
import type { NamedKind } from './named-kinds.ts';
import { RecordLink } from './record-name.tsx';

type Config = Readonly<Record<string, unknown>>;

export interface SettingsProps {
  readonly config: Config;
  readonly narrow?: boolean;
  /** Labels by path, as forms have them: `/config/maxPerDay`. Other keys become words. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What values mean. */
  readonly options?: Readonly<Record<string, string>>;
}

/** Keys that refer to records by ID. */
const referenceKinds: Readonly<Record<string, NamedKind>> = {
  segments: 'segment',
  requiredSegments: 'segment',
  excludeSegments: 'segment',
  excludeOfferIds: 'offer',
  offerId: 'offer',
  channelId: 'channel',
  targetCategory: 'category',
  categoryId: 'category',
  triggerCategoryId: 'category',
  subCategoryId: 'subcategory',
};

const isObject = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value);

/** Every key of a config with its value, also unknown keys. */
export function Settings({ config, narrow = false, labels = {}, options = {} }: SettingsProps) {
  const labelOf = (path: string, key: string) => labels[path] ?? humanKey(key);
  const wordsOf = (value: unknown) => (typeof value === 'string' ? (options[value] ?? value) : valueText(value));
  const rowText = (row: Config, path: string): string =>
    Object.entries(row)
      .map(([key, value]) => `${labelOf(`${path}/${key}`, key)}: ${wordsOf(value)}`)
      .join(', ');
  const shown = (key: string, value: unknown): ReactNode => {
    const values = Array.isArray(value) ? value : [value];
    const kind = referenceKinds[key];
    if (kind !== undefined && values.length > 0 && values.every(isId)) {
      return <Lines lines={values.map((id) => ({ key: id, content: <RecordLink kind={kind} id={id} /> }))} />;
    }
    if (isObject(value) && conditionTree(value) !== null) return <ConditionView condition={value} otherwise="" />;
    const isFlat = (row: unknown) => isObject(row) && Object.values(row).every((one) => !isObject(one));
    if (Array.isArray(value) && value.length > 0 && values.every(isFlat)) {
      const rows = values.map((row) => rowText(row, `/config/${key}/-`));
      return <Lines lines={rows.map((content) => ({ key: content, content }))} />;
    }
    if (!values.some((one) => typeof one === 'object' && one !== null)) {
      return valueText(Array.isArray(value) ? value.map(wordsOf) : wordsOf(value));
    }
    return (
      <pre className="rounded-control bg-sunken p-2 text-caption break-words whitespace-pre-wrap">
        {JSON.stringify(value, null, 2)}
      </pre>
    );
  };
  return (
    <Facts
      narrow={narrow}
      facts={Object.entries(config).map(([key, value]) => ({
        label: labelOf(`/config/${key}`, key),
        value: shown(key, value),
      }))}
    />
  );
}

function Lines({ lines }: { readonly lines: readonly { readonly key: string; readonly content: ReactNode }[] }) {
  return (
    <span className="flex flex-col gap-0.5">
      {lines.map(({ key, content }) => (
        <span key={key} className="break-words">
          {content}
        </span>
      ))}
    </span>
  );
}
