import type { ReactNode } from 'react';
import { idTexts, uiTexts } from '../messages/ui.ts';
import { type Tone, toneIcons, toneSoft, toneText } from './badge.tsx';
import { Copy } from './copy.tsx';
import { cx } from './cx.ts';

export interface ProblemPanelProps {
  /** What happened, in a sentence. */
  readonly title: string;
  /** Why, and what to do next. */
  readonly children?: ReactNode;
  readonly tone?: Extract<Tone, 'block' | 'warn' | 'info'>;
  /** The next step: buttons or links. */
  readonly actions?: ReactNode;
  /** Rejected parts of the input; `to` links to the field. */
  readonly details?: readonly { readonly label: string; readonly message: string; readonly to?: string }[];
  readonly requestId?: string | undefined;
}

/** An error: what happened, what to do, and the request ID for the server's log. */
export function ProblemPanel(props: ProblemPanelProps) {
  const { title, children, tone = 'block', actions, details, requestId } = props;
  const Icon = toneIcons[tone];
  return (
    <div
      role={tone === 'info' ? 'status' : 'alert'}
      data-problem
      className={cx('flex gap-3 rounded-card border border-line px-4 py-3', toneSoft[tone])}
    >
      {Icon ? <Icon aria-hidden className={cx('mt-0.5 size-4 shrink-0', toneText[tone])} /> : null}
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p className="font-medium text-ink">{title}</p>
        {children ? <div className="max-w-[72ch] text-balance text-soft">{children}</div> : null}
        {details && details.length > 0 ? (
          <ul className="list-disc ps-4 text-soft">
            {details.map(({ label, message, to }) => (
              <li key={`${label} ${message}`}>
                {to ? (
                  <a href={to} className="text-ink underline underline-offset-3">
                    {label}
                  </a>
                ) : (
                  <span className="text-ink">{label}</span>
                )}
                : {message}
              </li>
            ))}
          </ul>
        ) : null}
        {actions || requestId ? (
          <div className="mt-1 flex flex-wrap items-center gap-2">
            {actions}
            {requestId ? (
              <span className="inline-flex flex-wrap items-center gap-x-1 text-caption text-soft">
                {uiTexts.request} <span className="font-mono wrap-anywhere">{requestId}</span>{' '}
                <Copy text={requestId} what={idTexts.requestId} />
              </span>
            ) : null}
          </div>
        ) : null}
      </div>
    </div>
  );
}
