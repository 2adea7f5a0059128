import { LoaderCircle } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { cx } from './cx.ts';
import { Link } from './link.tsx';
import { Tooltip } from './overlays/tooltip.tsx';

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

interface Look {
  /** `primary` is the one action of a page, `plain` the usual, `quiet` has no border, `danger` can't be undone. */
  readonly kind?: ButtonKind | undefined;
  /** `small` (28 px) inside tables and panels. */
  readonly size?: 'small' | 'normal' | undefined;
  readonly icon?: ReactNode;
  /** The key that does the same, shown behind the word: `⌘⏎`. */
  readonly shortcut?: string | undefined;
  /** Breaks a text that is too long for the line. Otherwise, buttons are one line high. */
  readonly wraps?: boolean | undefined;
}

export interface ButtonProps extends Look, Omit<ComponentProps<'button'>, 'type' | 'disabled'> {
  readonly submit?: boolean;
  /** The action is running: the button shows it and ignores presses. */
  readonly busy?: boolean | undefined;
  /** Why it can't be pressed. It keeps its place in the tab order, so that the reason can be read. */
  readonly disabledReason?: string | null | undefined;
  /** Its name in the palette, for icon buttons of the page. Without a name, they aren't in the palette. */
  readonly typed?: string;
  /** Tooltip, if it says more than `aria-label`. */
  readonly tooltip?: string | undefined;
}

const kinds: Record<ButtonKind, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  plain: 'border border-line-strong bg-surface text-ink hover:bg-hover',
  quiet: 'text-soft hover:bg-hover hover:text-ink',
  danger: 'border border-block bg-surface text-block hover:bg-block-soft',
};

const disabledLook = 'border border-line bg-sunken text-faint';

function buttonClass(look: Look, iconOnly: boolean, disabled: boolean): string {
  const { kind = 'plain', size = 'normal', wraps = false } = look;
  return cx(
    'inline-flex items-center justify-center gap-1.5 rounded-control font-medium transition-colors duration-100',
    wraps ? 'min-w-0 max-w-full py-1 text-start wrap-anywhere' : 'shrink-0 whitespace-nowrap',
    size === 'small' ? 'min-h-7 text-dense' : 'min-h-8 text-body',
    iconOnly ? (size === 'small' ? 'w-7' : 'w-8') : size === 'small' ? 'px-2' : 'px-3',
    disabled ? disabledLook : kinds[kind],
  );
}

const shortcutClass = 'ms-1 text-caption font-normal opacity-75 max-md:hidden';

/** A button. With an icon alone it needs `aria-label`, which is its tooltip too. */
export function Button(props: ButtonProps) {
  const { kind, size, wraps, icon, shortcut, submit, busy, disabledReason, typed, tooltip, ...others } = props;
  const { className, onClick, children, ...rest } = others;
  const reasonId = useId();
  const disabled = Boolean(disabledReason);
  const iconOnly = children === undefined;
  const button = (
    <button
      {...rest}
      type={submit ? 'submit' : 'button'}
      // The palette finds actions by their own search terms.
      data-act={iconOnly && typed === undefined ? undefined : (kind ?? 'plain')}
      data-typed={typed}
      aria-disabled={disabled || undefined}
      aria-busy={busy || undefined}
      aria-describedby={disabled ? reasonId : rest['aria-describedby']}
      className={cx(buttonClass({ kind, size, wraps }, iconOnly, disabled), className)}
      onClick={(event) => {
        if (disabled || busy) {
          event.preventDefault();
          return;
        }
        onClick?.(event);
      }}
    >
      {busy ? <LoaderCircle aria-hidden className="size-4 animate-turn" /> : icon}
      {children}
      {shortcut ? (
        <kbd aria-hidden className={shortcutClass}>
          {shortcut}
        </kbd>
      ) : null}
    </button>
  );
  if (disabledReason) {
    return (
      <>
        <Tooltip text={disabledReason}>{button}</Tooltip>
        <span id={reasonId} hidden>
          {disabledReason}
        </span>
      </>
    );
  }
  const words = tooltip ?? (iconOnly ? rest['aria-label'] : undefined);
  return words ? <Tooltip text={words}>{button}</Tooltip> : button;
}

export interface ButtonLinkProps extends Look {
  readonly to: string;
  readonly 'aria-label'?: string;
  readonly className?: string;
  readonly children?: ReactNode;
}

/** A link to another address that is as important as a button. */
export function ButtonLink({ to, kind, size, wraps, icon, shortcut, className, children, ...rest }: ButtonLinkProps) {
  const link = (
    <Link
      {...rest}
      to={to}
      look="plain"
      data-act={kind ?? 'plain'}
      className={cx(buttonClass({ kind, size, wraps }, children === undefined, false), className)}
    >
      {icon}
      {children}
      {shortcut ? (
        <kbd aria-hidden className={shortcutClass}>
          {shortcut}
        </kbd>
      ) : null}
    </Link>
  );
  return children === undefined && rest['aria-label'] ? <Tooltip text={rest['aria-label']}>{link}</Tooltip> : link;
}
