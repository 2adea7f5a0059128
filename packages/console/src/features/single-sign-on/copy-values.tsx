import { Copy } from '../../ui/copy.tsx';

export interface CopyValuesProps {
  readonly values: readonly { readonly label: string; readonly value: string }[];
}

/** Shows values to enter elsewhere, each with a copy button. */
export function CopyValues({ values }: CopyValuesProps) {
  return (
    <dl className="flex flex-col gap-3">
      {values.map(({ label, value }) => (
        <div key={label} className="flex min-w-0 flex-col gap-1">
          <dt className="text-dense font-medium">{label}</dt>
          <dd className="flex min-w-0 items-center justify-between gap-2 rounded-control bg-sunken px-2.5 py-1">
            <code className="min-w-0 font-mono text-caption break-all select-all">{value}</code>
            <Copy text={value} what={label} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
