/** Returns a count with its noun: "1 row", "1,204 rows". `count` is formatted. */
export const counted = (count: string | number, one: string, many = `${one}s`): string =>
  `${count} ${String(count) === '1' ? one : many}`;
