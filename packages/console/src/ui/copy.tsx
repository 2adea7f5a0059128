import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { cx } from './cx.ts';
import { middleCut } from './format.ts';
import { Link } from './link.tsx';
import { toast } from './toast.tsx';
import { Tooltip } from './tooltip.tsx';

export interface CopyProps {
  readonly text: string;
  /** What is copied: "request id". */
  readonly what: string;
  /** Shows the word beside the icon. */
  readonly labelled?: boolean;
}

/** Copies a text and says so. Where the browser refuses, it says that too. */
export function Copy({ text, what, labelled = false }: CopyProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  const icon = copied ? (
    <Check aria-hidden className="size-3.5 text-pass" />
  ) : (
    <CopyIcon aria-hidden className="size-3.5" strokeWidth={1.75} />
  );
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => toast({ text: `The browser does not let the page copy. Select the ${what} and copy it by hand.` }),
    );
  };
  return (
    <>
      <Button
        kind={labelled ? 'plain' : 'quiet'}
        size="small"
        icon={icon}
        aria-label={labelled ? undefined : `Copy ${what}`}
        className={labelled ? '' : 'h-6 w-6'}
        onClick={copy}
      >
        {labelled ? `Copy ${what}` : undefined}
      </Button>
      <span role="status" className="hidden-text">
        {copied ? `Copied ${what}` : ''}
      </span>
    </>
  );
}

export interface IdProps {
  readonly id: string;
  /** What it names: "decision", "plan hash". */
  readonly what: string;
  readonly to?: string | undefined;
  /** Does not cut it. */
  readonly whole?: boolean;
}

/** An id or a hash: monospaced, cut in the middle, whole in the tooltip and in what is copied. */
export function Id({ id, what, to, whole = false }: IdProps) {
  const shown = whole ? id : middleCut(id);
  const look = cx('font-mono text-caption', whole ? 'break-all' : 'whitespace-nowrap');
  const text = to ? (
    <Link to={to} className={look} aria-label={`${what} ${shown}`}>
      {shown}
    </Link>
  ) : (
    <span className={cx(look, 'text-soft')}>{shown}</span>
  );
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      {shown !== id && to ? <Tooltip text={<span className="font-mono">{id}</span>}>{text}</Tooltip> : text}
      <Copy text={id} what={what} />
    </span>
  );
}
