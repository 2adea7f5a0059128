import { backtestKind } from './backtest/backtest-kind.ts';
import { checkKind } from './check/check-kind.ts';
import { evaluateKind } from './evaluate/evaluate-kind.ts';
import type { StudyKind } from './study-kind.ts';

const kinds: readonly StudyKind[] = [backtestKind, evaluateKind, checkKind];

/** Returns the kind of a stored study. Throws for one that this version doesn't know. */
export function kindNamed(name: string): StudyKind {
  const found = kinds.find(({ kind }) => kind === name);
  if (found === undefined) throw new Error(`unknown kind of study: ${name}`);
  return found;
}
