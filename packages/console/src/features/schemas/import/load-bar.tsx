import type { ReactNode } from 'react';

/** The button that loads, at the edge of the window, below everything it depends on. */
export function LoadBar({ children }: { readonly children: ReactNode }) {
  return (
    <div
      data-save-bar
      className="sticky bottom-0 z-10 flex flex-wrap items-center justify-end gap-2 rounded-card border border-line bg-surface px-4 py-3"
    >
      {children}
    </div>
  );
}
