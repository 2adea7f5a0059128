import type { ComponentType, ReactNode } from 'react';
import { conditionText, valueText } from '../messages/catalogue/conditions.ts';
import { humanKey } from '../messages/human-key.ts';
import { Facts } from '../ui/facts.tsx';
import type { NamedKind } from './named-kinds.ts';

type Config = Readonly<Record<string, unknown>>;

export interface SettingsProps {
  readonly config: Config;
  readonly narrow?: boolean;
  /** Labels by path, as forms have them: `/config/maxPerDay`. Other keys become words. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What values mean. */
  readonly options?: Readonly<Record<string, string>>;
  /** Names a record that a key refers to (`RecordLink`); undefined: its ID. */
  readonly reference?: ComponentType<{ readonly kind: NamedKind; readonly id: string }>;
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
export function Settings({ config, narrow = false, labels = {}, options = {}, reference: Named }: SettingsProps) {
  // The database orders keys by their length, forms by what belongs together.
  const order = Object.keys(labels);
  const placeOf = (key: string) => (order.includes(`/config/${key}`) ? order.indexOf(`/config/${key}`) : order.length);
  const entries = Object.entries(config).sort(([a], [b]) => placeOf(a) - placeOf(b));
  const labelOf = (path: string, key: string) => labels[path] ?? humanKey(key);
  const wordsOf = (value: unknown) => (typeof value === 'string' ? (options[value] ?? value) : valueText(value));
  const rowText = (row: Config, path: string): string =>
    Object.entries(row)
      .map(([key, value]) => `${labelOf(`${path}/${key}`, key)}: ${wordsOf(value)}`)
      .join(', ');
  const shown = (key: string, value: unknown): ReactNode => {
    const values = Array.isArray(value) ? value : [value];
    const kind = referenceKinds[key];
    if (Named !== undefined && kind !== undefined && values.length > 0 && values.every(isId)) {
      return values.map((id) => (
        <span key={id} className="block">
          <Named kind={kind} id={id} />
        </span>
      ));
    }
    const condition = isObject(value) ? conditionText(value) : null;
    if (condition !== null) return condition;
    const isFlat = (row: unknown) => isObject(row) && Object.values(row).every((one) => !isObject(one));
    if (Array.isArray(value) && value.length > 0 && values.every(isFlat)) {
      return values.map((row) => rowText(row, `/config/${key}/-`)).join('; ');
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
      facts={entries.map(([key, value]) => ({
        label: labelOf(`/config/${key}`, key),
        value: shown(key, value),
      }))}
    />
  );
}
