/**
 * What somebody types between the keys that open the palette and its field, which comes with a part of the build of its own.
 * Without it a fast hand loses the first letters, and Enter takes a line that nobody asked for.
 */
let typed = '';

function keep(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === 'Backspace') typed = typed.slice(0, -1);
  else if ([...event.key].length === 1) typed += event.key;
  // Enter would press the button that the palette was opened with; what it is to take is not known yet.
  else if (event.key !== 'Enter') return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Keeps the letters from now on, until `takeTyped`. */
export function keepTyped(): void {
  typed = '';
  addEventListener('keydown', keep, { capture: true });
}

/** The letters that were kept; those that follow go where they are typed. */
export function takeTyped(): string {
  removeEventListener('keydown', keep, { capture: true });
  const kept = typed;
  typed = '';
  return kept;
}
