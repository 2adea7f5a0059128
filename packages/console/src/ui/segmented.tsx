import { ToggleGroup } from 'radix-ui';

export interface SegmentedProps<Key extends string> {
  readonly label: string;
  readonly options: readonly { readonly key: Key; readonly label: string }[];
  readonly value: Key;
  readonly onChange: (key: Key) => void;
}

/** Selects one of two or three views. */
export function Segmented<Key extends string>({ label, options, value, onChange }: SegmentedProps<Key>) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={(key) => {
        const option = options.find((one) => one.key === key);
        if (option) onChange(option.key);
      }}
      className="inline-flex max-w-full flex-wrap rounded-control border border-line-strong bg-surface p-px"
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.key}
          value={option.key}
          className="h-7 rounded-control px-2.5 text-dense font-medium text-soft hover:text-ink data-[state=on]:bg-accent-soft data-[state=on]:text-accent-ink"
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
