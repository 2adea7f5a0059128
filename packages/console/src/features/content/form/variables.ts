/** A variable as it's typed: its name may be empty or listed twice for a moment. */
export interface Variable {
  readonly name: string;
  readonly source: string;
  readonly fallback: string;
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

/** Returns the variables of a personalization. One that removes a template's variable has neither source nor fallback. */
export function variablesOf(personalization: unknown): readonly Variable[] {
  if (typeof personalization !== 'object' || personalization === null) return [];
  return Object.entries(personalization).map(([name, value]): Variable => {
    if (typeof value === 'string') return { name, source: value, fallback: '' };
    const { source, fallback } = (value ?? {}) as { readonly source?: unknown; readonly fallback?: unknown };
    return { name, source: textOf(source), fallback: textOf(fallback) };
  });
}

/** Returns the personalization of typed variables. Those without a name are left out; the last of a name counts. */
export function personalizationOf(
  variables: readonly Variable[],
): Readonly<Record<string, { readonly source?: string; readonly fallback?: string } | null>> {
  return Object.fromEntries(
    variables
      .filter(({ name }) => name.trim() !== '')
      .map(({ name, source, fallback }) => [
        name.trim(),
        source === '' && fallback === ''
          ? null
          : { ...(source === '' ? {} : { source }), ...(fallback === '' ? {} : { fallback }) },
      ]),
  );
}
