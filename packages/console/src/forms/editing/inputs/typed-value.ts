/** Parses a typed value: JSON, else a string. */
export function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Inverse of `readValue`: quotes strings that look like JSON. */
export function writeValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null';
  return typeof readValue(value) === 'string' && readValue(value) === value ? value : JSON.stringify(value);
}
