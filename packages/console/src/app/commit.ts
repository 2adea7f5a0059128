/**
 * Presses the primary button, as mod+enter does: of the focused dialog, else of the page. Irreversible actions and dialogs
 * that show something once aren't primary: they need their own press.
 */
export function commit(page: ParentNode | null, focused: Element | null = document.activeElement): void {
  const place = focused?.closest('[role="dialog"], [role="alertdialog"]') ?? page;
  if (place instanceof HTMLElement && place.dataset.mustAnswer !== undefined) return;
  place?.querySelector<HTMLElement>('[data-act="primary"]:not([aria-disabled])')?.click();
}
