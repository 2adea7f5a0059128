import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { copyTexts } from '../messages/ui.ts';
import { Button } from './button.tsx';
import { cx } from './cx.ts';
import { middleCut } from './format.ts';
import { Link } from './link.tsx';
import { toast } from './overlays/toast.tsx';
import { Tooltip } from './overlays/tooltip.tsx';

export interface CopyProps {
  readonly text: string;
  /** What is copied: "request ID". */
  readonly what: string;
  /** Shows the word next to the icon. */
  readonly labelled?: boolean;
  /** The browser refused to copy: show the text so that it can be selected. */
  readonly onRefused?: () => void;
}

/** Copies a text and says so. Where the browser refuses, it says that too. */
export function Copy({ text, what, labelled = false, onRefused }: CopyProps) {
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
    written(text).then(
      () => setCopied(true),
      () => {
        onRefused?.();
        toast({ text: copyTexts.refused(what) });
      },
    );
  };
  return (
    <>
      <Button
        kind={labelled ? 'plain' : 'quiet'}
        size="small"
        icon={icon}
        aria-label={labelled ? undefined : copyTexts.copy(what)}
        onClick={copy}
      >
        {labelled ? copyTexts.copy(what) : undefined}
      </Button>
      <span role="status" className="hidden-text">
        {copied ? copyTexts.copied(what) : ''}
      </span>
    </>
  );
}

/** Browsers offer no clipboard over plain HTTP, except on localhost. */
async function written(text: string): Promise<void> {
  if (navigator.clipboard === undefined) throw new Error('no clipboard');
  await navigator.clipboard.writeText(text);
}

export interface IdProps {
  readonly id: string;
  /** What it names: "decision", "plan hash". */
  readonly what: string;
  readonly to?: string | undefined;
  /** Shows it in full. */
  readonly whole?: boolean;
}

/** An id or a hash: monospaced and cut in the middle. Hovering, focusing and copying give the full text. */
export function Id({ id, what, to, whole = false }: IdProps) {
  const [isRefused, setRefused] = useState(false);
  const isWhole = whole || isRefused;
  const shown = isWhole ? id : middleCut(id);
  const look = cx('font-mono text-caption', isWhole ? 'break-all' : 'whitespace-nowrap');
  const text = to ? (
    <Link to={to} className={look} aria-label={`${what} ${shown}`}>
      {shown}
    </Link>
  ) : shown === id ? (
    <span className={cx(look, 'text-soft')}>{id}</span>
  ) : (
    <>
      <span title={id} className={cx(look, 'text-soft group-has-[:focus-visible]/id:hidden')}>
        {shown}
      </span>
      <span className="hidden break-all font-mono text-caption text-soft group-has-[:focus-visible]/id:inline">
        {id}
      </span>
    </>
  );
  return (
    <span className="group/id inline-flex max-w-full items-center gap-0.5">
      {shown !== id && to ? <Tooltip text={<span className="font-mono">{id}</span>}>{text}</Tooltip> : text}
      <Copy text={id} what={what} onRefused={() => setRefused(true)} />
    </span>
  );
}
