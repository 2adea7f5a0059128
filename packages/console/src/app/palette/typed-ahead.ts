/**
 * Buffers keys typed between the palette shortcut and its field, which loads lazily. Otherwise, fast typists lose the first
 * letters, and Enter opens the wrong line.
 */
let typed = '';

function keep(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === 'Backspace') typed = typed.slice(0, -1);
  else if ([...event.key].length === 1) typed += event.key;
  // Enter would press the button that opened the palette, and there's nothing to open yet.
  else if (event.key !== 'Enter') return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Starts buffering until `takeTyped`. */
export function keepTyped(): void {
  typed = '';
  addEventListener('keydown', keep, { capture: true });
}

/** Returns the buffered letters and stops buffering. */
export function takeTyped(): string {
  removeEventListener('keydown', keep, { capture: true });
  const text = typed;
  typed = '';
  return text;
}
