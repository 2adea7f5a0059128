import type { ReactNode } from 'react';

export interface EmptyProps {
  /** What is missing: "No offers yet". */
  readonly title: string;
  /** Why, and what it would be good for. */
  readonly children?: ReactNode;
  /** The next step: at least one button or link. */
  readonly actions?: ReactNode;
  readonly icon?: ReactNode;
  readonly level?: 2 | 3;
}

/** Nothing to show: says why and offers the next step. */
export function Empty({ title, children, actions, icon, level = 2 }: EmptyProps) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      {icon ? (
        <span aria-hidden className="mb-1 text-faint [&>svg]:size-6">
          {icon}
        </span>
      ) : null}
      <Heading className="text-body font-semibold">{title}</Heading>
      {children ? <div className="max-w-[52ch] text-body text-balance text-soft">{children}</div> : null}
      {actions ? <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div> : null}
    </div>
  );
}
