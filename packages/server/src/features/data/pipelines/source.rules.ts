/** Names of settings that hold secrets (docs/design/api-catalogue.md 20, Connectors). */
const secretName =
  /secret|passw|passphrase|token$|api_?key|private_?key|account_?key|write_?key|sas|credential|serviceaccount|connectionstring|authorization|cookie|^headers$/i;
const userInfo = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i;

/** Returns JSON Pointers to the settings that look like secrets, at any depth. */
export function secretKeys(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return userInfo.test(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return !Array.isArray(value) && secretName.test(name) ? [at] : secretKeys(inner, at);
  });
}

const defaultRowLimit = 100_000;

/** Maximum rows of a run; 0 for no limit. */
export function rowLimitOf({ rowLimit }: Readonly<Record<string, unknown>>): number {
  return typeof rowLimit === 'number' && Number.isSafeInteger(rowLimit) && rowLimit >= 0 ? rowLimit : defaultRowLimit;
}

/** Whether a run starts where the previous one ended. */
export const isIncremental = ({ since, watermarkColumn }: Readonly<Record<string, unknown>>): boolean =>
  (since !== undefined && since !== null) || (watermarkColumn !== undefined && watermarkColumn !== null);
