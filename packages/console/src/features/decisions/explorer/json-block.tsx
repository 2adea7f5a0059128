/** Scrollable, selectable JSON. */
export function JsonBlock({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be keyboard accessible
    <section tabIndex={0} aria-label={label} className="max-h-[60dvh] overflow-auto rounded-card bg-sunken p-3">
      <pre className="text-caption text-ink">{JSON.stringify(value, null, 2)}</pre>
    </section>
  );
}
