import type { ReactNode } from 'react';

export interface PanelPartProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of the list panel, with its heading. */
export function PanelPart({ title, actions, children }: PanelPartProps) {
  return (
    <section aria-label={title} className="flex flex-col gap-1.5">
      <div className="flex min-h-7 items-center justify-between gap-2">
        <h2 className="text-dense font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
