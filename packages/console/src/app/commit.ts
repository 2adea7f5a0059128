/**
 * Presses the one act that matters most, as mod+enter does: it is drawn as such. Of the dialog that has the focus, else of the
 * page; an act that cannot be taken back is drawn otherwise and wants its own press, and so does what is shown once and must be
 * answered: a second press of the same keys would answer it unread.
 */
export function commit(page: ParentNode | null, focused: Element | null = document.activeElement): void {
  const place = focused?.closest('[role="dialog"], [role="alertdialog"]') ?? page;
  if (place instanceof HTMLElement && place.dataset.mustAnswer !== undefined) return;
  place?.querySelector<HTMLElement>('[data-act="primary"]:not([aria-disabled])')?.click();
}
