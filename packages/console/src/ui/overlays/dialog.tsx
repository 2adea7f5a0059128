import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useRef, useState } from 'react';
import { uiTexts } from '../../messages/ui.ts';
import { Button } from '../button.tsx';
import { cx } from '../cx.ts';
import { TextField } from '../field.tsx';

export interface DialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons, the most important one last. */
  readonly footer?: ReactNode;
  readonly width?: 'narrow' | 'normal' | 'wide';
  /** `top`: it keeps its upper edge while its content grows and shrinks. */
  readonly place?: 'middle' | 'top';
  /** Escape or a click outside doesn't close it, because it shows its content only once. */
  readonly mustAnswer?: boolean;
}

const widths = { narrow: 'sm:max-w-md', normal: 'sm:max-w-xl', wide: 'sm:max-w-4xl' };

/**
 * The focus goes to what the dialog is about, not to the button that closes it, whose tooltip would take the first Escape.
 */
function focusContent(event: Event): void {
  const { currentTarget: dialog } = event;
  if (!(dialog instanceof HTMLElement)) return;
  event.preventDefault();
  const first = dialog.querySelector<HTMLElement>('[data-dialog-body] :is(input, select, textarea, button, a[href])');
  (first ?? dialog).focus();
}

/** Returns the focused element when a dialog opens. For a menu it's the menu's button, because the menu closes before the dialog does. */
function openerNow(): HTMLElement | null {
  const active = document.activeElement;
  const menu = active?.closest('[role="menu"]');
  const opener = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : active;
  return opener instanceof HTMLElement && opener !== document.body ? opener : null;
}

/** What opened the latest dialog, for one that takes its place: the dialog with the new secret. */
let latestOpener: HTMLElement | null = null;

/** A dialog over the page. Focus goes into it and returns where it came from. */
export function Dialog(props: DialogProps) {
  const {
    open,
    onOpenChange,
    title,
    description,
    children,
    footer,
    width = 'normal',
    place = 'middle',
    mustAnswer = false,
  } = props;
  const opener = useRef<HTMLElement | null>(null);
  const enter = (event: Event) => {
    latestOpener = openerNow() ?? latestOpener;
    opener.current = latestOpener;
    focusContent(event);
  };
  // Dialogs open by state and have no trigger of the library's to go back to. After a navigation, leave the focus on the new page.
  const leave = (event: Event) => {
    event.preventDefault();
    latestOpener = null;
    if (document.activeElement !== document.body) return;
    const heading = document.querySelector<HTMLElement>('[data-page-title]');
    (opener.current?.isConnected === true ? opener.current : heading)?.focus({ preventScroll: true });
  };
  // Escape closes only the topmost layer: an open list of options lies over the dialog.
  const closeList = ({ target }: Event) => target instanceof HTMLElement && target.dataset.listOpen !== undefined;
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-veil" />
        <Radix.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          data-must-answer={mustAnswer || undefined}
          onOpenAutoFocus={enter}
          onCloseAutoFocus={leave}
          onInteractOutside={(event) => {
            if (mustAnswer) event.preventDefault();
          }}
          onEscapeKeyDown={(event) => {
            if (mustAnswer || closeList(event)) event.preventDefault();
          }}
          className={cx(
            'fixed inset-x-3 z-40 mx-auto flex flex-col rounded-dialog outline-none border border-line bg-raised shadow-overlay',
            place === 'top' ? 'top-[12dvh] max-h-[76dvh]' : 'top-1/2 max-h-[calc(100dvh-1.5rem)] -translate-y-1/2',
            widths[width],
          )}
        >
          <header className="flex items-start justify-between gap-3 px-5 pt-4 pb-2">
            <div className="flex min-w-0 flex-col gap-1">
              <Radix.Title className="text-section font-semibold wrap-anywhere">{title}</Radix.Title>
              {description ? (
                <Radix.Description className="text-body text-soft">{description}</Radix.Description>
              ) : null}
            </div>
            {mustAnswer ? null : (
              <Radix.Close asChild>
                <Button
                  kind="quiet"
                  size="small"
                  icon={<X aria-hidden className="size-4" />}
                  aria-label={uiTexts.close}
                />
              </Radix.Close>
            )}
          </header>
          {children ? (
            <div data-dialog-body className="min-h-0 overflow-y-auto px-5 py-2">
              {children}
            </div>
          ) : null}
          {footer ? (
            <footer className="flex flex-wrap items-center justify-end gap-2 px-5 pt-3 pb-4">{footer}</footer>
          ) : (
            <div className="pb-3" />
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** The question: "Revoke the key Checkout?". */
  readonly title: string;
  /** What will happen, and that it can't be undone. */
  readonly children: ReactNode;
  /** Says the act: "Revoke Checkout", never "OK". */
  readonly act: string;
  /** Must be typed before the act can be pressed: the name of what is lost. */
  readonly typed?: string;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
}

/** Asks before an action that can't be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, onOpenChange, title, children, act, typed, busy, onConfirm } = props;
  const [text, setText] = useState('');
  const change = (next: boolean) => {
    setText('');
    onOpenChange(next);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={title}
      width="narrow"
      footer={
        <>
          <Button onClick={() => change(false)}>{uiTexts.cancel}</Button>
          <Button
            kind="danger"
            // Names can be long.
            wraps
            busy={busy}
            disabledReason={typed !== undefined && text !== typed ? uiTexts.typeFirst(typed) : null}
            onClick={onConfirm}
          >
            {act}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-soft">
        {children}
        {typed === undefined ? null : (
          <TextField
            label={uiTexts.typeToConfirm(typed)}
            value={text}
            autoComplete="off"
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </div>
    </Dialog>
  );
}
