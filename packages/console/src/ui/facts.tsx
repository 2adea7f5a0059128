import type { ReactNode } from 'react';

export interface Fact {
  readonly label: string;
  /** Omitted if it's null or undefined. */
  readonly value: ReactNode;
}

/** Facts about a record: label and value, line by line. */
export function Facts({ facts, narrow = false }: { readonly facts: readonly Fact[]; readonly narrow?: boolean }) {
  const known = facts.filter(({ value }) => value !== null && value !== undefined);
  return (
    <dl className="divide-y divide-line text-dense empty:hidden">
      {known.map(({ label, value }) => (
        <div
          key={label}
          className={`grid items-baseline gap-x-4 gap-y-0.5 py-1.5 ${narrow ? '' : 'grid-cols-[minmax(6rem,2fr)_minmax(0,3fr)] sm:grid-cols-[minmax(7rem,12rem)_minmax(0,1fr)]'}`}
        >
          <dt className="text-soft">{label}</dt>
          <dd className="min-w-0 wrap-anywhere text-ink">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
