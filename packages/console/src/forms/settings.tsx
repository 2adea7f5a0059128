import { valueText } from '../messages/catalogue/conditions.ts';
import { humanKey } from '../messages/human-key.ts';
import { Facts } from '../ui/facts.tsx';

const isPlain = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Array.isArray(value) && value.every((one) => typeof one !== 'object'));

/** Every key of a config with its value, also unknown keys. */
export function Settings({
  config,
  narrow = false,
}: {
  readonly config: Readonly<Record<string, unknown>>;
  readonly narrow?: boolean;
}) {
  return (
    <Facts
      narrow={narrow}
      facts={Object.entries(config).map(([key, value]) => ({
        label: humanKey(key),
        value: isPlain(value) ? (
          valueText(value)
        ) : (
          <pre className="rounded-control bg-sunken p-2 text-caption break-words whitespace-pre-wrap">
            {JSON.stringify(value, null, 2)}
          </pre>
        ),
      }))}
    />
  );
}
