/** Presses the one act of the page that matters most, as mod+enter does: it is drawn as such. */
export function commit(page: ParentNode | null): void {
  page?.querySelector<HTMLElement>('[data-act="primary"]:not([aria-disabled])')?.click();
}
