import { useEffect, useState } from 'react';
import { sameValue } from './changes.ts';

/** Returns a value once it hasn't changed for this many milliseconds. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled((before) => (sameValue(before, value) ? before : value)), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
