import type { FormulaProblem } from '../plan/formula.ts';
import { didYouMean, listWords } from '../words/word-texts.ts';
import { functionNames } from './functions.ts';
import { NAMESPACES } from './path.ts';

/**
 * Returns a hint to show people after a problem's message: the available functions, or the name that was probably
 * meant. Not part of the message, because decisions with a stored formula record that, and it must not change.
 */
export function formulaHint(
  { kind, name }: FormulaProblem,
  bareNames: ReadonlySet<string> = new Set(),
  phase1 = false,
): string {
  if (name === undefined) return '';
  if (kind === 'unknown_function') {
    const functions = functionNames();
    return didYouMean(name, functions) || `; there are ${listWords(functions)}`;
  }
  const namespaces = NAMESPACES.filter((namespace) => !phase1 || namespace !== 'score');
  return didYouMean(name, [...bareNames, ...namespaces]);
}
