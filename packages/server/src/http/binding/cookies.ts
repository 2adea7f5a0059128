/**
 * Returns the value of a cookie in a `Cookie` header; null when it's missing or has two values (RFC 6265 section 5.4).
 */
export function cookieOf(header: string | undefined, name: string): string | null {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value] = values;
  return value === undefined || value === '' || new Set(values).size > 1 ? null : value;
}
