import { didYouMean, listWords } from '../words/word-texts.ts';
import type { FormulaProblem } from './formula.ts';
import { functionNames } from './functions.ts';
import { NAMESPACES } from './path.ts';

/**
 * What stands behind a problem's message where a person reads it: the functions there are, or the name that was probably
 * meant. Not part of the message, which decisions with a stored formula carry: it must stay as it was recorded.
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
