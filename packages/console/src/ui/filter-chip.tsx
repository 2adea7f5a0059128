import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

export interface FilterChipProps {
  /** What is filtered by: "Channel". */
  readonly label?: string;
  readonly children: ReactNode;
  /** Name of the button that takes it off. */
  readonly removes: string;
  readonly onRemove: () => void;
}

/** An active filter, or an entry of a list, with the button that removes it. */
export function FilterChip({ label, children, removes, onRemove }: FilterChipProps) {
  return (
    <span className="inline-flex h-7 max-w-full items-center gap-1 rounded-control border border-line bg-accent-soft ps-2 text-dense">
      {label === undefined ? null : <span className="text-soft">{label}</span>}
      <span className="max-w-52 truncate font-medium">{children}</span>
      <Button
        kind="quiet"
        size="small"
        aria-label={removes}
        icon={<X aria-hidden className="size-3.5" />}
        onClick={onRemove}
      />
    </span>
  );
}
